import type { Storage } from '../../storage/storage.ts'
import { expectError, expectSame } from './expectations.ts'
import { ADA, BOB, idsOf, type StorageCase, said, storageCase, threadOf } from './storage-case.ts'

/** Every call that names a thread, for whomever and whichever. */
function calls({ threads, workingMemory }: Storage, key: { threadId: string; resourceId: string }) {
  return {
    get: () => threads.get(key),
    update: () => threads.update({ ...key, title: 'taken', at: 9000 }),
    delete: () => threads.delete(key),
    clone: () => threads.clone({ ...key, newThreadId: 'copy', at: 9000 }),
    append: () => threads.append({ ...key, messages: [said('x')] }),
    listMessages: () => threads.listMessages({ ...key, limit: 9 }),
    listNeighbours: () => threads.listNeighbours({ ...key, messageId: 'm1', before: 1, after: 1 }),
    search: () => threads.search({ ...key, query: 'm1', limit: 9 }),
    listTree: () => threads.listTree(key),
    searchForNothing: () => threads.search({ ...key, query: '', limit: 9 }),
    getWorkingMemory: () => workingMemory.get(key),
    setWorkingMemory: () => workingMemory.set({ ...key, text: 'taken', at: 9000 }),
    setExpectedWorkingMemory: () => workingMemory.set({ ...key, text: 'taken', expectedVersion: 1, at: 9000 }),
  }
}

const CALLED = 'ada-child'
const OWNER = 'child of ada'

/** A thread whose owner is called what somebody else is, with a message and notes; and what that somebody has. */
async function calledThread({ threads, workingMemory }: Storage): Promise<void> {
  await threads.beginTurn({
    ...{ threadId: 'c1', resourceId: OWNER, calledAs: CALLED, title: 'x' },
    ...{ messages: [said('m1')], lastMessages: 0, at: 1000 },
  })
  await workingMemory.set({ threadId: 'c1', resourceId: OWNER, text: 'of the thread', at: 1 })
  await workingMemory.set({ resourceId: OWNER, text: 'of the owner', at: 1 })
  await threads.create({ threadId: 'own', resourceId: CALLED, at: 1 })
}

