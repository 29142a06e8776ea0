import type { Client, Config } from '@libsql/client'
import { errorCode } from './database-error.ts'
import type { DatabaseOptions } from './database-options.ts'
import { isLocked, waitForLock } from './wait-for-lock.ts'

/**
 * A client that is ready for use; until `deadline` it waits for a lock. The packages behind it are loaded here, and not when a program
 * starts.
 */
export async function openClient(options: DatabaseOptions, deadline: number): Promise<Client> {
  const { url, authToken, wrapClient } = options
  const config: Config = { url, ...(authToken === undefined ? {} : { authToken }) }
  const client = isLocal(url) ? await openLocal(config) : (await import('@libsql/client')).createClient(config)
  const wrapped = wrapClient ? wrapClient(client) : client
  try {
    if (isFile(url)) await waitForLock(wrapped, () => prepareFile(wrapped), { deadline })
    return wrapped
  } catch (error) {
    client.close()
    throw error
  }
}

/** How people know a database: its path, or its address without what could be secret in it. */
export function placeOf(url: string): string {
  if (isLocal(url)) return isFile(url) ? `database '${pathOf(url)}'` : 'database in memory'
  return URL.canParse(url) ? `database at '${new URL(url).host}'` : 'database'
}

/** The path of the database, if it is a file. */
export function filePath(url: string): string | undefined {
  return isFile(url) ? pathOf(url) : undefined
}

function isFile(url: string): boolean {
  return url.startsWith('file:') && !url.startsWith('file::memory:')
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') || url === ':memory:'
}

/** As the client reads it: the authority and the query are not of the path. */
function pathOf(url: string): string {
  const path = url.replace(/^file:(?:\/\/[^/?#]*)?/, '').replace(/[?#].*$/s, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

async function openLocal(config: Config): Promise<Client> {
  if (isFile(config.url)) {
    const [{ mkdir }, { dirname }] = await Promise.all([import('node:fs/promises'), import('node:path')])
    await mkdir(dirname(pathOf(config.url)), { recursive: true })
  }
  const { createClient } = await import('@libsql/client/sqlite3')
  // One connection: with a pool the process would only wait for itself. It does not wait for locks, since that would stop the process:
  // `waitForLock` does.
  return createClient({ ...config, concurrency: 1, timeout: 0 })
}

/**
 * A log beside the file lets others read while one writes. That a commit is on the disk when it is acknowledged (`synchronous = FULL`)
 * is what the driver begins with on each connection, so it needs no saying; a test says so.
 */
async function prepareFile(client: Client): Promise<void> {
  try {
    await client.execute('PRAGMA journal_mode = WAL')
  } catch (error) {
    // Who may only read a file can't change how it is written. A lock is waited for, whatever else is told by the first real call.
    if (isLocked(error) || errorCode(error) !== 'SQLITE_READONLY') throw error
  }
}
