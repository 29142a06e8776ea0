import type { Clock } from '../src/schedules/clock.ts'

interface Waiting {
  until: number
  readonly keepAlive: boolean
  readonly end: () => void
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number
  #waiting: Waiting[] = []

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  wait(ms: number, signal: AbortSignal, { keepAlive = false }: { keepAlive?: boolean } = {}): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        resolve()
      }
      const waiting = { until: this.#now + ms, keepAlive, end }
      this.#waiting.push(waiting)
      signal.addEventListener('abort', end)
    })
  }

  /** Whether something that is waited for would keep the process alive. */
  get keepsAlive(): boolean {
    return this.#waiting.some(({ keepAlive }) => keepAlive)
  }

  /** Moves on, and lets everything that was waited for happen in its order. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    await this.settle()
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#now = Math.max(this.#now, next.until)
      next.end()
      await this.settle()
    }
    this.#now = until
  }

  /** Moves on while nobody looks, as a machine does that sleeps. */
  sleep(ms: number): void {
    this.#now += ms
  }

  /** Is set, as clocks are that were wrong: what is waited for takes as long as ever. */
  set(now: number): void {
    this.#waiting = this.#waiting.map((waiting) => Object.assign(waiting, { until: waiting.until + now - this.#now }))
    this.#now = now
  }

  /** Lets what needs no time happen. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  #next(until: number): Waiting | undefined {
    const [first] = this.#waiting.filter((waiting) => waiting.until <= until).sort((a, b) => a.until - b.until)
    return first
  }
}
