import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { isRetinueError } from '@retinue/core/errors'
import type { Storage } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'
import { MIGRATIONS } from '../schema/migrations.ts'
import { tornClient } from '../testing/torn-client.ts'

const key = { threadId: 't1', resourceId: 'ada' }
const said = (id: string, text = id) => ({
  id,
  message: { role: 'user' as const, content: [{ type: 'text' as const, text }] },
  createdAt: 1,
})
const turn = (id: string, text?: string) => ({ ...key, messages: [said(id, text)], lastMessages: 9, at: 1 })

async function idsIn(store: Storage): Promise<string[]> {
  return (await store.threads.listMessages({ ...key, limit: 99 })).messages.map(({ id }) => id)
}

/** The error of a call, which is typed, says how to mend it, and has what the database said as its cause. */
async function failure(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable('it must fail'),
    (thrown: unknown) => thrown,
  )
  if (!isRetinueError(error)) throw error
  expect(error.hint).toBeTruthy()
  return error
}

test('R26 a lock that is held too long is told, without stopping the process; then the store works again', async () => {
  using folder = tempFolder()
  const store = new LibSQLStore({ id: 's', url: folder.file(), lockTimeoutMs: 60 })
  await store.threads.beginTurn(turn('m1'))
  const other = createClient({ url: folder.file() })
  const held = await other.transaction('write')
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  const error = await failure(store.threads.beginTurn(turn('m2')))
  clearInterval(ticking)
  expect(error).toMatchObject({ code: 'storage-locked', cause: { code: 'SQLITE_BUSY' } })
  expect(error.message).toContain(join(folder.path, 'app.db'))
  expect(turns).toBeGreaterThan(1)
  // Who only reads waits for nobody.
  expect(await idsIn(store)).toEqual(['m1'])
  await held.rollback()
  // What is acknowledged now is there for others: a connection that met a lock can lie about that.
  await store.threads.append({ ...key, messages: [said('m3')] })
  await store.threads.beginTurn(turn('m4'))
  const { rows } = await other.execute('SELECT id FROM retinue_messages ORDER BY sequence')
  expect(rows.map(({ id }) => id)).toEqual(['m1', 'm3', 'm4'])
  other.close()
  await store.close()
})

/** How long a call took to fail with `storage-locked`, in milliseconds. */
async function lockedAfter(call: Promise<unknown>): Promise<number> {
  const start = performance.now()
  expect(await failure(call)).toMatchObject({ code: 'storage-locked' })
  return performance.now() - start
}

test('R26 the time for a lock is that of the whole call, also of one that opens the file or stands behind others', async () => {
  using folder = tempFolder()
  const first = new LibSQLStore({ id: 's', url: folder.file() })
  await first.threads.beginTurn(turn('m1'))
  await first.close()
  const other = createClient({ url: folder.file() })
  const held = await other.transaction('write')
  const limit = 500
  const store = new LibSQLStore({ id: 's', url: folder.file(), lockTimeoutMs: limit })
  // More than go into one transaction.
  const early = Array.from({ length: 100 }, (_none, n) => lockedAfter(store.threads.beginTurn(turn(`e${n}`))))
  // A second round is half of the time behind them, and in one transaction with the last of them.
  await new Promise((resolve) => setTimeout(resolve, limit / 2))
  const late = Array.from({ length: 10 }, (_none, n) => lockedAfter(store.threads.beginTurn(turn(`l${n}`))))
  for (const took of await Promise.all([...early, ...late])) {
    expect(took).toBeGreaterThan(limit * 0.8)
    expect(took).toBeLessThan(limit * 1.7)
  }
  await held.rollback()
  await store.threads.beginTurn(turn('m2'))
  expect(await idsIn(store)).toEqual(['m1', 'm2'])
  other.close()
  await store.close()
})

test('R26 the time for a lock includes that for the tables of a new file', async () => {
  using folder = tempFolder()
  const other = createClient({ url: folder.file() })
  await other.execute('CREATE TABLE there (a)')
  const held = await other.transaction('write')
  const limit = 500
  const store = new LibSQLStore({ id: 's', url: folder.file(), lockTimeoutMs: limit })
  const calls = [store.threads.get(key), store.threads.beginTurn(turn('m1'))].map(lockedAfter)
  await new Promise((resolve) => setTimeout(resolve, limit / 2))
  calls.push(lockedAfter(store.threads.get(key)))
  for (const took of await Promise.all(calls)) {
    expect(took).toBeGreaterThan(limit * 0.8)
    expect(took).toBeLessThan(limit * 1.7)
  }
  await held.rollback()
  other.close()
  await store.close()
})

test('R26 a lock that is let go in time is waited for, also by who closes the store', async () => {
  using folder = tempFolder()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  await store.threads.beginTurn(turn('m1'))
  const other = createClient({ url: folder.file() })
  const held = await other.transaction('write')
  const waiting = store.threads.beginTurn(turn('m2'))
  expect(await idsIn(store)).toEqual(['m1'])
  const closing = store.close()
  // Long enough for a store that does not wait to be closed.
  await new Promise((resolve) => setTimeout(resolve, 20))
  await held.commit()
  await Promise.all([waiting, closing])
  const { rows } = await other.execute('SELECT id FROM retinue_messages ORDER BY sequence')
  expect(rows.map(({ id }) => id)).toEqual(['m1', 'm2'])
  other.close()
})

