import { isRetinueError, RetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import { newRecord, type ScheduleRecord } from './schedule-record.ts'

/** The schedules that an application has had, each with the agents that were in the application then. */
export type ScheduleRoster = Readonly<Record<string, readonly string[]>>

const ROSTER_KEY = 'retinue.schedules'

/** More than so many writers do not meet at one schedule. */
const MAX_ATTEMPTS = 50

/**
 * What is kept of schedules, in the storage of the application: as texts that are only written over the version that was read, so that
 * of any number of processes one gets a time. No person owns them: the prefix is reserved.
 */
export class ScheduleRecords {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** The record of a schedule, and undefined before it was first seen. */
  async read(name: string): Promise<ScheduleRecord | undefined> {
    const found = await this.#storage.workingMemory.get({ resourceId: keyOf(name) })
    return found === undefined ? undefined : parsed(found.text)
  }

  /** Changes the record of a schedule. `change` is called again where another process was faster; it gives the same record to leave it. */
  change<R>(
    name: string,
    now: number,
    change: (record: ScheduleRecord) => { readonly record: ScheduleRecord; readonly result: R },
  ): Promise<R> {
    return this.#change(keyOf(name), now, (text) => {
      const found = text === undefined ? undefined : parsed(text)
      const { record, result } = change(found ?? newRecord(now))
      return { text: record === found ? undefined : JSON.stringify(record), result }
    })
  }

  /** Adds to the schedules that there have been; gives all that there were before. */
  addToRoster(own: ScheduleRoster, now: number): Promise<ScheduleRoster> {
    return this.#change(ROSTER_KEY, now, (text) => {
      const before = text === undefined ? {} : parsedRoster(text)
      const after = JSON.stringify({ ...before, ...own })
      return { text: after === (text ?? '{}') ? undefined : after, result: before }
    })
  }

  /** `change` gives undefined to leave the text as it is. */
  async #change<R>(
    key: string,
    now: number,
    change: (text: string | undefined) => { readonly text: string | undefined; readonly result: R },
  ): Promise<R> {
    const { workingMemory } = this.#storage
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await workingMemory.get({ resourceId: key })
      const { text, result } = change(found?.text)
      if (text === undefined) return result
      try {
        await workingMemory.set({ resourceId: key, text, expectedVersion: found?.version ?? 0, at: now })
        return result
      } catch (error) {
        if (!isRetinueError(error, 'storage-conflict')) throw error
      }
    }
    throw new RetinueError({
      code: 'storage-conflict',
      message: `What is kept as "${key}" was changed by others ${MAX_ATTEMPTS} times running.`,
      hint: 'See which processes run the schedules of this application: one is enough.',
    })
  }
}

function keyOf(name: string): string {
  return `retinue.schedule:${name}`
}

/** What is no record any more is as good as none: it begins anew, and no time is run twice for it. */
function parsed(text: string): ScheduleRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is ScheduleRecord {
  if (typeof value !== 'object' || value === null) return false
  const { settledUntil, running, outcomes } = value as Partial<Record<keyof ScheduleRecord, unknown>>
  return Number.isFinite(settledUntil) && Array.isArray(running) && Array.isArray(outcomes)
}

/** What is no roster any more is as good as none: it fills anew. */
function parsedRoster(text: string): ScheduleRoster {
  try {
    const value: unknown = JSON.parse(text)
    const entries = Object.entries(typeof value === 'object' && value !== null ? value : {})
    return Object.fromEntries(entries.filter(([, agents]) => Array.isArray(agents)))
  } catch {
    return {}
  }
}
