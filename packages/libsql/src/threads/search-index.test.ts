import { createClient } from '@libsql/client'
import { expect, test } from 'vitest'
import { checkedIds } from '../../test-support/integrity.ts'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'

const key = { threadId: 't1', resourceId: 'ada' }
const said = (id: string) => ({
  id,
  message: { role: 'user' as const, content: [{ type: 'text' as const, text: `word ${id}` }] },
  createdAt: 1,
})

async function found(store: LibSQLStore, query: string): Promise<string[]> {
  const { found } = await store.threads.search({ resourceId: 'ada', query, limit: 9 })
  return found.map(({ message }) => message.id).toSorted()
}

test('the index is brought up to date by who searches, whoever wrote and whatever was deleted meanwhile', async () => {
  using folder = tempFolder()
  const [one, other] = ['a', 'b'].map((id) => new LibSQLStore({ id, url: folder.file() })) as [LibSQLStore, LibSQLStore]
  await one.threads.beginTurn({ ...key, messages: [said('m1'), said('m2')], lastMessages: 0, at: 1 })
  expect(await found(other, 'word')).toEqual(['m1', 'm2'])
  await other.threads.append({ ...key, messages: [said('m3')] })
  await one.threads.beginTurn({ ...key, threadId: 't2', messages: [said('m4')], lastMessages: 0, at: 1 })
  // Of its three messages two are in the index.
  await one.threads.delete(key)
  expect(await Promise.all([found(one, 'word'), found(other, 'word')])).toEqual([['m4'], ['m4']])
  expect(await found(one, 'm3')).toEqual([])
  await Promise.all([one.close(), other.close()])
  expect(await checkedIds(folder.file())).toEqual(['m4'])
})

test('a long history is indexed in several transactions, and all of it', async () => {
  const store = new LibSQLStore({ id: 's', url: ':memory:' })
  const messages = Array.from({ length: 4001 }, (_none, n) => said(`m${n}`))
  await store.threads.beginTurn({ ...key, messages, lastMessages: 0, at: 1 })
  expect([await found(store, 'm0'), await found(store, 'm4000')]).toEqual([['m0'], ['m4000']])
  await store.close()
})

test('who may only read the file searches as far as the index goes', async () => {
  using folder = tempFolder()
  const writer = new LibSQLStore({ id: 's', url: folder.file() })
  await writer.threads.beginTurn({ ...key, messages: [said('m1')], lastMessages: 0, at: 1 })
  await found(writer, 'word')
  await writer.threads.append({ ...key, messages: [said('m2')] })
  await writer.close()
  const client = createClient({ url: folder.file(), concurrency: 1 })
  await client.execute('PRAGMA query_only = ON')
  const reader = new LibSQLStore({ id: 's', url: folder.file(), wrapClient: () => client })
  expect(await found(reader, 'word')).toEqual(['m1'])
  await reader.close()
})
