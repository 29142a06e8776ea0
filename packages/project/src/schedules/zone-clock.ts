/** A moment at which the clocks of a time zone are set. Offsets are milliseconds east of UTC. */
export interface ClockChange {
  readonly at: number
  readonly before: number
  readonly after: number
}

const DAY_MS = 86_400_000

/** The clocks of a zone are never set twice within so long. */
const STEP_MS = 7 * DAY_MS

/** What the clocks of a time zone show. Times are milliseconds since 1970. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat | undefined

  constructor(timeZone: string) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
    const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
    const isPlain = /^(?:Etc\/)?UTC$/i.test(timeZone)
    // Nothing is asked of a zone whose answer is known.
    if (!isPlain) this.#format = new Intl.DateTimeFormat('en-US', { timeZone, ...fields, ...time })
  }

  /** How far the clocks are ahead of UTC. */
  offsetAt(time: number): number {
    if (this.#format === undefined) return 0
    const shown = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0
    const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return wall - Math.floor(time / 1000) * 1000
  }

  /** The first change after one time and up to another. */
  nextChange(after: number, until: number): ClockChange | undefined {
    let from = after
    let before = this.offsetAt(from)
    while (from < until) {
      const to = Math.min(from + STEP_MS, until)
      const offset = this.offsetAt(to)
      if (offset !== before) return this.#changeWithin(from, to, before)
      from = to
      before = offset
    }
    return undefined
  }

  #changeWithin(from: number, to: number, before: number): ClockChange {
    let [low, high] = [from, to]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.offsetAt(middle) === before) low = middle
      else high = middle
    }
    return { at: high, before, after: this.offsetAt(high) }
  }
}
