import { randomUUID } from 'node:crypto'
import type { ChooseModel, Retinue } from '@retinue/core'
import { RetinueError } from '@retinue/core/errors'
import type { OwnedSchedule } from '../assemble-project.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Fired, fireSchedule } from './fire-schedule.ts'
import { type KnownSchedule, knownSchedule } from './known-schedule.ts'
import { ScheduleLedger } from './schedule-ledger.ts'
import { AHEAD_MS, type FiredBy, LATE_MS, LEASE_MS, type RunningTime, type ScheduleOutcome } from './schedule-record.ts'
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

interface Performed {
  readonly id: string
  readonly due: number
  readonly by: FiredBy
}

/** A clock may be set, and a machine may sleep: the time is looked at again and again. */
const LOOK_MS = 30_000

/** How long what was aborted is waited for, and then how long the storage gets to keep that it was. */
const LAST_MS = 1_000

/** Runs the schedules of an application while it is up. Of any number of processes over one storage, one runs each time. */
export class ScheduleRunner {
  readonly #options: ScheduleRunnerOptions
  readonly #clock: Clock
  readonly #ledger: ScheduleLedger
  readonly #schedules: readonly KnownSchedule[]
  /** No further time begins. */
  readonly #stopping = new AbortController()
  /** What runs is to end. */
  readonly #ending = new AbortController()
  /** What has not ended then is not waited for any more. */
  readonly #givingUp = new AbortController()
  readonly #work = new Set<Promise<unknown>>()
  /** The schedules of which something runs, until that has ended or is lost. */
  readonly #attended = new Set<KnownSchedule>()

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
    const tell = (known: KnownSchedule, outcome: ScheduleOutcome): void => this.#tell(known, outcome)
    this.#ledger = new ScheduleLedger({ storage: app.storage, clock, tell })
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

  /** Runs a schedule now, by hand: `agent/key`. Throws `schedule-unknown`. */
  async fire(name: string): Promise<Fired & { readonly ran: boolean }> {
    const fired = this.#fire(this.#known(name), this.#clock.now(), 'hand')
    this.#track(fired)
    return fired
  }

