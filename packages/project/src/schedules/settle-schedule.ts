import { DueTimes } from './due-times.ts'
import type { KnownSchedule } from './known-schedule.ts'
import {
  absentSince,
  asOf,
  type FiredBy,
  LATE_MS,
  LEASE_MS,
  type ScheduleOutcome,
  type ScheduleRecord,
  type Told,
  withTold,
} from './schedule-record.ts'

/** What a schedule comes to when what is past of it is settled. */
export interface Settled extends Told {
  /** The last time that is to be caught up on. */
  readonly missed: number | undefined
  /** From where on times are still to come. */
  readonly from: number
}

/**
 * Settles what is past when an application starts. What the schedule had, and nobody ran, was missed; what came while a version of the
 * application was up that has no such schedule was not run, and nobody missed it; what came a moment ago is still to come. Times that it
 * has had only since now are not past.
 */
export function settledAtStart(before: ScheduleRecord, { schedule, due }: KnownSchedule, now: number): Settled {
  const { record: alive, told: lost } = asOf(before, now)
  const { cron, timeZone = 'UTC' } = schedule
  const times = `${cron} ${timeZone}`
  const isChanged = alive.times !== undefined && alive.times !== times
  const absent = absentSince(alive)
  const from = isChanged || absent !== undefined ? now : now - LATE_MS
  const had = isChanged ? timesOf(alive.times) : due
  const missed = passed(had, { after: alive.settledUntil, until: absent ?? from }, 'missed', now)
  const unknown = absent === undefined ? [] : passed(had, { after: absent, until: now }, 'absent', now)
  const { record, told } = withTold(alive, [...missed, ...unknown])
  const settledUntil = Math.max(alive.settledUntil, from)
  return { record: { ...record, times, settledUntil }, told: [...lost, ...told], missed: missed[0]?.due, from }
}

/** Settles what came up to a time while the application was up, and nobody ran: its machine slept, or its storage did not answer. */
export function settledUpTo(before: ScheduleRecord, { due }: KnownSchedule, until: number, now: number): Told {
  const { record: alive, told: lost } = asOf(before, now)
  const missed = passed(due, { after: alive.settledUntil, until }, 'missed', now)
  const { record, told } = withTold(alive, missed)
  return { record: { ...record, settledUntil: Math.max(alive.settledUntil, until) }, told: [...lost, ...told] }
}

export interface Claim {
  readonly id: string
  readonly due: number
  readonly by: FiredBy
  readonly now: number
}

export interface Claimed extends Told {
  /** `taken`: another has it, or had it; `busy`: the time before is still running, and this one is left out. */
  readonly verdict: 'run' | 'taken' | 'busy'
}

/** Takes a time for one process. What came before it, and nobody ran, was missed. */
export function claimed(before: ScheduleRecord, known: KnownSchedule, { id, due, by, now }: Claim): Claimed {
  // It was written, and whoever wrote it did not hear so.
  if (before.running.some((time) => time.id === id)) return { record: before, told: [], verdict: 'run' }
  const isByTime = by === 'time'
  const { record, told } = isByTime ? settledUpTo(before, known, due - 1, now) : asOf(before, now)
  // What nothing came of is not written.
  if (isByTime && due <= record.settledUntil)
    return { record: told.length === 0 ? before : record, told, verdict: 'taken' }
  const settled = isByTime ? { ...record, settledUntil: due } : record
  const { allowOverlap = false } = known.schedule
  if (record.running.length > 0 && !allowOverlap) {
    const left = withTold(settled, [{ due, by, outcome: 'left-out', at: now }])
    return { record: left.record, told: [...told, ...left.told], verdict: 'busy' }
  }
  const running = { id, due, by, startedAt: now, until: now + LEASE_MS }
  return { record: { ...settled, running: [...record.running, running] }, told, verdict: 'run' }
}

interface Span {
  readonly after: number
  readonly until: number
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
  const many = { ...(count === undefined ? {} : { count }), ...(isMore ? { isMore } : {}) }
  return [{ due: last, outcome, by: 'time', at, ...many }]
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
