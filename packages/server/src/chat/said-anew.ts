import { isRetinueError, type RetinueError } from '@retinue/core/errors'
import { disarm, isKeptId, type RememberedMessage } from '@retinue/core/memory'
import { requestInvalid } from '../errors/request-errors.ts'
import type { ChatBody } from '../schemas/chat-body.ts'
import type { ClientMessage, Recipient } from '../work/client-messages.ts'
import { toUiMessages } from './to-ui-messages.ts'

type Thread = NonNullable<Recipient['thread']>

/** What a page says, beside what the thread of its chat has. */
export type Said =
  | { readonly type: 'new'; readonly messages: readonly ClientMessage[] }
  /** The same message as before: it was sent twice, or what came of it did not arrive. */
  | { readonly type: 'again'; readonly kept: RememberedMessage; readonly messages: readonly ClientMessage[] }
  /** In the place of a message of the person, and of all that came after it. */
  | { readonly type: 'anew'; readonly messages: readonly ClientMessage[]; readonly replaceFrom: string }

/**
 * Compares what a page sends with the thread, by the id of its last message. `regenerate()` wants that answered anew, an edit comes with
 * its id as `messageId`; whatever else has the same id is the same again. A message that the thread does not have is new, also where
 * its answer is wanted anew: it never arrived. Throws `request-invalid`.
 */
export async function saidIn(thread: Thread, { messages, trigger, messageId }: ChatBody): Promise<Said> {
  const last: ClientMessage | undefined = messages.at(-1)
  if (last?.['role'] !== 'user') return { type: 'new', messages }
  assertDistinct(messages.slice(firstFresh(messages)))
  const unknown = await unknownOf(thread, messages)
  const id = last['id']
  const kept = isKeptId(id) ? await keptMessage(thread, id) : undefined
  if (!kept) return { type: 'new', messages: [...messages.slice(0, firstFresh(messages)), ...unknown, last] }
  const fresh = [...unknown, last]
  if (trigger === 'regenerate-message') return { type: 'anew', messages: fresh, replaceFrom: kept.id }
  if (isSame(kept, last)) return { type: 'again', messages: fresh, kept }
  if (messageId === kept.id) return { type: 'anew', messages: fresh, replaceFrom: kept.id }
  throw isAnother()
}

export function isAnother(): RetinueError {
  return requestInvalid(
    'The thread has another message under the id of this one.',
    'A new message has an id of its own; one that was edited comes with its id as messageId.',
  )
}

/** Of two that came with one id the thread would keep the first. */
function assertDistinct(fresh: readonly ClientMessage[]): void {
  const ids = fresh.map(({ id }) => id).filter(isKeptId)
  if (new Set(ids).size < ids.length) throw isAnother()
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
