import { isRetinueError, type RetinueError } from '@retinue/core/errors'
import { disarm, isKeptId, type RememberedMessage } from '@retinue/core/memory'
import { requestInvalid } from '../errors/request-errors.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import type { ClientMessage, Recipient } from '../work/client-messages.ts'
import { type ThreadTurn, turnAfter } from './thread-turn.ts'
import { toUiMessages } from './to-ui-messages.ts'

type Thread = NonNullable<Recipient['thread']>

/** What a page says, beside what the thread of its chat has. */
export type Said =
  | { readonly type: 'new'; readonly messages: readonly ClientMessage[] }
  /** The same message as before: it was sent twice, or what came of it did not arrive. */
  | {
      readonly type: 'again'
      readonly kept: RememberedMessage
      readonly turn: ThreadTurn
      readonly messages: readonly ClientMessage[]
    }
  /** In the place of a message of the person, and of all that came after it. */
  | { readonly type: 'anew'; readonly kept: RememberedMessage; readonly messages: readonly ClientMessage[] }

/**
 * Compares what a page sends with the thread, by the id of its last message. `regenerate()` wants that answered anew, an edit comes with
 * its id as `messageId`; so does `sendMessage()`, which sends it again: where nothing was said after it, the same words are the same
 * again, and else whoever sent them has cut the conversation there. A message that the thread does not have is new, also where its answer
 * is wanted anew: it never arrived. Throws `request-invalid`.
 */
export async function saidIn(thread: Thread, { messages, trigger, messageId }: ChatBody): Promise<Said> {
  const last: ClientMessage | undefined = messages.at(-1)
  if (last?.['role'] !== 'user') return { type: 'new', messages }
  const isRegenerated = trigger === 'regenerate-message'
  assertIds(messages.slice(firstFresh(messages)))
  if (isRegenerated && last['id'] === undefined) throw withoutId()
  const unknown = await unknownOf(thread, messages)
  const id = last['id']
  const kept = isKeptId(id) ? await keptMessage(thread, id) : undefined
  if (!kept) return { type: 'new', messages: [...messages.slice(0, firstFresh(messages)), ...unknown, last] }
  const anew: Said = { type: 'anew', messages: [...unknown, last], kept }
  if (isRegenerated) return anew
  const isEdited = messageId === kept.id
  if (!isSame(kept, last)) {
    if (isEdited) return anew
    throw isAnother()
  }
  const turn = await turnAfter(thread, kept)
  return isEdited && turn.hasLater ? anew : { ...anew, type: 'again', turn }
}

/**
 * Ids that messages have are such as the thread can keep, or they could not be said anew; of two that came with one it would keep the
 * first.
 */
function assertIds(fresh: readonly ClientMessage[]): void {
  const ids = fresh.map(({ id }) => id).filter((id) => id !== undefined)
  if (!ids.every(isKeptId))
    throw requestInvalid(
      'The id of a message can’t be kept.',
      'It is a text of 1 to 256 characters. Leave generateId of useChat as it is, or make shorter ones.',
    )
  if (new Set(ids).size < ids.length) throw isAnother()
}

/**
 * The ids of messages that somebody says in a thread name nothing else there: else the thread would keep what it has. `replaceFrom`: from
 * there on it goes. Throws `request-invalid`.
 */
export async function assertKeepable(
  thread: Thread,
  messages: readonly ClientMessage[],
  replaceFrom: string | undefined,
): Promise<void> {
  const fresh = messages
    .slice(firstFresh(messages))
    .filter(({ role, parts }) => role === 'user' && Array.isArray(parts))
  assertIds(fresh)
  const first = replaceFrom === undefined ? undefined : await keptMessage(thread, replaceFrom)
  for (const message of fresh) {
    const { id } = message
    const kept = isKeptId(id) ? await keptMessage(thread, id) : undefined
    const goes = kept && first && kept.sequence >= first.sequence
    if (kept && !goes && !isSame(kept, message)) throw isAnother()
  }
}

function withoutId(): RetinueError {
  return requestInvalid(
    'What is to be answered anew has no id.',
    'Send the last message of the person with the id that it was said with.',
  )
}

export function isAnother(): RetinueError {
  return requestInvalid(
    'The thread has another message under the id of this one.',
    'A new message has an id of its own; one that was edited comes with its id as messageId.',
  )
}

function firstFresh(messages: readonly ClientMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'assistant') + 1
}

/** What the person said before the last message and after the last answer, as far as the thread does not have it: its answer failed. */
async function unknownOf(thread: Thread, messages: readonly ClientMessage[]): Promise<ClientMessage[]> {
  const unknown: ClientMessage[] = []
  for (const message of messages.slice(firstFresh(messages), -1)) {
    const { id } = message
    if (!(isKeptId(id) && (await keptMessage(thread, id)))) unknown.push(message)
  }
  return unknown
}

/** What a person said in the thread under an id. Throws `request-invalid` for an id of something else. */
async function keptMessage(thread: Thread, messageId: string): Promise<RememberedMessage | undefined> {
  const { memory, threadId, resourceId } = thread
  try {
    const kept = await memory.getMessage({ threadId, resourceId, messageId })
    if (kept.role === 'user' && kept.origin === undefined) return kept
  } catch (thrown) {
    if (isRetinueError(thrown, 'thread-not-found') || isRetinueError(thrown, 'message-not-found')) return undefined
    throw thrown
  }
  throw requestInvalid('The id of a message is that of something else in the thread.', 'Each message has its own id.')
}

function isSame(kept: RememberedMessage, sent: ClientMessage): boolean {
  const [shown] = toUiMessages([kept])
  return shown !== undefined && wordsOf(shown.parts) === wordsOf(sent['parts'])
}

/** What is said in the parts of a message, without how it is shown. */
export function wordsOf(parts: unknown): string {
  const all = (Array.isArray(parts) ? parts : []) as readonly Record<string, unknown>[]
  return JSON.stringify(
    all.flatMap(({ type, text, url }): unknown[] => {
      if (type === 'text' && typeof text === 'string') return text.trim() === '' ? [] : [disarm(text)]
      return type === 'file' ? [{ url }] : []
    }),
  )
}
