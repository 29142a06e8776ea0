import type { Chunk } from '@retinue/core/agent'
import type { EventPlace, Value } from '@retinue/core/storage'
import { continues, deltaText, isDelta, withText } from './deltas.ts'

/** An event of a run, as readers get it: `seq` is the number of its last piece. */
export interface RunEvent extends EventPlace {
  readonly chunk: Chunk
}

/** Pieces that are joined at once. */
const LEAST_JOINED = 256

/** How long a text may grow: what a slow reader is handed at once, it holds in memory. */
const LONGEST_TEXT = 16_384

/** A merged entry as it is stored: its first number, its chunk, and how long its text was after each piece. */
type StoredEntry = readonly [first: number, chunk: Chunk, ends?: readonly number[]]

/**
 * One chunk of a leg, or deltas of one block that came one after the other. They are one entry from the beginning, so that a log costs
 * what its text costs; where each piece ended is known, so that a reader can go on after any of them.
 */
export class LogEntry {
  readonly leg: number
  readonly first: number
  last: number
  readonly #chunk: Chunk
  /** Texts that were not joined yet. */
  #pieces: string[] = []
  #text: string
  /** How long the text was after each piece but those in `#pieces`. */
  #ends: number[] = []
  /** Of the text, with its pieces. */
  #length: number

  constructor(leg: number, first: number, chunk: Chunk, ends: readonly number[] = []) {
    this.leg = leg
    this.first = first
    this.last = first + Math.max(0, ends.length - 1)
    this.#chunk = chunk
    this.#text = isDelta(chunk) ? deltaText(chunk) : ''
    this.#length = this.#text.length
    this.#ends = ends.length > 0 ? [...ends] : [this.#text.length]
  }

  /** Takes in a chunk that says more of the same. False if it does not, or there is enough in it. */
  add(chunk: Chunk): boolean {
    if (this.#length >= LONGEST_TEXT || !continues(this.#chunk, chunk) || !isDelta(chunk)) return false
    const piece = deltaText(chunk)
    this.#length += piece.length
    this.#pieces.push(piece)
    this.last += 1
    if (this.#pieces.length >= Math.max(LEAST_JOINED, this.#ends.length)) this.#join()
    return true
  }

  /** What comes after the piece of a number: all of it, or the rest of its text. */
  after(seq: number): RunEvent {
    return { leg: this.leg, seq: this.last, chunk: this.#chunkAfter(seq) }
  }

  /** The part of it that comes after a number, to be stored. */
  stored(after: number): StoredEntry {
    const first = Math.max(this.first, after + 1)
    const chunk = this.#chunkAfter(after)
    if (first === this.last) return [first, chunk]
    this.#join()
    const before = first > this.first ? (this.#ends[first - this.first - 1] ?? 0) : 0
    return [first, chunk, this.#ends.slice(first - this.first).map((end) => end - before)]
  }

  #chunkAfter(seq: number): Chunk {
    if (!isDelta(this.#chunk) || (seq < this.first && this.first === this.last)) return this.#chunk
    return withText(this.#chunk, this.#textAfter(seq))
  }

  /** A reader who is up to date takes the last pieces alone, and not the whole text each time. */
  #textAfter(seq: number): string {
    const read = Math.max(0, seq - this.first + 1)
    const joined = this.#ends.length
    if (read >= joined) return this.#pieces.slice(read - joined).join('')
    return this.#text.slice(read === 0 ? 0 : this.#ends[read - 1]) + this.#pieces.join('')
  }

  /** Joins the pieces, now and then: a text that grows piece by piece would keep every piece alive. */
  #join(): void {
    let end = this.#text.length
    for (const piece of this.#pieces) {
      end += piece.length
      this.#ends.push(end)
    }
    this.#text = [this.#text, ...this.#pieces].join('')
    this.#pieces = []
  }
}

/** Entries as a row holds them. Chunks are plain JSON. */
export function storedBody(entries: readonly StoredEntry[]): Value {
  return entries as unknown as Value
}

/** The entries of a row. */
export function entriesOf(leg: number, body: Value): LogEntry[] {
  return (body as unknown as StoredEntry[]).map(([first, chunk, ends]) => new LogEntry(leg, first, chunk, ends))
}
