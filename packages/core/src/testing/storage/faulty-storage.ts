import { RetinueError } from '../../errors/retinue-error.ts'
import type { Storage } from '../../storage/storage.ts'

/** What goes wrong at a write, and when: before the storage is asked, or after it has written and before the caller knows. */
export type StorageFault = {
  /** At which write, counted from 1 over all domains. */
  readonly at: number
  readonly when: 'before' | 'after'
} & (
  | {
      readonly how: 'fail'
      /** Default: an error with the code `storage-failed`. */
      readonly error?: Error
    }
  | {
      readonly how: 'delay'
      /** What the write, or its answer, waits for. */
      readonly until: PromiseLike<unknown>
    }
  | {
      readonly how: 'kill'
      /** Ends the process at once: `() => process.kill(process.pid, 'SIGKILL')`. The call never settles. */
      readonly kill: () => void
    }
)

export interface FaultyStorage extends Storage {
  /** The writes that were asked for so far, by name: `threads.append`. Without a fault it only counts. */
  readonly writes: readonly string[]
}

/** The calls of each domain that write. Others are handed through. */
const WRITES: Readonly<Record<'threads' | 'workingMemory' | 'runs' | 'approvals' | 'tasks', ReadonlySet<string>>> = {
  threads: new Set(['create', 'update', 'delete', 'clone', 'append', 'beginTurn']),
  workingMemory: new Set(['set']),
  runs: new Set(['save', 'acquire', 'renew', 'release', 'remove', 'appendEvents']),
  approvals: new Set(['change']),
  tasks: new Set(['create', 'change', 'claim', 'deliver', 'remove', 'send', 'share', 'unshare']),
}

/**
 * A storage in which writes go wrong. Each call of a storage is one transaction, so there is no third moment within one: what a crash
 * in the middle leaves is what a fault `before` leaves. Where that itself is in doubt, tear the transaction of the database
 * (`tornClient` of `@retinue/libsql/testing`).
 */
export function faultyStorage(storage: Storage, ...faults: readonly StorageFault[]): FaultyStorage {
  const writes: string[] = []
  const write = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    writes.push(name)
    const own = faults.filter(({ at }) => at === writes.length)
    for (const fault of own) if (fault.when === 'before') await happen(fault, name)
    const result = await call()
    for (const fault of own) if (fault.when === 'after') await happen(fault, name)
    return result
  }
  return {
    id: storage.id,
    threads: watched(storage.threads, 'threads', write),
    workingMemory: watched(storage.workingMemory, 'workingMemory', write),
    runs: watched(storage.runs, 'runs', write),
    approvals: watched(storage.approvals, 'approvals', write),
    tasks: watched(storage.tasks, 'tasks', write),
    writes,
    close: () => storage.close(),
  }
}

function happen(fault: StorageFault, name: string): PromiseLike<unknown> {
  switch (fault.how) {
    case 'fail': {
      const message = `Write ${fault.at} (${name}) failed, as the test has it.`
      throw fault.error ?? new RetinueError({ code: 'storage-failed', message })
    }
    case 'delay':
      return fault.until
    case 'kill':
      fault.kill()
      // The process is about to end: whatever came next would be more than a killed one does.
      return new Promise(() => {})
  }
}

type Write = <T>(name: string, call: () => Promise<T>) => Promise<T>

function watched<Domain extends object>(domain: Domain, name: keyof typeof WRITES, write: Write): Domain {
  return new Proxy(domain, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key)
      if (typeof member !== 'function') return member
      const call = (...values: unknown[]): Promise<unknown> => Reflect.apply(member, target, values)
      return typeof key === 'string' && WRITES[name].has(key)
        ? (...values: unknown[]) => write(`${name}.${key}`, () => call(...values))
        : call
    },
  })
}
