import { InMemoryStorage } from '@retinue/core/storage'
import { describe, expect, test } from 'vitest'
import { said } from '../test-support/said.ts'
import { Memory } from './index.ts'

const key = { threadId: 't1', resourceId: 'u1' }

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
