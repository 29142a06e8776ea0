import { randomUUID } from 'node:crypto'
import type { ChooseModel, Retinue } from '@retinue/core'
import { RetinueError } from '@retinue/core/errors'
import type { OwnedSchedule } from '../assemble-project.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Fired, fireSchedule } from './fire-schedule.ts'
import { type KnownSchedule, knownSchedule } from './known-schedule.ts'
import {
  claim,
  type FiredBy,
  finished,
  LEASE_MS,
  renewed,
  type ScheduleOutcome,
  type ScheduleRecord,
  withAbsence,
} from './schedule-record.ts'
import { ScheduleRecords } from './schedule-records.ts'
import { type Settled, settledAsleep, settledAtStart } from './settle-schedule.ts'
import { toldError } from './told-error.ts'

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
  readonly #schedules: readonly KnownSchedule[]
  /** No further time begins. */
  readonly #stopping = new AbortController()
  /** What runs is to end. */
  readonly #ending = new AbortController()
  /** What has not ended then is not waited for any more. */
  readonly #givingUp = new AbortController()
  readonly #work = new Set<Promise<unknown>>()

  /** Throws `application-invalid` if the application has no storage, or a schedule can't run when and as it says. */
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
    this.#schedules = options.schedules.map(knownSchedule)
  }

  /**
   * Tells what was missed, and runs every schedule when it is due from now on; and what was due a moment ago, if nobody ran it: one
   * process may just have ended where this one begins. Resolves once that is settled.
   */
  start(): Promise<void> {
    const started = this.#start()
    // To end, it is waited for, too: what it settles is written.
    this.#track(started)
    return started
  }

  /** Runs a schedule now, by hand. Throws `schedule-unknown`. */
  async fire(agent: string, key: string): Promise<Fired & { readonly ran: boolean }> {
    const known = this.#schedules.find((one) => one.agent === agent && one.key === key)
    if (known === undefined) throw unknownSchedule(`${agent}/${key}`, this.#schedules)
    const fired = this.#fire(known, this.#clock.now(), 'hand')
    this.#track(fired)
    return fired
  }

  /** All schedules as they stand. */
  list(): Promise<readonly ScheduleState[]> {
    const now = this.#clock.now()
    return Promise.all(
      this.#schedules.map(async ({ agent, key, schedule, name, due }) => {
        const { cron, timeZone = 'UTC', description } = schedule
        const record = await this.#records.read(name)
        const next = due.after(now)
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
    const wait = (ms: number): Promise<void> =>
      Promise.race([ended, this.#clock.wait(ms, done.signal, { keepAlive: true })])
    await wait(graceMs)
    this.#ending.abort()
    await wait(LAST_MS)
    this.#givingUp.abort()
    // A storage that does not answer keeps nobody: the next process tells it as lost.
    await wait(LAST_MS)
  }

  async #start(): Promise<void> {
    await this.#markAbsent()
    const followed = await Promise.all(
      this.#schedules.map(async (known) => {
        const now = this.#clock.now()
        return { known, now, ...(await this.#settle(known, settledAtStart, { now, lateMs: LATE_MS })) }
      }),
    )
    for (const { known, now, from, missed } of followed) {
      const isDue = known.due.between(from, now).last !== undefined
      // A time that comes now does for those that were missed.
      if (missed !== undefined && known.schedule.catchUp && !isDue) this.#run(known, missed, 'catch-up')
      this.#track(this.#follow(known, from))
    }
  }

  /** Waited for at the end. Whoever asked for it hears what goes wrong. */
  #track(work: Promise<unknown>): void {
    const tracked = work
      .then(
        () => {},
        () => {},
      )
      .finally(() => this.#work.delete(tracked))
    this.#work.add(tracked)
  }

  /**
   * One that nobody else waits for. Once all is to stop, a time is left to whoever starts next; that of a catch-up was given to this
   * process.
   */
  #run(known: KnownSchedule, due: number, by: FiredBy): void {
    if (by === 'time' && this.#stopping.signal.aborted) return
    this.#track(this.#fire(known, due, by).catch((error: unknown) => this.#tellBroken(known, error)))
  }

  /**
   * Marks what an earlier version had and this one has not: nobody misses its times from now on. An earlier version has an agent in
   * common with this one; what has none is another application over the same storage.
   */
  async #markAbsent(): Promise<void> {
    const now = this.#clock.now()
    const agents = Object.keys(this.#options.app.listAgents())
    const own = Object.fromEntries(this.#schedules.map(({ name }) => [name, agents]))
    const before = await this.#records.addToRoster(own, now)
    const isAbsent = ([name, others]: [string, readonly string[]]): boolean =>
      !Object.hasOwn(own, name) && others.some((agent) => agents.includes(agent))
    const absent = Object.entries(before).filter(isAbsent)
    const mark = (record: ScheduleRecord) => ({ record: withAbsence(record, now), result: undefined })
    await Promise.all(absent.map(([name]) => this.#records.change(name, now, mark)))
  }

  async #settle<O>(
    known: KnownSchedule,
    settle: (before: ScheduleRecord, known: KnownSchedule, options: O) => Settled,
    options: O,
  ): Promise<Settled> {
    const settled = await this.#change(known, (before) => {
      const result = settle(before, known, options)
      return { record: result.record, result }
    })
    for (const outcome of settled.told) this.#tell(known, outcome)
    return settled
  }

  async #follow(known: KnownSchedule, start: number): Promise<void> {
    const { due: times } = known
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
      if (isLate || passed.count > 1) await this.#settleAsleep(known, isLate ? last : last - 1)
      if (!isLate) this.#run(known, last, 'time')
    }
  }

  /** What the storage refuses now must not keep the times that come from being run. */
  async #settleAsleep(known: KnownSchedule, until: number): Promise<void> {
    const settled = this.#settle(known, settledAsleep, { now: this.#clock.now(), until })
    await settled.catch((error: unknown) => this.#tellBroken(known, error))
  }

  async #fire(known: KnownSchedule, due: number, by: FiredBy): Promise<Fired & { readonly ran: boolean }> {
    const { allowOverlap = false } = known.schedule
    const id = randomUUID()
    const verdict = await this.#change(known, (record) => {
      const claimed = claim(record, { id, due, by, now: this.#clock.now(), allowOverlap })
      return { record: claimed.record, result: claimed.verdict }
    })
    if (verdict === 'busy') this.#tell(known, { due, by, outcome: 'left-out', at: this.#clock.now() })
    if (verdict !== 'run') return { outcome: 'left-out', ran: false }
    this.#tell(known, undefined)
    const startedAt = this.#clock.now()
    const fired = await this.#perform(known, due, id)
    const { text: _, ...told } = fired
    const at = this.#clock.now()
    const outcome = { due, by, at, ms: at - startedAt, ...told }
    await this.#change(known, (record) => ({ record: finished(record, id, outcome), result: undefined }))
    this.#tell(known, outcome)
    return { ...fired, ran: true }
  }

  /** What a time does, as long as it does it this process says that it is alive. */
  async #perform(known: KnownSchedule, due: number, id: string): Promise<Fired> {
    // It was claimed while all began to end.
    if (this.#stopping.signal.aborted) return { outcome: 'aborted' }
    const { app, resolveModel } = this.#options
    const ended = new AbortController()
    const alive = this.#stayAlive(known, id, ended.signal)
    const [signal, givenUp] = [this.#ending.signal, this.#givingUp.signal]
    try {
      return await fireSchedule({ owned: known, due, id, app, resolveModel, signal, givenUp })
    } finally {
      ended.abort()
      await alive
    }
  }

  async #stayAlive(known: KnownSchedule, id: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.wait(LEASE_MS / 3, signal, { keepAlive: true })
      if (signal.aborted) return
      const change = this.#change(known, (record) => {
        return { record: renewed(record, id, this.#clock.now()), result: undefined }
      })
      await change.catch((error: unknown) => this.#tellBroken(known, error))
    }
  }

  #change<R>(
    known: KnownSchedule,
    change: (record: ScheduleRecord) => { readonly record: ScheduleRecord; readonly result: R },
  ): Promise<R> {
    return this.#records.change(known.name, this.#clock.now(), change)
  }

  #tell(known: KnownSchedule, outcome: ScheduleOutcome | undefined): void {
    this.#options.tell?.({ schedule: known.name, outcome })
  }

  /** The storage failed: a time may be lost, and the next one is tried as ever. */
  #tellBroken(known: KnownSchedule, error: unknown): void {
    const at = this.#clock.now()
    this.#tell(known, { due: at, at, by: 'time', outcome: 'failed', error: toldError(error) })
  }
}

function unknownSchedule(name: string, known: readonly KnownSchedule[]): RetinueError {
  return new RetinueError({
    code: 'schedule-unknown',
    message: `There is no schedule "${name}".`,
    hint:
      known.length === 0 ? 'The project has none.' : `Its schedules are ${known.map((one) => one.name).join(', ')}.`,
  })
}