test('R26 a full disk is told; nothing is half written, what fits is, and it works again when there is room', async () => {
  using folder = tempFolder()
  const client = createClient({ url: folder.file(), concurrency: 1 })
  const store = new LibSQLStore({ id: 's', url: folder.file(), wrapClient: () => client })
  await store.threads.beginTurn(turn('m1'))
  const { rows } = await client.execute('PRAGMA page_count')
  await client.execute(`PRAGMA max_page_count = ${Number(rows[0]?.['page_count']) + 12}`)
  const large = store.threads.append({ ...key, messages: [said('m2'), said('large', 'x '.repeat(100_000))] })
  const small = store.threads.append({ ...key, messages: [said('m3')] })
  expect(await failure(large)).toMatchObject({ code: 'storage-full', cause: { code: 'SQLITE_FULL' } })
  // It was in one transaction with the large one, which must not take it along.
  await small
  expect(await idsIn(store)).toEqual(['m1', 'm3'])
  await client.execute('PRAGMA max_page_count = 100000')
  await store.threads.append({ ...key, messages: [said('m2'), said('large', 'x '.repeat(100_000))] })
  expect(await idsIn(store)).toEqual(['m1', 'm3', 'm2', 'large'])
  await store.close()
})

test('R26 a database that can only be read is read, and a write is told', async () => {
  using folder = tempFolder()
  const writer = new LibSQLStore({ id: 's', url: folder.file() })
  await writer.threads.beginTurn(turn('m1'))
  await writer.close()
  const client = createClient({ url: folder.file(), concurrency: 1 })
  await client.execute('PRAGMA query_only = ON')
  const store = new LibSQLStore({ id: 's', url: folder.file(), wrapClient: () => client })
  expect(await idsIn(store)).toEqual(['m1'])
  const error = await failure(store.threads.beginTurn(turn('m2')))
  expect(error).toMatchObject({ code: 'storage-read-only', cause: { code: 'SQLITE_READONLY' } })
  await client.execute('PRAGMA query_only = OFF')
  await store.threads.beginTurn(turn('m3'))
  expect(await idsIn(store)).toEqual(['m1', 'm3'])
  await store.close()
})

test('R26 a disk that fails in the middle of a transaction leaves nothing of it', async () => {
  for (const after of [0, 1, 2, 3]) {
    using folder = tempFolder()
    const store = new LibSQLStore({
      id: 's',
      url: folder.file(),
      // The first transactions make the tables.
      wrapClient: (client) => tornClient(client, { at: MIGRATIONS.length + 1, after }),
    })
    expect(await failure(store.threads.beginTurn(turn('m1')))).toMatchObject({ code: 'storage-failed' })
    expect((await store.threads.list({ resourceId: 'ada' })).items).toEqual([])
    await store.threads.beginTurn(turn('m1'))
    expect(await idsIn(store)).toEqual(['m1'])
    await store.close()
  }
})

test('a file that is no database is told, and left as it is', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'app.db')
  writeFileSync(path, 'Dear diary, '.repeat(1000))
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  const error = await failure(store.threads.beginTurn(turn('m1')))
  expect(error).toMatchObject({ code: 'storage-not-a-database', cause: { code: 'SQLITE_NOTADB' } })
  expect(readFileSync(path, 'utf8')).toBe('Dear diary, '.repeat(1000))
  await store.close()
})

test('a damaged file is told', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'app.db')
  const first = new LibSQLStore({ id: 's', url: folder.file() })
  await first.threads.beginTurn(turn('m1', 'word '.repeat(50_000)))
  await first.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xee, 4096))
  const second = new LibSQLStore({ id: 's', url: folder.file() })
  expect(await failure(second.threads.beginTurn(turn('m2')))).toMatchObject({ code: 'storage-corrupt' })
  await second.close()
})

test('what can’t be opened is told, with the path or the address, and without its secrets', async () => {
  using folder = tempFolder()
  writeFileSync(join(folder.path, 'file'), '')
  const urls = [folder.file('file/below/app.db'), `file:${folder.path}`, 'file://elsewhere.example/app.db']
  for (const url of urls) {
    const store = new LibSQLStore({ id: 's', url })
    expect(await failure(store.threads.get(key)), url).toMatchObject({ code: 'storage-cannot-open' })
    await store.close()
  }
  const url = 'http://user:s3cret@127.0.0.1:9?authToken=s3cret'
  const remote = new LibSQLStore({ id: 's', url, authToken: 's3cret' })
  const error = await failure(remote.threads.get(key))
  expect(error.code).toBe('storage-cannot-open')
  expect(JSON.stringify([error, error.data])).not.toContain('s3cret')
  await remote.close()
})

test('a store that could not be opened is opened by a later call', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'app.db')
  writeFileSync(path, 'no database '.repeat(100))
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  await failure(store.threads.beginTurn(turn('m1')))
  writeFileSync(path, '')
  await store.threads.beginTurn(turn('m1'))
  expect(await idsIn(store)).toEqual(['m1'])
  await store.close()
})
