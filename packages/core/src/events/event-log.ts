import type { Chunk } from './chunk.ts'
import { type Kept, type LogPlace, LogReader } from './log-reader.ts'
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
  readonly #kept: Kept = { chunks: [], closed: false }
  readonly #mergeAfter: number
  #mergeAt: number
  readonly #readers = new Set<LogPlace>()
  readonly #scopes = new Map<string, RunScope>()

  constructor(mergeAfter: number = MERGE_AFTER) {
    this.#mergeAfter = mergeAfter
    this.#mergeAt = mergeAfter
  }

  /** Adds a chunk. The root's `finish` is the last: what a tool or a child that ignored an abort writes later is dropped. */
  push(chunk: Chunk): void {
    if (this.#kept.closed) return
    this.#kept.chunks.push(chunk)
    if (this.#kept.chunks.length >= this.#mergeAt) this.#merge()
    if (chunk.type === 'finish' && !this.#scopes.has(chunk.runId)) this.#kept.closed = true
    for (const reader of this.#readers) reader.serve()
  }

  /** Ends the log: readers that have read it all are done. */
  close(): void {
    this.#kept.closed = true
    for (const reader of this.#readers) reader.serve()
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
    return this.#kept.chunks.length
  }

  /** Readers that have neither read to the end nor left. */
  get readers(): number {
    return this.#readers.size
  }

  /** A reader of the whole log, from its start. */
  read(): AsyncIterator<Chunk, undefined>
  /** A reader of what `convert` makes of each chunk; those that it makes nothing of are passed over. */
  read<T>(convert: (chunk: Chunk) => T | undefined): AsyncIterator<T, undefined>
  read<T>(convert?: (chunk: Chunk) => T | undefined): AsyncIterator<Chunk | T, undefined> {
    const reader = new LogReader<Chunk | T>(
      this.#kept,
      convert ?? ((chunk) => chunk),
      () => void this.#readers.delete(reader),
    )
    this.#readers.add(reader)
    return reader
  }

  #merge(): void {
    const { chunks, before } = mergeDeltas(this.#kept.chunks)
    for (const reader of this.#readers) {
      reader.backlog.push(...tailDeltas(this.#kept.chunks, reader.index))
      reader.index = before(reader.index)
    }
    this.#kept.chunks = chunks
    this.#mergeAt = chunks.length + Math.max(this.#mergeAfter, chunks.length)
  }
}
