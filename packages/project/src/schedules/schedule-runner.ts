import { randomUUID } from 'node:crypto'
import type { ChooseModel, Retinue } from '@retinue/core'
import { RetinueError } from '@retinue/core/errors'
import type { OwnedSchedule } from '../assemble-project.ts'
import { type Clock, systemClock } from './clock.ts'
import { DueTimes } from './due-times.ts'
import { type Fired, fireSchedule } from './fire-schedule.ts'
import {
  absentSince,
  claim,
  type FiredBy,
  finished,
  LEASE_MS,
  renewed,
  type ScheduleOutcome,
  type ScheduleRecord,
  withAbsence,
  withOutcome,
  withoutDead,
} from './schedule-record.ts'
import { ScheduleRecords } from './schedule-records.ts'

export interface ScheduleRunnerOptions {
  /** The application; it must have a storage. */
  readonly app: Retinue
  readonly schedules: readonly OwnedSchedule[]
  readonly resolveModel?: ChooseModel | undefined
  /** Hears of everything that comes of a time: nobody else is there to see it. */
  readonly tell?: (event: ScheduleEvent) => void
  readonly clock?: Clock
}

export interface ScheduleEvent {
  /** `agent/key`. */
  readonly schedule: string
  /** Undefined: it begins. */
  readonly outcome: ScheduleOutcome | undefined
}

/** A schedule as it stands. Times are milliseconds since 1970. */
export interface ScheduleState {
  readonly agent: string
  readonly key: string
  readonly cron: string
  readonly timeZone: string
  readonly description?: string
  readonly next: number | undefined
  readonly isRunning: boolean
  /** The newest first. */
  readonly outcomes: readonly ScheduleOutcome[]
}

interface Settled {
  readonly missed: ScheduleOutcome | undefined
  /** From where on times are still to come. */
  readonly from: number
}

/** A timer may come late; later than this, a process slept, and the time was missed. */
const LATE_MS = 60_000

/** A clock may be set, and a machine may sleep: the time is looked at again and again. */
const LOOK_MS = 30_000

/** How long what was aborted is waited for, and then how long the storage gets to keep that it was. */
const LAST_MS = 1_000

/** Runs the schedules of an application while it is up. Of any number of processes over one storage, one runs each time. */
export class ScheduleRunner {
  readonly #options: ScheduleRunnerOptions
  readonly #clock: Clock
  readonly #records: ScheduleRecords
  /** No further time begins. */
  readonly #stopping = new AbortController()
  /** What runs is to end. */
  readonly #ending = new AbortController()
  /** What has not ended then is not waited for any more. */
  readonly #givingUp = new AbortController()
  readonly #work = new Set<Promise<unknown>>()

  /** Throws `application-invalid` if the application has no storage. */
  constructor(options: ScheduleRunnerOptions) {
    const { app, clock = systemClock } = options
    if (app.storage === undefined) {
      throw new RetinueError({
        code: 'application-invalid',
        message: 'An application with schedules needs a storage, in which it is kept when they ran.',
        hint: "Write a storage.ts: export default new LibSQLStore({ id: 'app', url: 'file:app.db' })",
      })
    }
    this.#options = options
    this.#clock = clock
    this.#records = new ScheduleRecords(app.storage)
  }

  /**
   * Tells what was missed, and runs every schedule when it is due from now on; and what was due a moment ago, if nobody ran it: one
   * process may just have ended where this one begins. Resolves once that is settled.
   */
  async start(): Promise<void> {
    await this.#markAbsent()
    const followed = await Promise.all(
      this.#options.schedules.map(async (owned) => {
        const now = this.#clock.now()
        return { owned, now, ...(await this.#settle(owned, now - LATE_MS)) }
      }),
    )
    for (const { owned, now, from, missed } of followed) {
      const isDue = new DueTimes(owned.schedule).between(from, now).last !== undefined
      // A time that comes now does for those that were missed.
      if (missed !== undefined && owned.schedule.catchUp && !isDue) this.#run(owned, missed.due, 'catch-up')
      this.#track(this.#follow(owned, from))
    }
  }

