import type { EventPlace, Storage } from '@retinue/core/storage'
import { type LogEntry, storedBody } from './log-entry.ts'
import type { RunLog } from './run-log.ts'

/** How long events may wait for those that come after them, to be written with them. */
const GATHER_MS = 100

/** About how many characters a row holds. */
const ROW_LENGTH = 64_000

/**
 * Writes what a run tells into the storage, for readers that come back when this process is gone. It holds up neither the run nor its
 * readers; what a crash takes away of it, the run tells again, under the numbers of its next leg.
 */
export class LogWriter {
  readonly #storage: Storage
  readonly #runId: string
  readonly #log: RunLog
  readonly #failed: (thrown: unknown) => void
  /** The leg, and the last number of it, that was written. */
  #written: EventPlace
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()
  #isOver = false

  /** `failed` is told once, and nothing more is written. `from`: what comes after it is written. */
  constructor(storage: Storage, runId: string, log: RunLog, from: EventPlace, failed: (thrown: unknown) => void) {
    this.#storage = storage
    this.#runId = runId
    this.#log = log
    this.#written = from
    this.#failed = failed
  }

  /** There is something new. */
  notice(): void {
    if (this.#isOver || this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.flush(), GATHER_MS)
  }

  /** Writes all that there is. It does not reject. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    if (this.#isOver) return
    try {
      for (const row of this.#rows()) {
        const { leg, last } = row
        if (!(await this.#storage.runs.appendEvents({ runId: this.#runId, ...row }))) {
          this.#isOver = true
          return
        }
        this.#written = { leg, seq: last }
      }
    } catch (thrown) {
      this.#isOver = true
      this.#failed(thrown)
    }
  }

  #rows(): { leg: number; first: number; last: number; body: ReturnType<typeof storedBody> }[] {
    const rows: ReturnType<typeof rowOf>[] = []
    let entries: ReturnType<LogEntry['stored']>[] = []
    let length = 0
    let last: LogEntry | undefined
    const close = (): void => {
      if (last && entries.length > 0) rows.push(rowOf(last, entries))
      entries = []
      length = 0
    }
    for (const entry of this.#log.entriesAfter(this.#written)) {
      if (last && entry.leg !== last.leg) close()
      const stored = entry.stored(entry.leg === this.#written.leg ? this.#written.seq : 0)
      entries.push(stored)
      length += JSON.stringify(stored).length
      last = entry
      if (length >= ROW_LENGTH) close()
    }
    close()
    return rows
  }
}

function rowOf(last: LogEntry, entries: ReturnType<LogEntry['stored']>[]) {
  return { leg: last.leg, first: entries[0]?.[0] ?? 1, last: last.last, body: storedBody(entries) }
}
