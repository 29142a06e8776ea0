import type { ScheduleTimes } from '@retinue/core/schedules'
import { Cron } from 'croner'
import { type ClockChange, ZoneClock } from './zone-clock.ts'

/** Times that have passed. */
export interface PassedTimes {
  readonly last: number | undefined
  readonly count: number
  /** There were more, and nobody counted them. */
  readonly isMore: boolean
}

const MINUTE_MS = 60_000

/** How long after the clocks were set that may still matter: no more times than this has minutes are moved. */
const AFTERMATH_MS = 2 * 86_400_000

/**
 * When a schedule is due. Times are milliseconds since 1970.
 *
 * Where clocks are set, it is as the usual cron does it. A schedule whose minutes or hours are all there are, or a step over them, goes by
 * the clock: it has no time that the clock does not show, and an hour that is shown twice has its times twice. The times of any other one
 * come exactly once each: the first time that the clock shows them, and where it never does, in the first minutes after the gap that are
 * no times of its own.
 */
export class DueTimes {
  /** By the fields alone: it is asked for what a clock shows, as if that were UTC. It runs nothing and keeps no timer. */
  readonly #cron: Cron
  readonly #zone: ZoneClock
  readonly #isByTheClock: boolean

  /** Of times that were checked: it throws what croner or Intl throws for what is no cron or no time zone. */
  constructor({ cron, timeZone = 'UTC' }: ScheduleTimes) {
    this.#cron = new Cron(cron, { mode: '5-part', utcOffset: 0, paused: true })
    this.#zone = new ZoneClock(timeZone)
    this.#isByTheClock = isByTheClock(cron)
  }

  /** The first time after one; undefined where there is none any more, such as on the 30th of February. */
  after(time: number): number | undefined {
    let from = time
    let change = this.#zone.nextChange(time - AFTERMATH_MS, time)
    for (;;) {
      const next = this.#afterIn(from, change)
      if (next === undefined) return undefined
      const later = this.#zone.nextChange(Math.max(from, change?.at ?? from), next)
      if (later === undefined) return next
      // The moment of a change is the first that the clocks after it show.
      from = later.at - 1
      change = later
    }
  }

  /** How many times there are after one and up to another, and the last of them. */
  between(after: number, until: number): PassedTimes {
    let count = 0
    let last: number | undefined
    for (let time = this.after(after); time !== undefined && time <= until; time = this.after(time)) {
      last = time
      if (++count === MAX_COUNTED)
        return { last: this.#lastOf(last, until), count, isMore: this.#isWithin(last, until) }
    }
    return { last, count, isMore: false }
  }

  /** The first time after one, as long as the clocks stay as the last change before it left them. */
  #afterIn(time: number, change: ClockChange | undefined): number | undefined {
    const offset = change?.after ?? this.#zone.offsetAt(time)
    const isSetBack = change !== undefined && change.after < change.before
    // What the clocks show again after they were set back has been.
    const shown =
      isSetBack && !this.#isByTheClock ? Math.max(time + offset, change.at + change.before - 1) : time + offset
    const next = shifted(this.#shownAfter(shown), -offset)
    if (change === undefined || isSetBack || this.#isByTheClock) return next
    const moved = this.#movedBy(change).find((one) => one > time)
    return moved === undefined || (next !== undefined && next < moved) ? next : moved
  }

  /** The times that a gap left out, each moved to a minute after it that is no time itself. */
  #movedBy({ at, before, after }: ClockChange): number[] {
    const moved: number[] = []
    let free = Math.ceil(at / MINUTE_MS) * MINUTE_MS
    let shown = this.#shownAfter(at + before - 1)
    while (shown !== undefined && shown < at + after) {
      while (this.#isShown(free + after)) free += MINUTE_MS
      moved.push(free)
      free += MINUTE_MS
      shown = this.#shownAfter(shown)
    }
    return moved
  }

  #shownAfter(shown: number): number | undefined {
    return this.#cron.nextRun(new Date(shown))?.getTime()
  }

  #isShown(shown: number): boolean {
    return this.#shownAfter(shown - 1) === shown
  }

  #isWithin(after: number, until: number): boolean {
    const next = this.after(after)
    return next !== undefined && next <= until
  }

  /** The last time up to one, where `known` is one before it: it is looked for from ever further away. */
  #lastOf(known: number, until: number): number {
    let back = MINUTE_MS
    while (until - back > known && !this.#isWithin(until - back, until)) back *= 2
    let last = known
    const from = Math.max(known, until - back)
    for (let time = this.after(from); time !== undefined && time <= until; time = this.after(time)) last = time
    return last
  }
}

/** A schedule of every minute has half a million times a year, and to find one takes a good part of a millisecond. */
const MAX_COUNTED = 100

/** Whether the minutes or the hours are any, or any that a step leaves: said with a star, or one by one. */
function isByTheClock(cron: string): boolean {
  const [minutes = '', hours = ''] = cron.trim().split(/\s+/)
  const hasStar = [minutes, hours].some((field) => field.split(',').some((part) => /^[*?]/.test(part)))
  return hasStar || valuesOf(minutes).size === 60 || valuesOf(hours).size === 24
}

/** The values that a field of numbers names, such as `1,5-9/2`. */
function valuesOf(field: string): ReadonlySet<number> {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/')
    const [first, last = first] = range.split('-').map(Number)
    if (first === undefined || last === undefined) continue
    for (let value = first; value <= last; value += Number(step)) values.add(value)
  }
  return values
}

function shifted(time: number | undefined, by: number): number | undefined {
  return time === undefined ? undefined : time + by
}
