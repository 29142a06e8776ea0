import type { Source } from '../sse/event-stream.ts'
import type { RunEvent } from './log-entry.ts'

/** Reads the events of a run beyond the leg in which it is: the legs that follow are begun by whoever decides, one after the other. */
export class LegsReader implements Source<RunEvent> {
  readonly #reader: Source<RunEvent>
  readonly #begun: Promise<unknown>
  readonly #left = Promise.withResolvers<void>()
  #isLast = false

  /** `begun`: resolves when the last leg has begun. */
  constructor(reader: Source<RunEvent>, begun: Promise<unknown>) {
    this.#reader = reader
    this.#begun = begun
  }

  take(): RunEvent | undefined {
    return this.#reader.take()
  }

  async wait(): Promise<boolean> {
    if (await this.#reader.wait()) return true
    if (this.#isLast) return false
    await Promise.race([this.#begun, this.#left.promise])
    this.#isLast = true
    return true
  }

  leave(): void {
    this.#isLast = true
    this.#left.resolve()
    this.#reader.leave()
  }
}
