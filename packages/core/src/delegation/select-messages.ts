import { RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import type { MessageFilterContext } from '../loop/delegation-settings.ts'
import type { Run } from '../loop/run.ts'
import type { Message } from '../messages/message.ts'
import { sharedMessage } from '../messages/shared-view.ts'
import { isObject } from '../shared/records.ts'

/** Who is delegated to, and with what: what hooks and filters are told. */
export type DelegationFacts = Pick<MessageFilterContext, 'primitiveId' | 'key' | 'prompt' | 'toolCallId'> & {
  readonly requestContext: MessageFilterContext['requestContext']
}

/**
 * What the child sees of the parent's conversation. Throws `message-filter-failed` if the filter does, so that a broken filter
 * hands over nothing.
 */
export async function selectMessages(run: Run, facts: DelegationFacts): Promise<readonly Message[]> {
  const { messageFilter, context } = run.delegation
  if (context === 'none') return []
  const inherited = run.inherited
  const own = run.view.of(run.state.messages)
  const all = inherited.length === 0 ? own.slice() : [...inherited, ...own]
  if (!messageFilter) return fromFirstUser(all)
  for (const message of all) freeze(message)
  let chosen: unknown
  try {
    chosen = await messageFilter({
      ...facts,
      messages: all,
      primitiveType: 'agent',
      iteration: run.state.iteration,
      runId: run.state.runId,
      parentAgentId: run.agentId,
      path: run.state.path,
    })
  } catch (cause) {
    throw filterFailed(facts.key, `it threw: ${thrownMessage(cause)}`, cause)
  }
  return fromFirstUser(checked(chosen, facts.key))
}

function checked(chosen: unknown, key: string): Message[] {
  if (!Array.isArray(chosen)) throw filterFailed(key, 'it gave no list of messages')
  return chosen.flatMap((message: unknown) => {
    const { role, content } = isObject(message) ? message : {}
    if (role !== 'user' && role !== 'assistant') {
      throw filterFailed(key, 'its list holds something that is no user or assistant message')
    }
    const parts: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (!Array.isArray(parts) || !parts.every(isObject)) {
      throw filterFailed(key, 'its list holds a message without content')
    }
    // Whatever the filter made of them, the child sees no more than any child does.
    const shared = sharedMessage(role, parts)
    return shared ? [shared] : []
  })
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

function freeze(message: Message): void {
  if (Object.isFrozen(message)) return
  if (typeof message.content !== 'string') {
    for (const part of message.content) Object.freeze(part)
    Object.freeze(message.content)
  }
  Object.freeze(message)
}
