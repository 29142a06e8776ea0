import type { ScheduleTimes } from '@retinue/core/schedules'
import { Cron } from 'croner'

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

  /** The times after one and up to another, the last `limit` of them at most, and how many there are: at least so many. */
  between(after: number, until: number, limit: number): { readonly times: readonly number[]; readonly count: number } {
    const times: number[] = []
    let count = 0
    for (let time = this.after(after); time !== undefined && time <= until; time = this.after(time)) {
      count++
      times.push(time)
      if (times.length > limit) times.shift()
      if (count >= MAX_COUNTED) return { times: [this.#lastBefore(until) ?? time], count }
    }
    return { times, count }
  }

  #lastBefore(until: number): number | undefined {
    const [last] = this.#cron.previousRuns(1, new Date(until + 1))
    return last?.getTime()
  }
}

/** A schedule of every minute has half a million times a year: nobody counts them all. */
const MAX_COUNTED = 10_000
