import { DueTimes } from './due-times.ts'
import type { KnownSchedule } from './known-schedule.ts'
import { absentSince, type ScheduleOutcome, type ScheduleRecord, withOutcome, withoutDead } from './schedule-record.ts'

/** What a schedule comes to when what is past of it is settled. */
export interface Settled {
  readonly record: ScheduleRecord
  /** What is told of it, the oldest first. */
  readonly told: readonly ScheduleOutcome[]
  /** The last time that is to be caught up on. */
  readonly missed: number | undefined
  /** From where on times are still to come. */
  readonly from: number
}

interface Span {
  readonly after: number
  readonly until: number
}

/**
 * Settles what is past when an application starts. What the schedule had, and nobody ran, was missed; what came while a version of the
 * application was up that has no such schedule was not run, and nobody missed it; what came up to `lateMs` ago is still to come. Times
 * that it has had only since now are not past.
 */
export function settledAtStart(
  before: ScheduleRecord,
  { schedule, due }: KnownSchedule,
  { now, lateMs }: { readonly now: number; readonly lateMs: number },
): Settled {
  const alive = withoutDead(before, now)
  const { cron, timeZone = 'UTC' } = schedule
  const times = `${cron} ${timeZone}`
  const isChanged = alive.times !== undefined && alive.times !== times
  const absent = absentSince(alive)
  const from = isChanged || absent !== undefined ? now : now - lateMs
  const had = isChanged ? timesOf(alive.times) : due
  const missed = passed(had, { after: alive.settledUntil, until: absent ?? from }, 'missed', now)
  const unknown = absent === undefined ? [] : passed(had, { after: absent, until: now }, 'absent', now)
  const record = { ...alive, times, settledUntil: Math.max(alive.settledUntil, from) }
  return settled(record, [...missed, ...unknown], { missed: missed[0]?.due, from })
}

/** Settles what came up to a time while the application was up, and did not run: its machine slept. */
export function settledAsleep(
  before: ScheduleRecord,
  { due }: KnownSchedule,
  { now, until }: { readonly now: number; readonly until: number },
): Settled {
  const alive = withoutDead(before, now)
  const missed = passed(due, { after: alive.settledUntil, until }, 'missed', now)
  const record = { ...alive, settledUntil: Math.max(alive.settledUntil, until) }
  return settled(record, missed, { missed: missed[0]?.due, from: until })
}

function settled(
  record: ScheduleRecord,
  told: readonly ScheduleOutcome[],
  rest: Pick<Settled, 'missed' | 'from'>,
): Settled {
  return { record: told.reduce(withOutcome, record), told, ...rest }
}

/** One outcome for all times of a span; none where it has no time. */
function passed(
  due: DueTimes | undefined,
  { after, until }: Span,
  outcome: 'missed' | 'absent',
  at: number,
): readonly ScheduleOutcome[] {
  const { last, count, isMore } = due?.between(after, until) ?? {}
  if (last === undefined) return []
  return [
    { due: last, outcome, by: 'time', at, ...(count === undefined ? {} : { count }), ...(isMore ? { isMore } : {}) },
  ]
}

/** The times that a record is settled for. What can't be read any more had none. */
function timesOf(times: string = ''): DueTimes | undefined {
  const at = times.lastIndexOf(' ')
  try {
    return new DueTimes({ cron: times.slice(0, at), timeZone: times.slice(at + 1) })
  } catch {
    return undefined
  }
}
