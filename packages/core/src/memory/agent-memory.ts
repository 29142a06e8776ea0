import type { RequestContextLike } from '../context/request-context.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import { isObject } from '../shared/records.ts'
import type { Page, PageRequest, UnreadableRow } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { Thread, ThreadKey } from '../storage/threads.ts'
import type { Fields } from '../storage/values.ts'
import type { Tool } from '../tools/tool.ts'

/** What an agent remembers with: the port that `@retinue/memory` implements. */
export interface AgentMemory {
  /** The same memory over an application's storage, where it has none of its own. */
  within(storage: Storage | undefined): AgentMemory
  /** Where it keeps conversations. Two runs on one thread of the same storage wait for each other. */
  readonly storage: Storage
  /** Opens a thread for a run: what is recalled of it, and where the run is kept. */
  open(turn: MemoryTurn): Promise<OpenedMemory>
  /** Nothing is ever written: what would have to be is `memory-read-only`. Default: false. */
  readonly readOnly?: boolean
  /** Messages of a thread, oldest first, by pages. Rejects with `thread-not-found` for a thread that the resource does not have. */
  recall(query: RecallQuery): Promise<Recalled>
  /** One message. Rejects with `thread-not-found`, `message-not-found`, or `storage-row-unreadable` for one that is damaged. */
  getMessage(key: { threadId: string; resourceId: string; messageId: string }): Promise<RememberedMessage>
  createThread(thread: { threadId?: string; resourceId: string; title?: string; metadata?: Fields }): Promise<Thread>
  getThread(key: { threadId: string; resourceId: string }): Promise<Thread>
  listThreads(query: { resourceId: string; order?: 'created' | 'updated' } & PageRequest): Promise<Page<Thread>>
  /** Renames a thread, or replaces its metadata; `null` takes either away. */
  updateThread(change: {
    threadId: string
    resourceId: string
    title?: string | null
    metadata?: Fields | null
  }): Promise<Thread>
  /** Deletes a thread with everything that hangs on it. */
  deleteThread(key: { threadId: string; resourceId: string }): Promise<void>
  /** Copies a thread with its messages, for the same resource. */
  cloneThread(copy: {
    threadId: string
    resourceId: string
    newThreadId?: string
    title?: string | null
  }): Promise<Thread>
}

export interface RecallQuery {
  readonly threadId: string
  readonly resourceId: string
  /** At most so many. Default: 100. */
  readonly limit?: number
  /** Only messages with a smaller sequence: to page backwards. */
  readonly before?: number
  /** Only messages with a greater sequence. */
  readonly after?: number
}

export interface Recalled {
  readonly messages: readonly RememberedMessage[]
  /** Whether the thread holds more, beyond the end that `limit` does not count from. */
  readonly hasMore: boolean
  /** Messages of the page that something damaged and nobody can read any more. */
  readonly unreadable: readonly UnreadableRow[]
}

/** A message as it was kept. */
export type RememberedMessage = Message & {
  readonly id: string
  /** Its place in the order in which messages were saved. */
  readonly sequence: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The run that it belongs to; undefined for what an application put into the thread itself. */
  readonly runId?: string
  /** Which part of the framework spoke, in a message that is not the person's although its role is `user`: never show it as theirs. */
  readonly origin?: string
}

/** A run that begins on a thread. */
export interface MemoryTurn {
  /** The run, with which its messages are kept. */
  readonly runId: string
  readonly threadId: string
  /** Who owns the thread. */
  readonly resourceId: string
  /** Of a delegation's thread: what people are told in place of its owner, and can ask for it by. */
  readonly calledAs?: string | undefined
  /** Of a delegation's thread: the thread that it is for, with which it is deleted. */
  readonly parent?: ThreadKey | undefined
  /** Of the thread, if it is new. */
  readonly title?: string | undefined
  readonly metadata?: Fields | undefined
  /** What the run begins with, to be saved at once. */
  readonly messages: readonly KeptMessage[]
  /**
   * What of the thread it takes the place of: all from a message on but for some. It is deleted in one transaction with `messages`, or
   * where there are none with what is appended first; if nothing ever is, it stays. In no case is it recalled.
   */
  readonly replace?:
    | {
        readonly from: string
        /** The sequence of that message. */
        readonly sequence: number
        readonly keep: readonly string[]
        readonly gone: readonly string[]
      }
    | undefined
  /** What is asked, as text: for recall by meaning. */
  readonly task: string
  /** The run is a delegation's: its thread is its own, and nothing was said in it before. */
  readonly delegated: boolean
  /** Nothing is written, whatever happens. */
  readonly readOnly: boolean
  /** Settings of the memory for this call, over its own; what they are is the memory's to say. */
  readonly options: Readonly<Record<string, unknown>> | undefined
  readonly requestContext: RequestContextLike
  /** When the run is aborted nothing more need be recalled: nobody waits for it. */
  readonly abortSignal?: AbortSignal | undefined
  /** Where the application wants its warnings. Default: the process's. */
  readonly warn?: ((code: string, message: string) => void) | undefined
}

/** A message to keep, under an id that is the same if it is handed over twice: it is then kept once. */
export interface KeptMessage {
  readonly id: string
  readonly message: Message
}

/** A thread that a run goes on in. */
export interface OpenedMemory {
  /** The memory itself is read-only: then nothing that hangs on the run is written either, threads of delegations included. */
  readonly readOnly?: boolean
  /** What was said before, oldest first, as it was kept. The agent makes a valid conversation of it. */
  readonly recalled: readonly Message[]
  /** What the model is told beside its instructions, such as its working memory. */
  readonly system: readonly SystemMessage[]
  /** Tools with which the model keeps its own notes. */
  readonly tools: Readonly<Record<string, Tool>>
  /** Keeps messages, after those before. Rejects with a typed error; then none of them is kept. */
  append(messages: readonly KeptMessage[]): Promise<void>
  /** The run has ended, and its last messages are kept. What is done then, such as finding a title, holds nobody up. */
  ended(): void
}

/** Whether a value is a memory, of whichever package. */
export function isAgentMemory(value: unknown): value is AgentMemory {
  return isObject(value) && typeof value['open'] === 'function' && typeof value['within'] === 'function'
}
