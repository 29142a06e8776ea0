import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'

test('a file is written with a log beside it, and to the disk at each commit, on every connection', async () => {
  using folder = tempFolder()
  const client = createClient({ url: folder.file(), concurrency: 1 })
  const store = new LibSQLStore({ id: 's', url: folder.file(), wrapClient: () => client })
  await store.threads.create({ threadId: 't1', resourceId: 'ada', at: 1 })
  for (let connection = 0; connection < 2; connection++) {
    expect((await client.execute('PRAGMA journal_mode')).rows[0]?.['journal_mode']).toBe('wal')
    // 2 is FULL.
    expect((await client.execute('PRAGMA synchronous')).rows[0]?.['synchronous']).toBe(2)
    await client.reconnect()
  }
  await store.close()
})

test('after close the file alone is whole', async () => {
  using folder = tempFolder()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  await store.threads.create({ threadId: 't1', resourceId: 'ada', at: 1 })
  await store.close()
  copyFileSync(join(folder.path, 'app.db'), join(folder.path, 'copy.db'))
  const copy = new LibSQLStore({ id: 's', url: folder.file('copy.db') })
  expect((await copy.threads.list({ resourceId: 'ada' })).items).toHaveLength(1)
  await copy.close()
})
