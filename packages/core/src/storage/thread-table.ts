import type { MessageRow, NewMessageRow } from './message-row.ts'
import { threadExists, threadNotFound } from './storage-errors.ts'
import type { ThreadRow } from './thread-row.ts'
import type { ThreadKey } from './threads.ts'

/** A message as it lies in the memory of the process. */
export interface KeptMessage extends MessageRow {
  readonly terms: string
}

/** A thread as it lies in the memory of the process. */
export interface KeptThread {
  row: ThreadRow
  readonly parentId: string | undefined
  /** By sequence. */
  readonly messages: KeptMessage[]
  readonly byId: Map<string, KeptMessage>
}

/** The rows of `InMemoryStorage`: threads by id, each with its messages, and the two sequences. */
export class ThreadTable {
  readonly #threads = new Map<string, KeptThread>()
  #threadSequence = 0
  #messageSequence = 0

  /** The thread, if the resource owns it; `thread-not-found` otherwise. */
  owned({ threadId, resourceId }: ThreadKey): KeptThread {
    const thread = this.#threads.get(threadId)
    if (thread?.row.resourceId !== resourceId) throw threadNotFound(threadId)
    return thread
  }

  has({ threadId, resourceId }: ThreadKey): boolean {
    return this.#threads.get(threadId)?.row.resourceId === resourceId
  }

  /** Those of a resource, in the order in which they were made. */
  of(resourceId: string): KeptThread[] {
    return [...this.#threads.values()].filter(({ row }) => row.resourceId === resourceId)
  }

  /** Those under a thread, at any depth, the lowest first. */
  under(threadId: string): KeptThread[] {
    const found = new Map<string, KeptThread>()
    const parents = [threadId]
    for (const parentId of parents) {
      for (const thread of this.#threads.values()) {
        if (thread.parentId !== parentId || found.has(thread.row.id)) continue
        found.set(thread.row.id, thread)
        parents.push(thread.row.id)
      }
    }
    return [...found.values()].sort((one, other) => other.row.sequence - one.row.sequence)
  }

  add(row: Omit<ThreadRow, 'sequence'>, parentId?: string): KeptThread {
    const taken = this.#threads.get(row.id)
    if (taken) throw taken.row.resourceId === row.resourceId ? threadExists(row.id) : threadNotFound(row.id)
    const numbered = { ...row, sequence: ++this.#threadSequence }
    const thread: KeptThread = { row: numbered, parentId, messages: [], byId: new Map() }
    this.#threads.set(row.id, thread)
    return thread
  }

  delete(threadId: string): void {
    this.#threads.delete(threadId)
  }

  /** Appends what is not there yet; gives the sequence of each. */
  append(thread: KeptThread, rows: readonly NewMessageRow[]): number[] {
    return rows.map((row) => {
      const there = thread.byId.get(row.id)
      if (there) return there.sequence
      const kept = { ...row, threadId: thread.row.id, sequence: ++this.#messageSequence }
      thread.messages.push(kept)
      thread.byId.set(row.id, kept)
      this.touch(thread, row.createdAt)
      return kept.sequence
    })
  }

  /** Time never goes back, whatever the clocks of the writers. */
  touch(thread: KeptThread, at: number): void {
    if (at > thread.row.updatedAt) thread.row = { ...thread.row, updatedAt: at }
  }
}
