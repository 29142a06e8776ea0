import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage, InMemoryVectors, type Storage } from '@retinue/core/storage'
import { scriptedModels } from '@retinue/core/testing'
import { LibSQLStore } from '@retinue/libsql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { wordEmbedder } from '../test-support/embedder.ts'
import { ownerOf } from '../test-support/owner.ts'
import { said } from '../test-support/said.ts'
import { Memory } from './index.ts'

const key = { threadId: 't1', resourceId: 'u1' }
const RESEARCH = ownerOf('u1', 'research')

async function withMessages(count: number): Promise<Memory> {
  const memory = new Memory({ storage: new InMemoryStorage() })
  await memory.createThread(key)
  const messages = Array.from({ length: count }, (_none, index) => ({
    id: `m${index + 1}`,
    // Clocks go back: the order is that of saving.
    createdAt: 1000 - index,
    message: { role: 'user' as const, content: [{ type: 'text' as const, text: String(index + 1) }] },
  }))
  await memory.storage.threads.append({ ...key, messages })
  return memory
}

describe('B6.6 threads', () => {
  test('are made with an id, listed, renamed and deleted with what hangs on them', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    const made = await memory.createThread({ resourceId: 'u1', title: 'One', metadata: { a: 1 } })
    expect(made.id).toMatch(/.{8,}/)
    const id = { threadId: made.id, resourceId: 'u1' }
    await expect(memory.createThread(id)).rejects.toMatchObject({ code: 'thread-exists' })
    expect(await memory.updateThread({ ...id, title: 'Two' })).toMatchObject({ title: 'Two', metadata: { a: 1 } })
    expect(await memory.updateThread({ ...id, title: null, metadata: null })).not.toHaveProperty('title')
    await memory.storage.workingMemory.set({ ...id, text: 'note', at: 1 })
    await memory.deleteThread(id)
    expect((await memory.listThreads({ resourceId: 'u1' })).items).toEqual([])
    await memory.createThread(id)
    expect(await memory.storage.workingMemory.get(id)).toBeUndefined()
  })

  test('are listed by pages, the newest or the last used first', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    for (const threadId of ['a', 'b', 'c']) await memory.createThread({ threadId, resourceId: 'u1' })
    const first = await memory.listThreads({ resourceId: 'u1', limit: 2 })
    expect(first.items.map(({ id }) => id)).toEqual(['c', 'b'])
    const { next = '' } = first
    const second = await memory.listThreads({ resourceId: 'u1', limit: 2, cursor: next })
    expect(second.items.map(({ id }) => id)).toEqual(['a'])
    const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }
    const later = { id: '1', message, createdAt: Date.now() + 10 }
    await memory.storage.threads.append({ threadId: 'a', resourceId: 'u1', messages: [later] })
    const used = await memory.listThreads({ resourceId: 'u1', order: 'updated' })
    expect(used.items[0]?.id).toBe('a')
  })

  test('every call is for a resource: a thread of another is not found', async () => {
    const memory = await withMessages(2)
    const foreign = { threadId: 't1', resourceId: 'u2' }
    const refused = { code: 'thread-not-found' }
    await expect(memory.recall(foreign)).rejects.toMatchObject(refused)
    await expect(memory.getThread(foreign)).rejects.toMatchObject(refused)
    await expect(memory.updateThread({ ...foreign, title: 'x' })).rejects.toMatchObject(refused)
    await expect(memory.deleteThread(foreign)).rejects.toMatchObject(refused)
    await expect(memory.cloneThread(foreign)).rejects.toMatchObject(refused)
    await expect(memory.createThread(foreign)).rejects.toMatchObject(refused)
    expect((await memory.listThreads({ resourceId: 'u2' })).items).toEqual([])
    expect((await memory.recall(key)).messages).toHaveLength(2)
  })

  test('messages are read by pages, backwards from the last or forwards from any, in the order of saving', async () => {
    const memory = await withMessages(5)
    const texts = async (query: { limit?: number; before?: number; after?: number }) => {
      const { messages, hasMore } = await memory.recall({ ...key, ...query })
      return [
        said(messages)
          .map((each) => each.replace('user: ', ''))
          .join(''),
        hasMore,
      ]
    }
    expect(await texts({})).toEqual(['12345', false])
    expect(await texts({ limit: 2 })).toEqual(['45', true])
    const { messages } = await memory.recall({ ...key, limit: 2 })
    const before = messages[0]?.sequence ?? 0
    expect(await texts({ limit: 2, before })).toEqual(['23', true])
    expect(await texts({ limit: 2, after: before - 3 })).toEqual(['23', true])
    expect(await texts({ limit: 2, after: before - 1 })).toEqual(['45', false])
    expect(messages[0]).toMatchObject({ id: 'm4', createdAt: 997, role: 'user' })
    await expect(memory.recall({ ...key, limit: 0 })).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test('a clone has the messages under new ids, and goes its own way', async () => {
    const memory = await withMessages(2)
    await memory.storage.workingMemory.set({ ...key, text: 'note', at: 1 })
    const copy = await memory.cloneThread({ ...key, title: 'Copy' })
    const copied = { threadId: copy.id, resourceId: 'u1' }
    const { messages } = await memory.recall(copied)
    expect(said(messages)).toEqual(['user: 1', 'user: 2'])
    expect(messages.map(({ id }) => id)).not.toContain('m1')
    expect(await memory.storage.workingMemory.get(copied)).toMatchObject({ text: 'note' })
    await memory.deleteThread(key)
    expect((await memory.recall(copied)).messages).toHaveLength(2)
  })
})

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-threads-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return `file:${join(folder, 'app.db')}`
}

