import { createClient } from '@libsql/client'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'

const key = { threadId: 't1', resourceId: 'ada' }
const said = (id: string) => ({
  id,
  message: { role: 'user' as const, content: [{ type: 'text' as const, text: `word ${id}` }] },
  createdAt: 1,
})

const DAMAGE = ['', '{', 'null', '{"role":"user"}', '{"role":"nobody","content":[]}', '{"$retinue":"new"}', '[[1]]']

test('S26 a damaged row breaks no listing: it is told beside what can be read, and is an error by its id', async () => {
  for (const text of DAMAGE) {
    using folder = tempFolder()
    const store = new LibSQLStore({ id: 's', url: folder.file() })
    const messages = ['m1', 'm2', 'm3'].map(said)
    await store.threads.beginTurn({ ...key, messages, lastMessages: 0, at: 1 })
    const client = createClient({ url: folder.file() })
    await client.execute({ sql: "UPDATE retinue_messages SET message = ? WHERE id = 'm2'", args: [text] })
    const unreadable = [{ id: 'm2', sequence: 2, reason: expect.any(String) }]
    const readable = [{ id: 'm1' }, { id: 'm3' }]
    const listed = await store.threads.listMessages({ ...key, limit: 9 })
    expect(listed).toMatchObject({ messages: readable, unreadable })
    const begun = await store.threads.beginTurn({ ...key, messages: [said('m4')], lastMessages: 3, at: 1 })
    expect(begun).toMatchObject({ recalled: readable, unreadable })
    const around = await store.threads.listNeighbours({ ...key, messageId: 'm1', before: 0, after: 2 })
    expect(around).toMatchObject({ messages: readable, unreadable })
    const { found, unreadable: lost } = await store.threads.search({ ...key, query: 'm2 m3', limit: 9 })
    expect([found.map(({ message }) => message.id), lost]).toEqual([['m3'], unreadable])
    const read = store.threads.getMessage({ ...key, messageId: 'm2' })
    await expect(read).rejects.toMatchObject({ code: 'storage-row-unreadable', data: { id: 'm2' } })
    client.close()
    await store.close()
  }
})

test('S26 a damaged thread breaks no listing, and pages go on beyond it', async () => {
  using folder = tempFolder()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  for (const threadId of ['a', 'b', 'c']) await store.threads.create({ threadId, resourceId: 'ada', title: 'x', at: 1 })
  const client = createClient({ url: folder.file() })
  await client.execute("UPDATE retinue_threads SET title = '{' WHERE id = 'b'")
  const { items, unreadable } = await store.threads.list({ resourceId: 'ada' })
  expect([items.map(({ id }) => id), unreadable]).toEqual([['c', 'a'], [{ id: 'b', reason: expect.any(String) }]])
  const second = await store.threads.list({ resourceId: 'ada', limit: 2 })
  const third = await store.threads.list({ resourceId: 'ada', limit: 2, cursor: second.next as string })
  expect(third.items.map(({ id }) => id)).toEqual(['a'])
  const bad = { threadId: 'b', resourceId: 'ada' }
  await expect(store.threads.get(bad)).rejects.toMatchObject({ code: 'storage-row-unreadable' })
  // It can be mended, and deleted.
  expect(await store.threads.update({ ...bad, title: 'mended', at: 1 })).toMatchObject({ title: 'mended' })
  await store.threads.delete(bad)
  client.close()
  await store.close()
})
