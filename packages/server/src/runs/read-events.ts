import type { EventPlace, Storage } from '@retinue/core/storage'
import { isAfter } from './event-id.ts'
import { entriesOf, type RunEvent } from './log-entry.ts'
import type { TrackedRun } from './tracked-run.ts'

/** Rows that are read at once. */
const ROWS = 20

/** Reads the events of a run, from a place on: what is stored, then what this process knows, then what comes. */
export class EventReader {
  readonly #storage: Storage
  readonly #runId: string
  readonly #run: TrackedRun | undefined
  #place: EventPlace
  /** Events of the rows that were read, and not handed out. */
  #stored: RunEvent[] = []
  #isStoredRead = false
  #leave: (() => void) | undefined
  #hasLeft = false

  constructor(storage: Storage, runId: string, run: TrackedRun | undefined, after: EventPlace) {
    this.#storage = storage
    this.#runId = runId
    this.#run = run
    this.#place = after
    // Only of legs that this process does not know itself.
    this.#isStoredRead = run?.log.firstLeg !== undefined && after.leg >= run.log.firstLeg
  }

  /** An event that is there; undefined if there is none, or it has to be waited for. */
  take(): RunEvent | undefined {
    const event = this.#stored.shift() ?? (this.#isStoredRead ? this.#run?.log.next(this.#place) : undefined)
    if (event) this.#place = event
    return event
  }

  /** Waits until `take` may give something. False: nothing more will come, or the reader has left. */
  async wait(): Promise<boolean> {
    if (this.#hasLeft) return false
    if (!this.#isStoredRead) {
      await this.#readRows()
      return !this.#hasLeft
    }
    const log = this.#run?.log
    if (!log?.isOpen) return false
    const { promise, leave } = log.changed()
    this.#leave = leave
    await promise
    this.#leave = undefined
    return !this.#hasLeft
  }

  /** Whether all that there is now was read. */
  get isAtEnd(): boolean {
    return this.#isStoredRead && this.#stored.length === 0
  }

  /** Lets go of the run. */
  leave(): void {
    this.#hasLeft = true
    this.#leave?.()
  }

  async #readRows(): Promise<void> {
    const { items, hasMore } = await this.#storage.runs.listEvents({
      runId: this.#runId,
      after: this.#place,
      limit: ROWS,
    })
    const ownLeg = this.#run?.log.firstLeg ?? Number.POSITIVE_INFINITY
    const older = items.filter(({ leg }) => leg < ownLeg)
    for (const { leg, body } of older)
      for (const entry of entriesOf(leg, body))
        if (isAfter({ leg, seq: entry.last }, this.#place))
          this.#stored.push(entry.after(leg === this.#place.leg ? this.#place.seq : 0))
    if (!hasMore || older.length < items.length) this.#isStoredRead = true
  }
}