  /** All schedules as they stand. */
  list(): Promise<readonly ScheduleState[]> {
    return Promise.all(this.#schedules.map((known) => this.#state(known)))
  }

  /** One of them, `agent/key`. Throws `schedule-unknown`. */
  async find(name: string): Promise<ScheduleState> {
    return this.#state(this.#known(name))
  }

  /**
   * Begins nothing any more, and waits for what runs; what has not ended after `graceMs` is aborted, and what pays no heed to that is
   * given up a second later. Of each it is kept that it was aborted, so that no process takes it for running. To stop twice is harmless,
   * and the shorter grace counts.
   */
  async stop(graceMs: number = 10_000): Promise<void> {
    this.#stopping.abort()
    const done = new AbortController()
    const ended = this.#idle().then(() => done.abort())
    const wait = (ms: number): Promise<void> =>
      Promise.race([ended, this.#clock.wait(ms, done.signal, { keepAlive: true })])
    await wait(graceMs)
    this.#ending.abort()
    await wait(LAST_MS)
    this.#givingUp.abort()
    // A storage that does not answer keeps nobody: the next process tells it as lost.
    await wait(LAST_MS)
  }

  /** Until nothing is at work any more, also nothing that begins meanwhile. */
  async #idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #known(name: string): KnownSchedule {
    const known = this.#schedules.find((one) => one.name === name)
    if (known !== undefined) return known
    const names = this.#schedules.map((one) => one.name)
    throw new RetinueError({
      code: 'schedule-unknown',
      message: `There is no schedule "${name}".`,
      hint: names.length === 0 ? 'The project has none.' : `Its schedules are ${names.join(', ')}.`,
    })
  }

  async #state(known: KnownSchedule): Promise<ScheduleState> {
    const { agent, key, due } = known
    const { cron, timeZone = 'UTC', description } = known.schedule
    const { running = [], outcomes = [] } = (await this.#ledger.read(known)) ?? {}
    const told = description === undefined ? {} : { description }
    const next = due.after(this.#clock.now())
    return { agent, key, cron, timeZone, ...told, next, isRunning: running.length > 0, outcomes }
  }

  async #start(): Promise<void> {
    await this.#ledger.markAbsent(this.#schedules, Object.keys(this.#options.app.listAgents()))
    const followed = await Promise.all(
      this.#schedules.map(async (known) => {
        const now = this.#clock.now()
        return { known, now, ...(await this.#ledger.settleAtStart(known, now)) }
      }),
    )
    for (const { known, now, from, missed, record } of followed) {
      this.#attend(known, record.running)
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

  /** One that nobody else waits for. */
  #run(known: KnownSchedule, due: number, by: FiredBy): void {
    this.#track(this.#fire(known, due, by).catch((error: unknown) => this.#tellBroken(known, error, { due, by })))
  }

  async #follow(known: KnownSchedule, start: number): Promise<void> {
    const { due: times } = known
    const { signal } = this.#stopping
    let from = start
    for (let due = times.after(from); due !== undefined && !signal.aborted; due = times.after(from)) {
      const now = this.#clock.now()
      if (now < from - AHEAD_MS) {
        // The clock was wrong, and was set.
        from = now
      } else if (now < due) {
        await this.#clock.wait(Math.min(due - now, LOOK_MS), signal)
      } else {
        // After a sleep several times may have passed: only the last one may still be in time.
        from = times.between(from, now).last ?? due
        if (now - from > LATE_MS) await this.#settleUpTo(known, from)
        else this.#run(known, from, 'time')
      }
    }
  }

  /** What the storage refuses now must not keep the times that come from being run. */
  async #settleUpTo(known: KnownSchedule, until: number): Promise<void> {
    await this.#ledger.settleUpTo(known, until).catch((error: unknown) => this.#tellBroken(known, error))
  }

  /** Tells what a process was at, if it dies over it. */
  #attend(known: KnownSchedule, running: readonly RunningTime[]): void {
    if (this.#attended.has(known)) return
    this.#attended.add(known)
    this.#track(
      this.#untilOver(known, running)
        .catch((error: unknown) => this.#tellBroken(known, error))
        .finally(() => this.#attended.delete(known)),
    )
  }

  async #untilOver(known: KnownSchedule, running: readonly RunningTime[]): Promise<void> {
    const { signal } = this.#stopping
    for (let all = running; all.length > 0; all = await this.#ledger.settleLost(known)) {
      const ends = Math.min(...all.map(({ until }) => until))
      await this.#clock.wait(Math.max(0, ends - this.#clock.now()), signal)
      if (signal.aborted) return
    }
  }

  async #fire(known: KnownSchedule, due: number, by: FiredBy): Promise<Fired & { readonly ran: boolean }> {
    const id = randomUUID()
    const patience = { until: this.#clock.now() + LATE_MS, signal: this.#stopping.signal }
    // Who asks by hand hears at once what is wrong.
    const { verdict, record } = await this.#ledger.claim(known, { id, due, by }, by === 'hand' ? undefined : patience)
    if (verdict !== 'run') {
      this.#attend(known, record.running)
      return { outcome: 'left-out', ran: false }
    }
    this.#tell(known, undefined)
    return { ...(await this.#perform(known, { id, due, by })), ran: true }
  }

  /** Does what a time does, and keeps and tells what came of it. */
  async #perform(known: KnownSchedule, { id, due, by }: Performed): Promise<Fired> {
    const startedAt = this.#clock.now()
    const fired = await this.#aliveWhile(known, due, id)
    const { text: _, ...told } = fired
    const at = this.#clock.now()
    const outcome: ScheduleOutcome = { id, due, by, at, ms: at - startedAt, ...told }
    try {
      await this.#ledger.finish(known, id, outcome, this.#givingUp.signal)
    } finally {
      this.#tell(known, outcome)
    }
    return fired
  }

  /** What a time does, as long as it does it this process says that it is alive. */
  async #aliveWhile(known: KnownSchedule, due: number, id: string): Promise<Fired> {
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
      // It is tried again before the lease is over; where that fails for good, others take it for lost, and say so.
      await this.#ledger.renew(known, id).catch(() => {})
    }
  }

  #tell(known: KnownSchedule, outcome: ScheduleOutcome | undefined): void {
    this.#options.tell?.({ schedule: known.name, outcome })
  }

  /** The storage failed: a time may be lost, and the next one is tried as ever. */
  #tellBroken(known: KnownSchedule, error: unknown, time?: Pick<ScheduleOutcome, 'due' | 'by'>): void {
    const at = this.#clock.now()
    this.#tell(known, { due: at, by: 'time', ...time, at, outcome: 'failed', error: toldError(error) })
  }
}
