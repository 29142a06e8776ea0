import type { ScheduleTimes } from '@retinue/core/schedules'
import { Cron } from 'croner'

/** Times that have passed. */
export interface PassedTimes {
  readonly last: number | undefined
  readonly count: number
  /** There were more, and nobody counted them. */
  readonly isMore: boolean
}

/** When a schedule is due. Times are milliseconds since 1970. */
export class DueTimes {
  readonly #cron: Cron

  constructor({ cron, timeZone = 'UTC' }: ScheduleTimes) {
    // It is asked for times and nothing else: it runs nothing and keeps no timer.
    this.#cron = new Cron(cron, { mode: '5-part', timezone: timeZone, paused: true })
  }

  /** The first time after one; undefined where there is none any more, such as on the 30th of February. */
  after(time: number): number | undefined {
    return this.#cron.nextRun(new Date(time))?.getTime()
  }

  /** How many times there are after one and up to another, and the last of them. */
  between(after: number, until: number): PassedTimes {
    let count = 0
    let last: number | undefined
    for (let time = this.after(after); time !== undefined && time <= until; time = this.after(time)) {
      last = time
      if (++count === MAX_COUNTED)
        return { last: this.#lastBefore(until) ?? last, count, isMore: this.#isMore(last, until) }
    }
    return { last, count, isMore: false }
  }

  #isMore(after: number, until: number): boolean {
    const next = this.after(after)
    return next !== undefined && next <= until
  }

  #lastBefore(until: number): number | undefined {
    const [last] = this.#cron.previousRuns(1, new Date(until + 1))
    return last?.getTime()
  }
}

/** A schedule of every minute has half a million times a year, and to find one takes a good part of a millisecond. */
const MAX_COUNTED = 100
