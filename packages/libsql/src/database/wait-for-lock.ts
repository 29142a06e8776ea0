import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@libsql/client'
import { errorCode } from './database-error.ts'

/** Between two looks whether the lock is free, in milliseconds. By chance, so that processes that wait take turns. */
const SHORTEST_WAIT_MS = 1
const LONGEST_WAIT_MS = 4

/** Long enough for everybody who waits to look once. */
export const COURTESY_MS: number = LONGEST_WAIT_MS + 1

export interface Waiting {
  /** Until when to wait, as `performance.now()` tells the time. What comes later still tries once. */
  readonly deadline: number
  /** Others were seen to write: it looks before it tries, which costs less than to be refused. */
  readonly crowded?: boolean
  /** Called when it was not free at once. */
  readonly waited?: () => void
}

/**
 * Does something again and again while another connection holds the lock. The database's own waiting would stop this process as a
 * whole: the driver is synchronous.
 *
 * The driver leaves a statement that met a lock open on its connection. From then on the connection lies: a write on it says that it is
 * done and is not committed, and a transaction can't be. So the connection is thrown away each time, and while the lock is held it is
 * looked at in a way that leaves nothing behind.
 */
export async function waitForLock<T>(client: Client, attempt: () => Promise<T>, waiting: Waiting): Promise<T> {
  const { deadline, crowded = false, waited = () => {} } = waiting
  const isLate = (): boolean => performance.now() >= deadline
  let looks = crowded
  for (;;) {
    if (looks && !isLate() && !(await isFree(client))) {
      waited()
      await sleep(SHORTEST_WAIT_MS + Math.random() * (LONGEST_WAIT_MS - SHORTEST_WAIT_MS))
      continue
    }
    try {
      return await attempt()
    } catch (error) {
      // Another call has just thrown the connection away; nothing was done on it.
      if (errorCode(error) === 'CLIENT_CLOSED' && !isLate()) {
        await sleep(SHORTEST_WAIT_MS)
        continue
      }
      if (!isLocked(error)) throw error
      if (client.protocol === 'file') await client.reconnect()
      if (isLate()) throw error
      looks = true
    }
  }
}

/**
 * Whether one could write now. For a database elsewhere it is only found out by trying. This way of the driver closes its statements also
 * where they fail.
 */
async function isFree(client: Client): Promise<boolean> {
  if (client.protocol !== 'file') return true
  try {
    await client.executeMultiple('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch (error) {
    // What else is wrong is told by what wants to write.
    return !isLocked(error)
  }
}

export function isLocked(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED'
}
