import { expectError, expectSame } from './expectations.ts'
import { ADA, type StorageCase, storageCase, threadOf } from './storage-case.ts'

export const workingMemoryCases: readonly StorageCase[] = [
  storageCase('working memory is kept for a resource and for each of its threads', async (storage) => {
    const { workingMemory } = storage
    await threadOf(storage, 't1', 0)
    await threadOf(storage, 't2', 0)
    const keys = [{ resourceId: ADA }, { resourceId: ADA, threadId: 't1' }]
    for (const key of keys) expectSame(await workingMemory.get(key), undefined, 'before anything was written')
    for (const [index, key] of keys.entries()) {
      const set = await workingMemory.set({ ...key, text: `text ${index}`, at: 5 })
      expectSame(set, { text: `text ${index}`, version: 1, updatedAt: 5 }, 'what set gives')
    }
    for (const [index, key] of keys.entries()) {
      const got = await workingMemory.get(key)
      expectSame(got, { text: `text ${index}`, version: 1, updatedAt: 5 }, 'what get gives')
    }
    expectSame(await workingMemory.get({ resourceId: ADA, threadId: 't2' }), undefined, 'of the other thread')
    const forgotten = await workingMemory.set({ resourceId: ADA, text: '', at: 7 })
    expectSame(forgotten, { text: '', version: 2, updatedAt: 7 }, 'an empty text')
  }),
  storageCase('who writes over a version that is gone by now is told, and writes nothing', async (storage) => {
    const { workingMemory } = storage
    await threadOf(storage, 't1', 0)
    for (const key of [{ resourceId: ADA }, { resourceId: ADA, threadId: 't1' }]) {
      await expectError(workingMemory.set({ ...key, text: 'x', expectedVersion: 1, at: 1 }), 'storage-conflict', 'none')
      await workingMemory.set({ ...key, text: 'first', expectedVersion: 0, at: 1 })
      const stale = workingMemory.set({ ...key, text: 'stale', expectedVersion: 0, at: 2 })
      await expectError(stale, 'storage-conflict', 'a version that is gone')
      const next = await workingMemory.set({ ...key, text: 'second', expectedVersion: 1, at: 3 })
      expectSame(next, { text: 'second', version: 2, updatedAt: 3 }, 'the version that was read')
      expectSame((await workingMemory.set({ ...key, text: 'third', at: 4 })).version, 3, 'without a version')
      const there = { text: 'third', version: 3, updatedAt: 4 }
      expectSame(await workingMemory.get(key), there, 'what is there')
    }
  }),
  storageCase('of writers at once over one version, one wins', async ({ workingMemory }) => {
    const key = { resourceId: ADA }
    await workingMemory.set({ ...key, text: 'start', at: 1 })
    const writers = ['a', 'b', 'c', 'd'].map((text) => workingMemory.set({ ...key, text, expectedVersion: 1, at: 2 }))
    const outcomes = await Promise.allSettled(writers)
    const winners = outcomes.filter(({ status }) => status === 'fulfilled')
    expectSame(winners.length, 1, 'how many won')
    expectSame((await workingMemory.get(key))?.version, 2, 'the version')
  }),
]
