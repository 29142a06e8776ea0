import { isRetinueError, RetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import { newRecord, type ScheduleRecord } from './schedule-record.ts'

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
    return (await this.#get(name)).record
  }

  /** Changes the record of a schedule. `change` is called again where another process was faster; it gives the same record to leave it. */
  async change<R>(
    name: string,
    now: number,
    change: (record: ScheduleRecord) => { readonly record: ScheduleRecord; readonly result: R },
  ): Promise<R> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { record: found, version } = await this.#get(name)
      const before = found ?? newRecord(now)
      const { record, result } = change(before)
      if (record === found) return result
      try {
        const text = JSON.stringify(record)
        await this.#storage.workingMemory.set({ resourceId: keyOf(name), text, expectedVersion: version, at: now })
        return result
      } catch (error) {
        if (!isRetinueError(error, 'storage-conflict')) throw error
      }
    }
    throw new RetinueError({
      code: 'storage-conflict',
      message: `The record of the schedule "${name}" was changed by others ${MAX_ATTEMPTS} times running.`,
      hint: 'See which processes run the schedules of this application: one is enough.',
    })
  }

  async #get(name: string): Promise<{ record: ScheduleRecord | undefined; version: number }> {
    const found = await this.#storage.workingMemory.get({ resourceId: keyOf(name) })
    if (found === undefined) return { record: undefined, version: 0 }
    return { record: parsed(found.text), version: found.version }
  }
}

function keyOf(name: string): string {
  return `retinue.schedule:${name}`
}

/** What is no record any more is as good as none: it begins anew, and no time is run twice for it. */
function parsed(text: string): ScheduleRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isRecord = typeof value === 'object' && value !== null && 'settledUntil' in value && 'running' in value
    return isRecord ? (value as ScheduleRecord) : undefined
  } catch {
    return undefined
  }
}
