/** A promise that has not settled after so much time, in milliseconds, hangs. */
const HUNG_AFTER_MS = 3_600_000

interface Timer {
  readonly due: number
  readonly sequence: number
  readonly callback: () => void
}

/**
 * Stands in for `Date.now` and `setTimeout`: time passes only while nothing else is to be done, and then at once, up to the next timer. So
 * an hour costs what happens in it, and everything happens in the same order each time.
 */
export class EventClock {
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now }
  readonly #timers = new Map<object, Timer>()
  #now: number
  #sequence = 0
  readonly #digest = crypto.subtle.digest.bind(crypto.subtle)
  #digests = 0

  constructor(start = 1_000_000) {
    this.#now = start
    globalThis.setTimeout = ((callback: () => void, milliseconds = 0) => {
      const timer = { unref: () => timer, ref: () => timer }
      this.#timers.set(timer, {
        due: Math.ceil(this.#now + Math.max(0, milliseconds)),
        sequence: ++this.#sequence,
        callback,
      })
      return timer
    }) as unknown as typeof setTimeout
    globalThis.clearTimeout = ((timer: object) => {
      if (!this.#timers.delete(timer)) this.#real.clearTimeout(timer as never)
    }) as typeof clearTimeout
    Date.now = () => this.#now
    // Digests are made by other threads, at times of their own.
    crypto.subtle.digest = async (...values) => {
      this.#digests += 1
      try {
        return await this.#digest(...values)
      } finally {
        this.#digests -= 1
      }
    }
  }

  now(): number {
    return this.#now
  }

  /** Lets everything happen that needs no time. */
  async settled(): Promise<void> {
    do {
      for (let tick = 0; tick < 2; tick++) await new Promise<void>((resolve) => setImmediate(resolve))
    } while (this.#digests > 0)
  }

  /** Lets so much time pass, and everything happen that is due by then. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds
    await this.settled()
    for (let next = this.#next(); next && next[1].due <= until; next = this.#next()) await this.#fire(next)
    this.#now = Math.max(this.#now, until)
  }

  /** Lets time pass until a promise has settled. Rejects if it does not. */
  async until<T>(promise: PromiseLike<T>): Promise<T> {
    const limit = this.#now + HUNG_AFTER_MS
    let isDone = false
    const done = (): void => {
      isDone = true
    }
    promise.then(done, done)
    await this.settled()
    while (!isDone) {
      const next = this.#next()
      if (!next || next[1].due > limit) throw new Error(`it hangs, ${next ? 'an hour later' : 'and no clock runs'}`)
      await this.#fire(next)
    }
    return promise
  }

  /** Gives the real ones back. */
  restore(): void {
    globalThis.setTimeout = this.#real.setTimeout
    globalThis.clearTimeout = this.#real.clearTimeout
    Date.now = this.#real.now
    this.#timers.clear()
    Reflect.deleteProperty(crypto.subtle, 'digest')
  }

  #next(): [object, Timer] | undefined {
    let first: [object, Timer] | undefined
    for (const entry of this.#timers) if (!first || isBefore(entry[1], first[1])) first = entry
    return first
  }

  async #fire([key, { due, callback }]: [object, Timer]): Promise<void> {
    this.#timers.delete(key)
    this.#now = Math.max(this.#now, due)
    callback()
    await this.settled()
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.due < other.due || (one.due === other.due && one.sequence < other.sequence)
}
