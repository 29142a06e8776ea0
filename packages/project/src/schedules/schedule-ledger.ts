import type { Storage } from '@retinue/core/storage'
import type { Clock } from './clock.ts'
import type { KnownSchedule } from './known-schedule.ts'
import {
  asOf,
  finished,
  LEASE_MS,
  type RunningTime,
  renewed,
  type ScheduleOutcome,
  type ScheduleRecord,
  type Told,
  withAbsence,
} from './schedule-record.ts'
import { ScheduleRecords } from './schedule-records.ts'
import { type Claim, type Claimed, claimed, type Settled, settledAtStart, settledUpTo } from './settle-schedule.ts'

export interface ScheduleLedgerOptions {
  readonly storage: Storage
  readonly clock: Clock
  readonly tell: (known: KnownSchedule, outcome: ScheduleOutcome) => void
}

/** How long what is refused is tried again, and what ends that before. */
interface Patience {
  readonly until: number
  readonly signal: AbortSignal
}

/** How long after it was refused the first time the storage is tried again; then it is twice as long each time. */
const AGAIN_MS = 250

/** What is kept of schedules, as it changes: what comes of a change is told once it is kept. */
export class ScheduleLedger {
  readonly #records: ScheduleRecords
  readonly #options: ScheduleLedgerOptions

  constructor(options: ScheduleLedgerOptions) {
    this.#options = options
    this.#records = new ScheduleRecords(options.storage)
  }

  /** The record of a schedule as it is now; undefined before it was first seen. */
  async read({ name }: KnownSchedule): Promise<ScheduleRecord | undefined> {
    const record = await this.#records.read(name)
    return record === undefined ? undefined : asOf(record, this.#now()).record
  }

  settleAtStart(known: KnownSchedule, now: number): Promise<Settled> {
    return this.#change(known, (before) => settledAtStart(before, known, now))
  }

  async settleUpTo(known: KnownSchedule, until: number): Promise<void> {
    await this.#change(known, (before) => settledUpTo(before, known, until, this.#now()))
  }

  /** Tells what is lost; gives what still runs. */
  async settleLost(known: KnownSchedule): Promise<readonly RunningTime[]> {
    const { running } = await this.#change(known, (before) => {
      const { record, told } = asOf(before, this.#now())
      return { record: told.length === 0 ? before : record, told, running: record.running }
    })
    return running
  }

  /** Takes a time. A storage that refuses it for a moment does not cost the time. */
  claim(known: KnownSchedule, claim: Omit<Claim, 'now'>, patience?: Patience): Promise<Claimed> {
    const change = (): Promise<Claimed> =>
      this.#change(known, (before) => claimed(before, known, { ...claim, now: this.#now() }))
    return patience === undefined ? change() : this.#again(change, patience)
  }

  async renew(known: KnownSchedule, id: string): Promise<void> {
    await this.#change(known, (before) => ({ record: renewed(before, id, this.#now()), told: [] }))
  }

  /** Keeps what came of a time; that is tried for as long as others take it for running. */
  async finish(known: KnownSchedule, id: string, outcome: ScheduleOutcome, signal: AbortSignal): Promise<void> {
    const change = (): Promise<Told> =>
      this.#change(known, (before) => ({ record: finished(before, id, outcome), told: [] }))
    await this.#again(change, { until: this.#now() + LEASE_MS, signal })
  }

  /**
   * Marks what an earlier version had and this one has not: nobody misses its times from now on. An earlier version has an agent in
   * common with this one; what has none is another application over the same storage.
   */
  async markAbsent(schedules: readonly KnownSchedule[], agents: readonly string[]): Promise<void> {
    const now = this.#now()
    const own = Object.fromEntries(schedules.map(({ name }) => [name, agents]))
    const before = await this.#records.addToRoster(own, now)
    const isAbsent = ([name, others]: [string, readonly string[]]): boolean =>
      !Object.hasOwn(own, name) && others.some((agent) => agents.includes(agent))
    const absent = Object.entries(before).filter(isAbsent)
    const mark = (record: ScheduleRecord) => ({ record: withAbsence(record, now), result: undefined })
    await Promise.all(absent.map(([name]) => this.#records.change(name, now, mark)))
  }

  #now(): number {
    return this.#options.clock.now()
  }

  async #change<T extends Told>(known: KnownSchedule, change: (before: ScheduleRecord) => T): Promise<T> {
    const changed = await this.#records.change(known.name, this.#now(), (before) => {
      const result = change(before)
      return { record: result.record, result }
    })
    for (const outcome of changed.told) this.#options.tell(known, outcome)
    return changed
  }

  async #again<T>(work: () => Promise<T>, { until, signal }: Patience): Promise<T> {
    for (let wait = AGAIN_MS; ; wait *= 2) {
      try {
        return await work()
      } catch (error) {
        if (signal.aborted || this.#now() + wait > until) throw error
        await this.#options.clock.wait(wait, signal, { keepAlive: true })
      }
    }
  }
}
