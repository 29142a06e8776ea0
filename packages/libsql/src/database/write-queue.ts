import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Client, InStatement, ResultSet, Row } from '@libsql/client'
import { errorCode } from './database-error.ts'
import { trimLog } from './trim-log.ts'
import { COURTESY_MS, isLocked, waitForLock } from './wait-for-lock.ts'

/** At most so many writes become one transaction: it stops the process while it runs, and other processes wait for it. */
const MOST_WRITES = 64

/** How often it is looked whether the log has become long, in commits. */
const COMMITS_A_LOOK = 16

interface Write {
  readonly statements: readonly InStatement[]
  /** Until when it waits for a lock. */
  readonly deadline: number
  readonly done: (rows: Row[][]) => void
  readonly failed: (error: unknown) => void
}

/**
 * The one way to write. What is asked for while a transaction runs goes into the next one together: fifty writers cost the disk as
 * much as one. A write is all of its statements or none, and done when it is on the disk.
 */
export class WriteQueue {
  readonly #open: (deadline: number) => Promise<Client>
  readonly #path: string | undefined
  readonly #lockTimeoutMs: number
  #waiting: Write[] = []
  #running: Promise<void> | undefined
  /** Another process was seen to write. */
  #crowded = false
  #commits = 0

  /** `path` is that of the file, if it is one. */
  constructor(open: (deadline: number) => Promise<Client>, path: string | undefined, lockTimeoutMs: number) {
    this.#open = open
    this.#path = path
    this.#lockTimeoutMs = lockTimeoutMs
  }

  /** The rows that each statement gave. Rejects with what the database threw; then nothing of it was written. */
  write(statements: readonly InStatement[]): Promise<Row[][]> {
    return new Promise((done, failed) => {
      const deadline = performance.now() + this.#lockTimeoutMs
      this.#waiting.push({ statements, deadline, done, failed })
      this.#running ??= this.#run()
    })
  }

  /** Waits until all that was asked for is done. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // What is asked for in the same turn of the event loop belongs together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const writes = this.#waiting.splice(0, MOST_WRITES)
      await this.#settle(writes)
      // Others are let to the file first: whoever has it could take it again and again.
      if (this.#crowded) await sleep(COURTESY_MS)
      else if (this.#waiting.length > 0) await nextTurn()
    }
    this.#running = undefined
  }

  /** Never rejects. */
  async #settle(writes: readonly Write[]): Promise<void> {
    try {
      const results = await this.#commit(writes)
      let first = 0
      for (const { statements, done } of writes) {
        done(results.slice(first, first + statements.length).map(({ rows }) => rows))
        first += statements.length
      }
    } catch (error) {
      // One that can't be written does not take the others along.
      if (writes.length > 1 && isOfOneWrite(error)) for (const write of writes) await this.#settle([write])
      else if (isLocked(error)) this.#failLate(writes, error)
      else for (const { failed } of writes) failed(error)
    }
  }

  /** Those that have waited long enough fail; the others, which were asked for later, go on waiting. */
  #failLate(writes: readonly Write[], error: unknown): void {
    const now = performance.now()
    for (const { deadline, failed } of writes) if (deadline <= now) failed(error)
    this.#waiting.unshift(...writes.filter(({ deadline }) => deadline > now))
  }

  async #commit(writes: readonly Write[]): Promise<ResultSet[]> {
    const statements = writes.flatMap((write) => write.statements)
    // In its order each has waited at least as long as the next.
    const deadline = writes[0]?.deadline ?? 0
    const client = await this.#open(deadline)
    const [only] = statements
    const attempt =
      statements.length === 1 && only
        ? async () => [await client.execute(only)]
        : () => client.batch(statements, 'write')
    const crowded = this.#crowded
    this.#crowded = false
    const waited = (): void => {
      this.#crowded = true
    }
    const results = await waitForLock(client, attempt, { deadline, crowded, waited })
    if (this.#path !== undefined && this.#crowded && ++this.#commits % COMMITS_A_LOOK === 0) {
      await trimLog(client, this.#path)
    }
    return results
  }
}

/** Failures that a single write can be the reason of; others are those of the database, and were for all of them. */
const OF_ONE_WRITE: ReadonlySet<string | undefined> = new Set([
  'SQLITE_CONSTRAINT',
  'SQLITE_FULL',
  'SQLITE_TOOBIG',
  'SQLITE_NOMEM',
])

function isOfOneWrite(error: unknown): boolean {
  return OF_ONE_WRITE.has(errorCode(error))
}
