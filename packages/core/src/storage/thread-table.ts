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
  /** As it is told of: its `resourceId` is what the owner is called. */
  row: ThreadRow
  readonly owner: string
  readonly parent: ThreadKey | undefined
  /** By sequence. */
  readonly messages: KeptMessage[]
  readonly byId: Map<string, KeptMessage>
}

/** Whose a thread is, where that is not what its owner is called, and what it is for. */
export interface ThreadPlace {
  readonly owner?: string
  readonly parent?: ThreadKey | undefined
}

/** The rows of `InMemoryStorage`: threads by id, each with its messages, and the two sequences. */
export class ThreadTable {
  readonly #threads = new Map<string, KeptThread>()
  #threadSequence = 0
  #messageSequence = 0

  /** The thread, if the resource owns it or its owner is called so; `thread-not-found` otherwise. */
  named({ threadId, resourceId }: ThreadKey): KeptThread {
    const thread = this.#threads.get(threadId)
    if (!thread || !isNamedBy(thread, resourceId)) throw threadNotFound(threadId)
    return thread
  }

  /** The thread of an owner, made if it is missing; `thread-not-found` if it is somebody else's, whatever its owner is called. */
  open(row: Omit<ThreadRow, 'sequence'>, place: ThreadPlace & { readonly owner: string }): KeptThread {
    const there = this.owned({ threadId: row.id, resourceId: place.owner })
    return there ?? this.add(row, place)
  }

  /** The thread of an owner; undefined if it is missing, `thread-not-found` if it is somebody else's, whatever its owner is called. */
  owned({ threadId, resourceId }: ThreadKey): KeptThread | undefined {
    const there = this.#threads.get(threadId)
    if (there && there.owner !== resourceId) throw threadNotFound(threadId)
    return there
  }

  /** Those of a resource, in the order in which they were made. */
  of(resourceId: string): KeptThread[] {
    return [...this.#threads.values()].filter(({ owner }) => owner === resourceId)
  }

  /** Those under a thread, at any depth, the newest first. */
  under(top: KeptThread): KeptThread[] {
    const found = new Set([top])
    for (const above of found) {
      for (const thread of this.#threads.values()) {
        const { parent } = thread
        if (parent?.threadId === above.row.id && parent.resourceId === above.owner) found.add(thread)
      }
    }
    found.delete(top)
    return [...found].sort((one, other) => other.row.sequence - one.row.sequence)
  }

  add(row: Omit<ThreadRow, 'sequence'>, { owner = row.resourceId, parent }: ThreadPlace = {}): KeptThread {
    const taken = this.#threads.get(row.id)
    if (taken) throw isNamedBy(taken, owner) ? threadExists(row.id) : threadNotFound(row.id)
    const numbered = { ...row, sequence: ++this.#threadSequence }
    const thread: KeptThread = { row: numbered, owner, parent, messages: [], byId: new Map() }
    this.#threads.set(row.id, thread)
    return thread
  }

  delete(threadId: string): void {
    this.#threads.delete(threadId)
  }

  /** Deletes the messages from a sequence on, but for some. */
  deleteFrom(thread: KeptThread, sequence: number, keep: ReadonlySet<string>): void {
    const first = thread.messages.findIndex((message) => message.sequence >= sequence)
    const after = thread.messages.splice(first)
    for (const message of after)
      if (keep.has(message.id)) thread.messages.push(message)
      else thread.byId.delete(message.id)
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

function isNamedBy({ owner, row }: KeptThread, resourceId: string): boolean {
  return owner === resourceId || row.resourceId === resourceId
}
