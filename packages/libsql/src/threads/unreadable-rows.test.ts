import { createClient } from '@libsql/client'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'
import { LibSQLVector } from '../libsql-vector.ts'

const key = { threadId: 't1', resourceId: 'ada' }
const said = (id: string) => ({
  id,
  message: { role: 'user' as const, content: [{ type: 'text' as const, text: `word ${id}` }] },
  createdAt: 1,
})

const DAMAGE = ['', '{', 'null', '{"role":"user"}', '{"role":"nobody","content":[]}', '{"$retinue":"new"}', '[[1]]']

test('S26 a damaged row breaks no listing: it is told beside what can be read', async () => {
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

test('S26 a thread whose title or notes are damaged is gone on in: they are told, stay as they are, and are errors by their ids', async () => {
  for (const text of DAMAGE) {
    using folder = tempFolder()
    const store = new LibSQLStore({ id: 's', url: folder.file() })
    const turn = (id: string) => ({
      ...key,
      messages: [said(id)],
      lastMessages: 9,
      workingMemory: 'thread' as const,
      at: 1,
    })
    await store.threads.beginTurn({ ...turn('m1'), title: 'x' })
    await store.workingMemory.set({ ...key, text: 'notes', at: 1 })
    await store.workingMemory.set({ resourceId: 'ada', text: 'notes', at: 1 })
    const client = createClient({ url: folder.file() })
    await client.execute({ sql: 'UPDATE retinue_threads SET title = ?', args: [text] })
    const begun = await store.threads.beginTurn(turn('m2'))
    const unreadable = { id: 't1', reason: expect.any(String) }
    expect(begun).toEqual({
      sequences: [2],
      recalled: [expect.objectContaining({ id: 'm1' })],
      unreadable: [unreadable],
      workingMemory: { text: 'notes', version: 1, updatedAt: 1 },
    })
    const titled = store.threads.update({ ...key, title: 'new', onlyUntitled: true, at: 1 })
    await expect(titled).rejects.toMatchObject({ code: 'storage-row-unreadable' })
    await client.execute({ sql: 'UPDATE retinue_working_memory SET text = ?', args: [text] })
    const again = await store.threads.beginTurn(turn('m3'))
    expect([again.unreadable, again.workingMemory]).toEqual([[unreadable, unreadable], undefined])
    for (const [where, id] of [
      [key, 't1'],
      [{ resourceId: 'ada' }, 'ada'],
    ] as const)
      await expect(store.workingMemory.get(where)).rejects.toMatchObject({
        code: 'storage-row-unreadable',
        data: { id },
      })
    client.close()
    await store.close()
  }
})

test('S26 a damaged vector is a typed error', async () => {
  using folder = tempFolder()
  const vectors = new LibSQLVector({ id: 'v', url: folder.file() })
  await vectors.upsert([{ id: 'v1', vector: [1], metadata: { resourceId: 'ada' } }])
  const client = createClient({ url: folder.file() })
  await client.execute("UPDATE retinue_vectors SET facts = facts || '{'")
  const query = vectors.query({ vector: [1], topK: 1, filter: { resourceId: 'ada' } })
  await expect(query).rejects.toMatchObject({ code: 'storage-row-unreadable', data: { id: 'v1' } })
  client.close()
  await vectors.close()
})