/** A supervisor, what is below it and what is below that, with one memory; each run delegates all the way down. */
function tree(storage: Storage) {
  const vector = new InMemoryVectors()
  const embedder = wordEmbedder({ food: ['soup'] })
  const memory = new Memory({ storage, vector, embedder, options: { semanticRecall: true } })
  const leaf = new Agent({ id: 'leaf', description: 'Digs.', memory })
  const research = new Agent({ id: 'research', description: 'Finds.', agents: { leaf }, memory })
  const supervisor = new Agent({ id: 'supervisor', agents: { research }, memory })
  const run = async (thread: string, resource: string) => {
    const { resolveModel } = scriptedModels({
      supervisor: [{ calls: [{ name: 'research', args: { prompt: 'soup?' } }] }, { text: 'soup' }],
      'supervisor/research': [{ calls: [{ name: 'leaf', args: { prompt: 'soup?' } }] }, { text: 'soup' }],
      'supervisor/research/leaf': [{ text: 'soup' }],
    })
    await supervisor.generate('soup?', { memory: { thread, resource }, resolveModel })
    await memory.settled()
  }
  const idsOf = async (resourceId: string) => (await storage.threads.list({ resourceId })).items.map(({ id }) => id)
  const vectors = (resourceId: string) => vector.query({ vector: [1, 0], topK: 99, filter: { resourceId } })
  return { memory, run, idsOf, vectors }
}

test('B6.6 an order that is none is refused, whatever the storage', async () => {
  for (const storage of [new InMemoryStorage(), new LibSQLStore({ id: 's', url: file() })]) {
    const memory = new Memory({ storage })
    for (const order of ['bogus', '', null, 1] as unknown as 'created'[]) {
      const listing = memory.listThreads({ resourceId: 'u1', order })
      await expect(listing).rejects.toMatchObject({ code: 'option-invalid', data: { option: 'order' } })
    }
    for (const order of ['created', 'updated'] as const)
      expect((await memory.listThreads({ resourceId: 'u1', order })).items).toEqual([])
    await storage.close()
  }
})

describe('B6.6 a thread that is deleted takes the threads of its delegations along', () => {
  for (const [where, make] of [
    ['in memory', () => new InMemoryStorage()],
    ['in a file', () => new LibSQLStore({ id: 's', url: file() })],
  ] as const) {
    test(`${where}: at any depth, with their vectors, and nothing else`, async () => {
      const storage = make()
      const { memory, run, idsOf, vectors } = tree(storage)
      const random = crypto.randomUUID()
      await run('t1', 'u1')
      await run('t1', 'u1')
      // Ids that begin as that of the thread, and as those of its delegations.
      await run(`t1-${random}`, 'u1')
      await run('t1-2', 'u1')
      await run(`t1-${crypto.randomUUID()}`, 'u1-research')
      // The last two are of a person who is called as the owners of the first.
      const levels = [RESEARCH, ownerOf('u1', 'research', 'leaf'), 'u1-research', ownerOf('u1-research', 'research')]
      const before = await Promise.all(levels.map(idsOf))
      expect(before.map(({ length }) => length)).toEqual([4, 4, 1, 1])
      await memory.deleteThread(key)
      const left = await Promise.all(levels.map(idsOf))
      expect(left.map(({ length }) => length)).toEqual([2, 2, 1, 1])
      expect(left[0]?.filter((id) => id.startsWith(`t1-${random}-`))).toHaveLength(1)
      expect(left[0]?.filter((id) => id.startsWith('t1-2-'))).toHaveLength(1)
      expect(left).toEqual(left.map((ids, level) => before[level]?.filter((id) => ids.includes(id))))
      expect((await idsOf('u1')).toSorted()).toEqual([`t1-${random}`, 't1-2'].toSorted())
      for (const [level, resourceId] of levels.entries()) {
        const threads = new Set((await vectors(resourceId)).map(({ metadata }) => metadata['threadId']))
        expect([...threads].toSorted()).toEqual(left[level]?.toSorted())
      }
      await memory.deleteThread({ threadId: 't1-2', resourceId: 'u1' })
      expect((await Promise.all(levels.map(idsOf))).map(({ length }) => length)).toEqual([1, 1, 1, 1])
      await storage.close()
    })
  }

  test('one whose id another thread has in another storage does not take its delegations along', async () => {
    const { memory, run, idsOf } = tree(new InMemoryStorage())
    await run('t1', 'u1')
    await memory.storage.threads.delete(key)
    const foreign = { threadId: 't1', resourceId: 'u2' }
    await memory.createThread(foreign)
    await memory.deleteThread(foreign)
    expect([(await idsOf(RESEARCH)).length, (await idsOf(ownerOf('u1', 'research', 'leaf'))).length]).toEqual([1, 1])
  })

  test('one of somebody else takes nothing along', async () => {
    const { memory, run, idsOf } = tree(new InMemoryStorage())
    await run('t1', 'u1')
    const foreign = { threadId: 't1', resourceId: 'u2' }
    await expect(memory.deleteThread(foreign)).rejects.toMatchObject({ code: 'thread-not-found' })
    expect([(await idsOf('u1')).length, (await idsOf(RESEARCH)).length]).toEqual([1, 1])
  })
})
