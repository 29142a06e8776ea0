import { RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { MessageFilter, MessageFilterContext } from '../loop/delegation-settings.ts'
import type { Run } from '../loop/run.ts'
import { freezeMessage } from '../messages/freeze-message.ts'
import { partsFromContent } from '../messages/from-parts.ts'
import type { Message } from '../messages/message.ts'
import { sharedMessage } from '../messages/shared-view.ts'
import { isObject } from '../shared/records.ts'
import type { DelegateTarget } from './delegate-target.ts'

/**
 * What the child sees of the parent's conversation: at once where there is no filter to ask. Rejects with `message-filter-failed`
 * if the filter fails, so that a broken filter hands over nothing.
 */
export function selectMessages(
  run: Run,
  facts: Omit<MessageFilterContext, 'messages'>,
  target: DelegateTarget,
): readonly Message[] | Promise<readonly Message[]> {
  const { messageFilter, context } = run.delegation
  if (context === 'none' || target.delegation?.context === 'none') return []
  const inherited = run.inherited
  const own = run.view.of(run.state.messages)
  const all = inherited.length === 0 ? own.slice() : [...inherited, ...own]
  return messageFilter ? filtered(facts, all, messageFilter) : fromFirstUser(all)
}

async function filtered(
  facts: Omit<MessageFilterContext, 'messages'>,
  all: Message[],
  messageFilter: MessageFilter,
): Promise<readonly Message[]> {
  for (const message of all) freezeMessage(message)
  // The filter may change its list; what was in it is known by this one.
  const given = new Set<unknown>(all)
  let chosen: unknown
  try {
    chosen = await messageFilter({ ...facts, messages: all })
  } catch (cause) {
    throw filterFailed(facts.key, `it threw: ${withoutSecrets(thrownMessage(cause))}`, cause)
  }
  return fromFirstUser(checked(chosen, given, facts.key))
}

/** The messages that the filter chose: those that it was given as they are; its own show no more than any child sees. */
function checked(chosen: unknown, given: ReadonlySet<unknown>, key: string): Message[] {
  if (!Array.isArray(chosen)) throw filterFailed(key, 'it gave no list of messages')
  const messages: Message[] = []
  // By index: a loop over the list itself would skip holes, which are no messages either.
  for (let index = 0; index < chosen.length; index++) {
    const message: unknown = chosen[index]
    const own = given.has(message) ? (message as Message) : ownMessage(message, index, key)
    if (own) messages.push(own)
  }
  return messages
}

/** A message that the filter made itself, in any form that an input may have; undefined if it says nothing. */
function ownMessage(message: unknown, index: number, key: string): Message | undefined {
  const { role, content } = isObject(message) ? message : {}
  if (role !== 'user' && role !== 'assistant') {
    throw filterFailed(key, 'its list holds something that is no user or assistant message')
  }
  if (isBlank(content)) return undefined
  try {
    return sharedMessage(role, partsFromContent(role, content, index))
  } catch (cause) {
    throw filterFailed(key, `in its list: ${thrownMessage(cause)}`, cause)
  }
}

function isBlank(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === ''
  return (
    Array.isArray(content) &&
    content.every((part) => isObject(part) && part['type'] === 'text' && isBlank(part['text']))
  )
}

function filterFailed(key: string, why: string, cause?: unknown): RetinueError {
  return new RetinueError({
    code: 'message-filter-failed',
    message: `The messageFilter failed for "${key}": ${why}.`,
    hint: 'It must return a list of the messages that the child may see; an empty one for none.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** A conversation that a provider takes begins with a user's message. */
function fromFirstUser(messages: Message[]): Message[] {
  const first = messages.findIndex((message) => message.role === 'user')
  return first === 0 ? messages : first < 0 ? [] : messages.slice(first)
}
