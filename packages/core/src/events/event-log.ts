import type { Chunk } from './chunk.ts'
import { mergeDeltas, tailDeltas } from './merge-deltas.ts'

/** Chunks after which deltas are merged for readers that come late or lag. */
const MERGE_AFTER = 10_000

/** Where a delegation's run hangs in the tree: the call of the parent's that it answers. */
export interface RunScope {
  readonly toolCallId: string
  readonly toolName: string
  readonly parentRunId: string
  readonly path: readonly string[]
}

/**
 * The log of one root run: every run of the tree writes into it, and every reader gets it from its start at its own pace. A
 * reader never holds a writer up; what a slow one has not read yet is merged, so that memory is bounded by the content.
 */
export class EventLog {
  #chunks: Chunk[] = []
  #closed = false
  #mergeAt = MERGE_AFTER
  #wake: (() => void)[] = []
  readonly #cursors = new Set<Cursor>()
  readonly #scopes = new Map<string, RunScope>()

  push(chunk: Chunk): void {
    this.#chunks.push(chunk)
    if (this.#chunks.length >= this.#mergeAt) this.#merge()
    if (this.#wake.length > 0) this.#wakeReaders()
  }

  /** Ends the log: readers that have read it all are done. */
  close(): void {
    this.#closed = true
    this.#wakeReaders()
  }

  /** Says to which call of the parent's a delegation's run belongs. */
  addScope(runId: string, scope: RunScope): void {
    this.#scopes.set(runId, scope)
  }

  scopeOf(runId: string): RunScope | undefined {
    return this.#scopes.get(runId)
  }

  /** Chunks held now. */
  get length(): number {
    return this.#chunks.length
  }

  /** A reader of the whole log, from its start. */
  read(): AsyncIterator<Chunk, undefined> {
    const cursor: Cursor = { index: 0, backlog: [], open: true }
    this.#cursors.add(cursor)
    const next = async (): Promise<IteratorResult<Chunk, undefined>> => {
      while (cursor.open) {
        const chunk = cursor.backlog.length > 0 ? cursor.backlog.shift() : this.#chunks[cursor.index++]
        if (chunk) return { done: false, value: chunk }
        // Nothing was there to read: the step that was taken is taken back.
        cursor.index -= 1
        if (this.#closed) break
        await new Promise<void>((resolve) => this.#wake.push(resolve))
      }
      return this.#leave(cursor)
    }
    return { next, return: async () => this.#leave(cursor) }
  }

  #leave(cursor: Cursor): IteratorResult<Chunk, undefined> {
    cursor.open = false
    this.#cursors.delete(cursor)
    return { done: true, value: undefined }
  }

  #wakeReaders(): void {
    const waiting = this.#wake
    this.#wake = []
    for (const resolve of waiting) resolve()
  }

  #merge(): void {
    const { chunks, before } = mergeDeltas(this.#chunks)
    for (const cursor of this.#cursors) {
      cursor.backlog.push(...tailDeltas(this.#chunks, cursor.index))
      cursor.index = before(cursor.index)
    }
    this.#chunks = chunks
    this.#mergeAt = chunks.length + Math.max(MERGE_AFTER, chunks.length)
  }
}

/** A reader's place: its own backlog first (the rest of texts that were merged while it was in the middle of them), then the log. */
interface Cursor {
  index: number
  backlog: Chunk[]
  open: boolean
}