export const isolationCases: readonly StorageCase[] = [
  storageCase(
    'B6.3 a thread is found by what its owner is called, and told so; nobody called so is its owner',
    async (storage) => {
      const { threads, workingMemory } = storage
      await calledThread(storage)
      const thread = { id: 'c1', resourceId: CALLED, title: 'x', createdAt: 1000, updatedAt: 1000 }
      for (const resourceId of [CALLED, OWNER]) {
        const key = { threadId: 'c1', resourceId }
        expectSame(await threads.get(key), thread, 'the thread')
        expectSame(idsOf((await threads.listMessages({ ...key, limit: 9 })).messages), ['m1'], 'its messages')
        expectSame(
          idsOf((await threads.listNeighbours({ ...key, messageId: 'm1', before: 0, after: 0 })).messages),
          ['m1'],
          'one of them',
        )
        expectSame((await threads.search({ ...key, query: 'm1', limit: 9 })).found.length, 1, 'what is found in it')
        expectSame((await workingMemory.get(key))?.text, 'of the thread', 'its notes')
        expectSame(await threads.listTree(key), [{ threadId: 'c1', resourceId: OWNER }], 'by its owner')
        await threads.clone({ ...key, newThreadId: `copy for ${resourceId}`, at: 1000 })
      }
      const ofOwner = (await threads.list({ resourceId: OWNER })).items
      expectSame(
        ofOwner.map((each) => [each.id, each.resourceId]),
        ['copy for child of ada', 'copy for ada-child', 'c1'].map((id) => [id, CALLED]),
        'what the owner has',
      )
      expectSame(idsOf((await threads.list({ resourceId: CALLED })).items), ['own'], 'what the other has')
      expectSame(
        (await threads.search({ resourceId: CALLED, query: 'm1', limit: 9 })).found,
        [],
        'what the other finds',
      )
      expectSame(await workingMemory.get({ resourceId: CALLED }), undefined, 'what the other noted')
      const turn = threads.beginTurn({
        threadId: 'c1',
        resourceId: CALLED,
        messages: [said('x')],
        lastMessages: 9,
        at: 9000,
      })
      await expectError(turn, 'thread-not-found', 'a turn of the other')
      expectSame((await threads.get({ threadId: 'c1', resourceId: OWNER })).updatedAt, 1000, 'the last use')
      await threads.delete({ threadId: 'c1', resourceId: CALLED })
      await expectError(threads.get({ threadId: 'c1', resourceId: OWNER }), 'thread-not-found', 'after it is deleted')
      expectSame((await workingMemory.get({ resourceId: OWNER }))?.text, 'of the owner', 'notes of the owner')
      await threads.create({ threadId: 'c1', resourceId: OWNER, at: 1 })
      expectSame(
        await workingMemory.get({ threadId: 'c1', resourceId: OWNER }),
        undefined,
        'notes of a thread that is deleted',
      )
    },
  ),
  storageCase('a thread of somebody else is answered as one that does not exist, by every call', async (storage) => {
    await threadOf(storage, 't1', 2)
    await storage.workingMemory.set({ threadId: 't1', resourceId: ADA, text: 'secret', at: 1 })
    const foreign = calls(storage, { threadId: 't1', resourceId: BOB })
    const missing = calls(storage, { threadId: 'none', resourceId: BOB })
    for (const name of Object.keys(foreign) as (keyof typeof foreign)[]) {
      const refused = await expectError(foreign[name](), 'thread-not-found', name)
      const absent = await expectError(missing[name](), 'thread-not-found', name)
      expectSame(refused.message.replace('t1', 'none'), absent.message, `the words of ${name}`)
    }
    const key = { threadId: 't1', resourceId: ADA }
    const { updatedAt } = await storage.threads.get(key)
    expectSame(updatedAt, 1000, 'the thread')
    const { messages } = await storage.threads.listMessages({ ...key, limit: 9 })
    expectSame(idsOf(messages), ['m1', 'm2'], 'its messages')
    expectSame((await storage.workingMemory.get(key))?.text, 'secret', 'its working memory')
  }),
  storageCase('an id that is taken by somebody else is not told to exist', async (storage) => {
    await threadOf(storage, 't1', 1)
    await threadOf(storage, 't2', 1)
    await storage.threads.create({ threadId: 'b1', resourceId: BOB, at: 1 })
    const create = storage.threads.create({ threadId: 't1', resourceId: BOB, at: 1 })
    await expectError(create, 'thread-not-found', 'create')
    const clone = storage.threads.clone({ threadId: 'b1', resourceId: BOB, newThreadId: 't2', at: 1 })
    await expectError(clone, 'thread-not-found', 'clone')
    expectSame(idsOf((await storage.threads.list({ resourceId: BOB })).items), ['b1'], 'what the other has')
    const kept = await storage.threads.listMessages({ threadId: 't2', resourceId: ADA, limit: 9 })
    expectSame(idsOf(kept.messages), ['m1'], 'the thread that was meant')
  }),
  storageCase('search, listings and working memory are of one resource', async (storage) => {
    const { threads, workingMemory } = storage
    await threadOf(storage, 't1', 2)
    await threads.create({ threadId: 'b1', resourceId: BOB, at: 1 })
    await threads.append({ threadId: 'b1', resourceId: BOB, messages: [said('mine', 'm1')] })
    await workingMemory.set({ resourceId: ADA, text: 'likes tea', at: 1 })
    const { found } = await threads.search({ resourceId: BOB, query: 'm1', limit: 9 })
    expectSame(idsOf(found.map(({ message }) => message)), ['mine'], 'what is found')
    expectSame(idsOf((await threads.list({ resourceId: BOB })).items), ['b1'], 'what is listed')
    expectSame(await workingMemory.get({ resourceId: BOB }), undefined, 'the working memory')
  }),
]
