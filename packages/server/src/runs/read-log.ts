import type { EventPlace } from '@retinue/core/storage'
import type { Source } from '../sse/event-stream.ts'
import type { RunEvent } from './log-entry.ts'
import type { RunLog } from './run-log.ts'

/** Reads a log from a place on: what is there, then what comes, until it is closed. */
export class LogSource implements Source<RunEvent> {
  readonly #log: RunLog
  #place: EventPlace
  #leave: (() => void) | undefined
  #hasLeft = false

  constructor(log: RunLog, after: EventPlace) {
    this.#log = log
    this.#place = after
  }

  take(): RunEvent | undefined {
    const event = this.#log.next(this.#place)
    if (event) this.#place = event
    return event
  }

  async wait(): Promise<boolean> {
    if (this.#hasLeft || !this.#log.isOpen) return false
    const { promise, leave } = this.#log.changed()
    this.#leave = leave
    await promise
    this.#leave = undefined
    return !this.#hasLeft
  }

  leave(): void {
    this.#hasLeft = true
    this.#leave?.()
  }
}
