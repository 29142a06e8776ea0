import type { Message } from '../messages/message.ts'
import type { UnreadableRow } from './page.ts'
import type { ThreadKey } from './threads.ts'
import type { Fields } from './values.ts'

export interface NewMessage {
  /** Unique in its thread. A message whose id is there already is not saved again, nor changed. */
  readonly id: string
  /** At most `MAX_VALUE_LENGTH` characters as JSON. */
  readonly message: Message
  readonly metadata?: Fields
  readonly createdAt: number
}

export interface StoredMessage extends NewMessage {
  readonly threadId: string
  /**
   * Its place in the order in which messages were saved: whole, from 1, increasing over the whole store and never used again. It has
   * gaps, and says nothing of time.
   */
  readonly sequence: number
}

/** Messages of one thread, oldest first, as far as they can be read. */
export interface Messages {
  readonly messages: readonly StoredMessage[]
  /** Rows in the range that can't be read any more; they count for limits. */
  readonly unreadable: readonly UnreadableRow[]
}

export interface MessagePage extends Messages {
  /** Whether there are more in the range, beyond the end that `from` does not count from. */
  readonly hasMore: boolean
}

export interface AppendedMessages extends ThreadKey {
  /** Saved in this order, all or none. */
  readonly messages: readonly NewMessage[]
}

export interface MessageQuery extends ThreadKey {
  /** Only messages with a smaller sequence. */
  readonly before?: number
  /** Only messages with a greater sequence. */
  readonly after?: number
  /** From which end of the range `limit` counts: the last messages (`newest`, the default), or the first. */
  readonly from?: 'newest' | 'oldest'
  /** At least 1. */
  readonly limit: number
}

export interface MessageKey extends ThreadKey {
  readonly messageId: string
}

export interface NeighbourQuery extends MessageKey {
  /** How many messages before it. */
  readonly before: number
  /** How many messages after it. */
  readonly after: number
}

export interface MessageSearch {
  readonly resourceId: string
  /** Only in this thread. Default: in all of the resource. */
  readonly threadId?: string
  /**
   * Words. One that is found is enough; more, and those that fewer of the messages hold that may be seen, rank higher. Where there are
   * others, words such as `which` and `the` are not looked for. Without any word nothing is found.
   */
  readonly query: string
  /** At least 1. */
  readonly limit: number
}

export interface FoundMessage {
  readonly message: StoredMessage
  /** Greater is better; comparable within one search only. */
  readonly score: number
}

export interface FoundMessages {
  /** The best first; equal ones, the newest first. */
  readonly found: readonly FoundMessage[]
  /** Rows among them that can't be read any more. */
  readonly unreadable: readonly UnreadableRow[]
}

/** Messages: appended, never changed. All calls that name a thread fail with `thread-not-found` if the resource has no such thread. */
export interface MessageStorage {
  /** Appends messages to a thread that exists; gives the sequence of each, in their order. One transaction. */
  append(appended: AppendedMessages): Promise<readonly number[]>
  listMessages(query: MessageQuery): Promise<MessagePage>
  /** A message with those around it, oldest first; `message-not-found` if the thread has none of that id. */
  listNeighbours(query: NeighbourQuery): Promise<Messages>
  /**
   * Lexical full-text search over the text that people and agents said (no tool results, no reasoning, no notes of the framework): words
   * and, for half, words that begin as they do without their ending (`picked` for `picks`), without regard
   * to case and accents, in the first 200,000 characters of a message. Scripts without spaces are matched by character.
   */
  search(search: MessageSearch): Promise<FoundMessages>
}
