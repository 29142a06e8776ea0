import type { Chunk } from '@retinue/core/agent'
import type { EventPlace } from '@retinue/core/storage'
import { deltaText, isDelta } from './deltas.ts'
import { isAfter } from './event-id.ts'
import { LogEntry, type RunEvent } from './log-entry.ts'

/**
 * What a run tells, leg by leg, with a number for each event. A reader that lags gets more text at once instead of more events, so
 * neither it nor the run waits for the other.
 */
export class RunLog {
  readonly #entries: LogEntry[] = []
  readonly #waiting = new Set<() => void>()
  #leg = 0
  #seq = 0
  #open = false
  /** About how many characters it holds. */
  size = 0

  /** The leg of its first event; undefined if it has none. */
  get firstLeg(): number | undefined {
    return this.#entries[0]?.leg
  }

  /** Where its last event stands. */
  get end(): EventPlace {
    return { leg: this.#leg, seq: this.#seq }
  }

  /** Whether somebody works on the run, so that more can come. */
  get isOpen(): boolean {
    return this.#open
  }

  /** Begins a leg. Its number is the time, so that legs of other processes are before it; or more, where two begin at once. */
  beginLeg(at: number): number {
    this.#leg = Math.max(this.#leg + 1, at)
    this.#seq = 0
    this.#open = true
    return this.#leg
  }

  append(chunk: Chunk): void {
    this.#seq += 1
    this.size += isDelta(chunk) ? 16 + deltaText(chunk).length : sizeOf(chunk)
    const last = this.#entries.at(-1)
    if (!(last?.leg === this.#leg && last.add(chunk))) this.#entries.push(new LogEntry(this.#leg, this.#seq, chunk))
    this.#wake()
  }

  /** The leg is over. Readers that have read it all are done. */
  endLeg(): void {
    this.#open = false
    this.#wake()
  }

  /** Entries with something after a place, the first of them perhaps in part. */
  entriesAfter(place: EventPlace): readonly LogEntry[] {
    return this.#entries.slice(this.#indexAfter(place))
  }

  /** The next event after a place; undefined if it is not there yet. */
  next(place: EventPlace): RunEvent | undefined {
    const entry = this.#entries[this.#indexAfter(place)]
    return entry?.after(entry.leg === place.leg ? place.seq : 0)
  }

  /** Resolves when there may be more, or the leg is over; `leave` lets go of it. */
  changed(): { readonly promise: Promise<void>; leave(): void } {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const leave = (): void => {
      this.#waiting.delete(resolve)
      resolve()
    }
    return { promise, leave }
  }

  /** Readers that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  #indexAfter(place: EventPlace): number {
    let low = 0
    let high = this.#entries.length
    // Most readers are near the end.
    const last = this.#entries[high - 1]
    if (last && !isAfter({ leg: last.leg, seq: last.last }, place)) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      const entry = this.#entries[middle] as LogEntry
      if (isAfter({ leg: entry.leg, seq: entry.last }, place)) high = middle
      else low = middle + 1
    }
    return low
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}

function sizeOf(chunk: Chunk): number {
  return 100 + JSON.stringify(chunk.payload).length
}
