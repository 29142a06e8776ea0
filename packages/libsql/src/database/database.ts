import type { Client, InStatement, Row } from '@libsql/client'
import { storageClosed } from '@retinue/core/storage'
import { assertOptions } from './assert-options.ts'
import { databaseError } from './database-error.ts'
import type { DatabaseOptions } from './database-options.ts'
import { filePath, openClient, placeOf } from './open-client.ts'
import { isLocked, waitForLock } from './wait-for-lock.ts'
import { WriteQueue } from './write-queue.ts'

const LOCK_TIMEOUT_MS = 5000

/** A database that is opened, and brought up to date, with its first use. All that it throws is typed. */
export class Database {
  readonly #options: DatabaseOptions
  readonly #lockTimeoutMs: number
  readonly #place: string
  readonly #prepare: (client: Client, place: string) => Promise<void>
  readonly #queue: WriteQueue
  readonly #reads = new Set<Promise<unknown>>()
  #client: Promise<Client> | undefined
  #closed: Promise<void> | undefined

  /** `prepare` brings its tables up to date; it runs once, before anything else. Throws for bad options. */
  constructor(options: DatabaseOptions, prepare: (client: Client, place: string) => Promise<void>) {
    assertOptions(options)
    this.#options = options
    this.#lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS
    this.#place = placeOf(options.url)
    this.#prepare = prepare
    this.#queue = new WriteQueue((deadline) => this.#open(deadline), filePath(options.url), this.#lockTimeoutMs)
  }

  /** The rows of one statement that writes nothing. */
  async read(statement: InStatement): Promise<Row[]> {
    this.#assertOpen()
    const read = this.#typed(() => this.#readNow(statement))
    this.#reads.add(read)
    try {
      return await read
    } finally {
      this.#reads.delete(read)
    }
  }

  /** The rows of each statement, all of which are one transaction: it is on the disk when this resolves. */
  async write(statements: readonly InStatement[]): Promise<Row[][]> {
    this.#assertOpen()
    return this.#typed(() => this.#queue.write(statements))
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #readNow(statement: InStatement): Promise<Row[]> {
    // Opening is part of the call.
    const deadline = performance.now() + this.#lockTimeoutMs
    const client = await this.#open(deadline)
    const { rows } = await waitForLock(client, () => client.execute(statement), { deadline })
    return rows
  }

  async #close(): Promise<void> {
    await Promise.allSettled([this.#queue.idle(), ...this.#reads])
    const client = await this.#client?.catch(() => undefined)
    if (!client) return
    // What is still in the log goes into the file, so that the file alone is whole. If others use it, the last of them does that.
    if (client.protocol === 'file') await client.executeMultiple('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => {})
    client.close()
  }

  /** Until `deadline` it waits for a lock, also where who began to open it waited no longer. */
  async #open(deadline: number): Promise<Client> {
    for (;;) {
      try {
        return await this.#opened(deadline)
      } catch (error) {
        if (!isLocked(error) || performance.now() >= deadline) throw error
      }
    }
  }

  /** A failure to open is not kept: the disk may be mended by the next call. */
  #opened(deadline: number): Promise<Client> {
    if (this.#client) return this.#client
    const opening = this.#openNow(deadline)
    this.#client = opening
    opening.catch(() => {
      if (this.#client === opening) this.#client = undefined
    })
    return opening
  }

  async #openNow(deadline: number): Promise<Client> {
    const client = await openClient(this.#options, deadline)
    try {
      await waitForLock(client, () => this.#prepare(client, this.#place), { deadline })
      return client
    } catch (error) {
      client.close()
      throw error
    }
  }

  async #typed<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw databaseError(error, this.#place)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw storageClosed(this.#options.id)
  }
}