  /** Runs a schedule now, by hand. Throws `schedule-unknown`. */
  async fire(agent: string, key: string): Promise<Fired & { readonly ran: boolean }> {
    const owned = this.#options.schedules.find((known) => known.agent === agent && known.key === key)
    if (owned === undefined) throw unknownSchedule(nameOf({ agent, key }), this.#options.schedules.map(nameOf))
    const fired = this.#fire(owned, this.#clock.now(), 'hand')
    // Whoever asked hears what went wrong; to end, it is waited for all the same.
    const settled = fired.then(
      () => {},
      () => {},
    )
    this.#track(settled)
    return fired
  }

  /** All schedules as they stand. */
  list(): Promise<readonly ScheduleState[]> {
    const now = this.#clock.now()
    return Promise.all(
      this.#options.schedules.map(async (owned) => {
        const { agent, key, schedule } = owned
        const { cron, timeZone = 'UTC', description } = schedule
        const record = await this.#records.read(nameOf(owned))
        const next = new DueTimes(schedule).after(now)
        const isRunning = record?.running.some(({ until }) => until > now) ?? false
        const told = description === undefined ? {} : { description }
        return { agent, key, cron, timeZone, ...told, next, isRunning, outcomes: record?.outcomes ?? [] }
      }),
    )
  }

  /**
   * Begins nothing any more, and waits for what runs; what has not ended after `graceMs` is aborted, and what pays no heed to that is
   * given up a second later. Of each it is kept that it was aborted, so that no process takes it for running. To stop twice is harmless,
   * and the shorter grace counts.
   */
  async stop(graceMs: number = 10_000): Promise<void> {
    this.#stopping.abort()
    const done = new AbortController()
    const ended = Promise.allSettled(this.#work).then(() => done.abort())
    const wait = (ms: number): Promise<void> => Promise.race([ended, this.#clock.wait(ms, done.signal)])
    await wait(graceMs)
    this.#ending.abort()
    await wait(LAST_MS)
    this.#givingUp.abort()
    // A storage that does not answer keeps nobody: the next process tells it as lost.
    await wait(LAST_MS)
  }

  /** Waited for at the end. */
  #track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.#work.delete(tracked))
    this.#work.add(tracked)
  }

  /** The same of a time that nobody else waits for. */
  #run(owned: OwnedSchedule, due: number, by: FiredBy): void {
    this.#track(this.#fire(owned, due, by).catch((error: unknown) => this.#tellBroken(owned, error)))
  }

  /**
   * Marks what an earlier version had and this one has not: nobody misses its times from now on. An earlier version has an agent in
   * common with this one; what has none is another application over the same storage.
   */
  async #markAbsent(): Promise<void> {
    const { app, schedules } = this.#options
    const now = this.#clock.now()
    const agents = Object.keys(app.listAgents())
    const own = Object.fromEntries(schedules.map((owned) => [nameOf(owned), agents]))
    const before = await this.#records.addToRoster(own, now)
    const isAbsent = ([name, others]: [string, readonly string[]]): boolean =>
      !Object.hasOwn(own, name) && others.some((agent) => agents.includes(agent))
    const absent = Object.entries(before).filter(isAbsent)
    const mark = (record: ScheduleRecord) => ({ record: withAbsence(record, now), result: undefined })
    await Promise.all(absent.map(([name]) => this.#records.change(name, now, mark)))
  }

  /**
   * Settles what is past, up to a time: what of it nobody ran was missed, and is told and given; and from where on times are still to
   * come. Times that it did not have then nobody has missed, and none of them is still to come.
   */
  async #settle(owned: OwnedSchedule, until: number): Promise<Settled> {
    const now = this.#clock.now()
    const settled = await this.#change<Settled>(owned, (before) => {
      const record = withoutDead(before, now)
      const { cron, timeZone = 'UTC' } = owned.schedule
      const times = `${cron} ${timeZone}`
      const isChanged = record.times !== undefined && record.times !== times
      const absent = absentSince(before)
      const from = isChanged || absent !== undefined ? now : until
      const after = { ...record, times, settledUntil: Math.max(record.settledUntil, from) }
      const upTo = isChanged ? record.settledUntil : Math.min(until, absent ?? until)
      const { last, count, isMore } = new DueTimes(owned.schedule).between(record.settledUntil, upTo)
      if (last === undefined) return { record: after, result: { missed: undefined, from } }
      const many = { count, ...(isMore ? { isMore } : {}) }
      const missed: ScheduleOutcome = { due: last, outcome: 'missed', by: 'time', at: now, ...many }
      return { record: withOutcome(after, missed), result: { missed, from } }
    })
    if (settled.missed !== undefined) this.#tell(owned, settled.missed)
    return settled
  }

  async #follow(owned: OwnedSchedule, start: number): Promise<void> {
    const times = new DueTimes(owned.schedule)
    const { signal } = this.#stopping
    let from = start
    for (let due = times.after(from); due !== undefined && !signal.aborted; due = times.after(from)) {
      const now = this.#clock.now()
      if (now < due) {
        await this.#clock.wait(Math.min(due - now, LOOK_MS), signal)
        continue
      }
      // After a sleep several times may have passed: those are missed, and only the last one may still be in time.
      const passed = times.between(from, now)
      const last = passed.last ?? due
      from = last
      const isLate = now - last > LATE_MS
      if (isLate || passed.count > 1) await this.#settleOrTell(owned, isLate ? last : last - 1)
      if (!isLate) this.#run(owned, last, 'time')
    }
  }

  /** What the storage refuses now must not keep the times that come from being run. */
  async #settleOrTell(owned: OwnedSchedule, until: number): Promise<void> {
    await this.#settle(owned, until).catch((error: unknown) => this.#tellBroken(owned, error))
  }

  async #fire(owned: OwnedSchedule, due: number, by: FiredBy): Promise<Fired & { readonly ran: boolean }> {
    const { allowOverlap = false } = owned.schedule
    const id = randomUUID()
    const verdict = await this.#change(owned, (record) => {
      const claimed = claim(record, { id, due, by, now: this.#clock.now(), allowOverlap })
      return { record: claimed.record, result: claimed.verdict }
    })
    if (verdict === 'busy') this.#tell(owned, { due, by, outcome: 'left-out', at: this.#clock.now() })
    if (verdict !== 'run') return { outcome: 'left-out', ran: false }
    this.#tell(owned, undefined)
    const startedAt = this.#clock.now()
    const ended = new AbortController()
    const alive = this.#stayAlive(owned, id, ended.signal)
    const { app, resolveModel } = this.#options
    const [signal, givenUp] = [this.#ending.signal, this.#givingUp.signal]
    const fired = await fireSchedule({ owned, due, id, app, resolveModel, signal, givenUp })
    ended.abort()
    await alive
    const { text: _, ...told } = fired
    const at = this.#clock.now()
    const outcome = { due, by, at, ms: at - startedAt, ...told }
    await this.#change(owned, (record) => ({ record: finished(record, id, outcome), result: undefined }))
    this.#tell(owned, outcome)
    return { ...fired, ran: true }
  }

  async #stayAlive(owned: OwnedSchedule, id: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.wait(LEASE_MS / 3, signal)
      if (signal.aborted) return
      const change = this.#change(owned, (record) => {
        return { record: renewed(record, id, this.#clock.now()), result: undefined }
      })
      await change.catch((error: unknown) => this.#tellBroken(owned, error))
    }
  }

  #change<R>(
    owned: OwnedSchedule,
    change: (record: ScheduleRecord) => { readonly record: ScheduleRecord; readonly result: R },
  ): Promise<R> {
    return this.#records.change(nameOf(owned), this.#clock.now(), change)
  }

  #tell(owned: OwnedSchedule, outcome: ScheduleOutcome | undefined): void {
    this.#options.tell?.({ schedule: nameOf(owned), outcome })
  }

  /** The storage failed: a time may be lost, and the next one is tried as ever. */
  #tellBroken(owned: OwnedSchedule, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    const at = this.#clock.now()
    this.#tell(owned, { due: at, at, by: 'time', outcome: 'failed', error: { message } })
  }
}

/** What a schedule is called wherever it is told of. */
function nameOf({ agent, key }: Pick<OwnedSchedule, 'agent' | 'key'>): string {
  return `${agent}/${key}`
}

function unknownSchedule(name: string, known: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'schedule-unknown',
    message: `There is no schedule "${name}".`,
    hint: known.length === 0 ? 'The project has none.' : `Its schedules are ${known.join(', ')}.`,
  })
}
