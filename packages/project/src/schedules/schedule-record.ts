/** What came of a time of a schedule. Times are milliseconds since 1970. */
export interface ScheduleOutcome {
  /** Of a time that ran: what its thread is called after. */
  readonly id?: string
  readonly due: number
  /**
   * `missed`: no application was running. `absent`: the one that was up had no such schedule. `left-out`: it was still running from the
   * time before. `lost`: its process ended in the middle. `waiting`: the run waits for a person. `aborted`: the application ended first, or
   * a signal of its handler's own.
   */
  readonly outcome: 'completed' | 'failed' | 'waiting' | 'aborted' | 'missed' | 'absent' | 'left-out' | 'lost'
  readonly by: FiredBy
  readonly at: number
  /** How long it ran, in milliseconds. */
  readonly ms?: number
  /** How many times were missed or absent, up to this one. */
  readonly count?: number
  /** There were more than `count`: so many nobody counts. */
  readonly isMore?: boolean
  readonly threadId?: string
  readonly error?: { readonly code?: string; readonly message: string }
}

export type FiredBy = 'time' | 'catch-up' | 'hand'

/** A time that is running, and until when its process is trusted to be alive. */
export interface RunningTime {
  readonly id: string
  readonly due: number
  readonly by: FiredBy
  readonly startedAt: number
  readonly until: number
}

/** What is kept of a schedule, as plain JSON. */
export interface ScheduleRecord {
  /** Times up to here have been run, left out, or told as missed. */
  readonly settledUntil: number
  /** The times that it is settled for: the cron and the time zone. */
  readonly times?: string
  /** When a version of the application began that has no such schedule. One that runs it later than that has it again. */
  readonly absentSince?: number
  readonly running: readonly RunningTime[]
  /** The newest first. */
  readonly outcomes: readonly ScheduleOutcome[]
}

/** How many outcomes are kept. */
const KEPT = 50

/** How long a process is trusted to be alive without saying so. */
export const LEASE_MS = 60_000

export function newRecord(now: number): ScheduleRecord {
  return { settledUntil: now, running: [], outcomes: [] }
}

/** With an outcome more. */
function withOutcome(record: ScheduleRecord, outcome: ScheduleOutcome): ScheduleRecord {
  return { ...record, outcomes: [outcome, ...record.outcomes].slice(0, KEPT) }
}

/** Since when no version has it; undefined if one does. */
export function absentSince({ absentSince: since, settledUntil }: ScheduleRecord): number | undefined {
  return since !== undefined && since >= settledUntil ? since : undefined
}

/** A version has begun that has no such schedule. */
export function withAbsence(record: ScheduleRecord, now: number): ScheduleRecord {
  return absentSince(record) === undefined ? { ...record, absentSince: now } : record
}

/** A timer may come late; later than this, a process slept, and the time was missed. */
export const LATE_MS = 60_000

/** A clock that was this far ahead was wrong: those of processes that share a storage are nearer to each other. */
export const AHEAD_MS = 3_600_000

/** A record, and what came of times that is to be told, the oldest first. */
export interface Told {
  readonly record: ScheduleRecord
  readonly told: readonly ScheduleOutcome[]
}

/**
 * A record as it is now: the times whose process is not alive any more are lost. What was written while a clock was far ahead holds as
 * little: else nothing would be due until then.
 */
export function asOf(before: ScheduleRecord, now: number): Told {
  const isAlive = ({ until }: RunningTime): boolean => until > now && until <= now + LEASE_MS + AHEAD_MS
  const { absentSince, ...rest } = before
  const isPast = absentSince !== undefined && absentSince <= now + AHEAD_MS
  const record: ScheduleRecord = {
    ...rest,
    ...(isPast ? { absentSince } : {}),
    settledUntil: before.settledUntil > now + AHEAD_MS ? now - LATE_MS : before.settledUntil,
    running: before.running.filter(isAlive),
  }
  const dead = before.running.filter((time) => !isAlive(time))
  return withTold(
    record,
    dead.map(({ due, by }) => ({ due, by, outcome: 'lost', at: now })),
  )
}

/** With outcomes more, which are told. */
export function withTold(record: ScheduleRecord, told: readonly ScheduleOutcome[]): Told {
  return { record: told.reduce(withOutcome, record), told }
}

/** Says that the process of a time is alive. */
export function renewed(record: ScheduleRecord, id: string, now: number): ScheduleRecord {
  const running = record.running.map((time) => (time.id === id ? { ...time, until: now + LEASE_MS } : time))
  return { ...record, running }
}

/** A time has ended. One that was given up as lost has, too, and that stays told. To say it again changes nothing. */
export function finished(record: ScheduleRecord, id: string, outcome: ScheduleOutcome): ScheduleRecord {
  if (record.outcomes.some((kept) => kept.id === id)) return record
  return withOutcome({ ...record, running: record.running.filter((time) => time.id !== id) }, outcome)
}
