import { expectError, expectSame, expectTrue } from './expectations.ts'
import { ADA, BOB, idsOf, type StorageCase, said, storageCase, threadOf } from './storage-case.ts'

const T1 = { threadId: 't1', resourceId: ADA }

export const turnCases: readonly StorageCase[] = [
  storageCase('the first turn makes its thread', async ({ threads }) => {
    const begun = await threads.beginTurn({
      ...T1,
      title: 'talk',
      metadata: { a: 1 },
      messages: [said('m1')],
      lastMessages: 10,
      at: 1000,
    })
    const thread = { id: 't1', resourceId: ADA, title: 'talk', metadata: { a: 1 }, createdAt: 1000, updatedAt: 1000 }
    expectSame(begun.thread, thread, 'the thread')
    expectSame([begun.recalled, begun.unreadable, begun.workingMemory], [[], [], undefined], 'what is recalled')
    const { messages } = await threads.listMessages({ ...T1, limit: 9 })
    expectSame(idsOf(messages), ['m1'], 'what is saved')
    expectSame(begun.sequences, [messages[0]?.sequence], 'its place')
  }),
  storageCase('a later turn recalls the last messages before its own', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 5)
    await threadOf(storage, 't2', 2)
    const turn = { ...T1, title: 'ignored', messages: [said('q1'), said('q2')], lastMessages: 3, at: 5000 }
    const begun = await threads.beginTurn(turn)
    expectSame(idsOf(begun.recalled), ['m3', 'm4', 'm5'], 'what is recalled')
    expectSame(begun.thread, { id: 't1', resourceId: ADA, createdAt: 1000, updatedAt: 5000 }, 'the thread')
    // A caller that does not know whether its first call came through makes it again.
    const again = await threads.beginTurn(turn)
    expectSame(again, begun, 'the same turn again')
    const { messages } = await threads.listMessages({ ...T1, limit: 9 })
    expectSame(idsOf(messages), ['m1', 'm2', 'm3', 'm4', 'm5', 'q1', 'q2'], 'what is saved')
    const silent = await threads.beginTurn({ ...T1, messages: [], lastMessages: 2, at: 5000 })
    expectSame([idsOf(silent.recalled), silent.sequences], [['q1', 'q2'], []], 'a turn without messages')
    await threads.beginTurn({ ...T1, messages: [], lastMessages: 0, at: 4000 })
    await threads.append({ ...T1, messages: [said('old', 'old', 3000)] })
    expectSame((await threads.get(T1)).updatedAt, 5000, 'the last use, which does not go back')
    const bare = await threads.beginTurn({ ...T1, messages: [said('q3')], lastMessages: 0, at: 5000 })
    expectSame(bare.recalled, [], 'a turn that recalls nothing')
  }),
  storageCase('a turn reads the working memory along', async ({ threads, workingMemory }) => {
    const turn = { ...T1, messages: [], lastMessages: 0, at: 1 }
    await workingMemory.set({ resourceId: ADA, text: 'likes tea', at: 5 })
    expectSame((await threads.beginTurn({ ...turn, workingMemory: 'thread' })).workingMemory, undefined, 'none yet')
    await workingMemory.set({ ...T1, text: 'of this talk', at: 6 })
    const ofThread = { text: 'of this talk', version: 1, updatedAt: 6 }
    expectSame((await threads.beginTurn({ ...turn, workingMemory: 'thread' })).workingMemory, ofThread, 'of the thread')
    const ofResource = { text: 'likes tea', version: 1, updatedAt: 5 }
    const begun = await threads.beginTurn({ ...turn, workingMemory: 'resource' })
    expectSame(begun.workingMemory, ofResource, 'of the resource')
    expectSame((await threads.beginTurn(turn)).workingMemory, undefined, 'not asked for')
  }),
  storageCase('a turn on a thread of somebody else is refused and writes nothing', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 1)
    const turn = { threadId: 't1', resourceId: BOB, messages: [said('x')], lastMessages: 9, at: 9000 }
    await expectError(threads.beginTurn(turn), 'thread-not-found', 'beginTurn')
    expectSame(idsOf((await threads.listMessages({ ...T1, limit: 9 })).messages), ['m1'], 'what is saved')
    expectSame((await threads.get(T1)).updatedAt, 1000, 'the last use')
    expectSame((await threads.list({ resourceId: BOB })).items, [], 'what the other has')
  }),
  storageCase('a turn takes the place of a message and of all after it', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 5)
    await threadOf(storage, 't2', 3)
    const replace = { from: 'm3', keep: ['m4', 'none'] }
    const turn = { ...T1, messages: [said('m3', 'anew'), said('q')], lastMessages: 9, at: 5000 }
    const begun = await threads.beginTurn({ ...turn, replace })
    expectSame(idsOf(begun.recalled), ['m1', 'm2', 'm4'], 'what is recalled')
    const { messages } = await threads.listMessages({ ...T1, limit: 9 })
    expectSame(idsOf(messages), ['m1', 'm2', 'm4', 'm3', 'q'], 'what is there')
    expectSame(messages[3]?.message, said('m3', 'anew').message, 'what is said anew')
    expectSame(
      begun.sequences,
      messages.slice(3).map(({ sequence }) => sequence),
      'its place',
    )
    const found = await threads.search({ resourceId: ADA, threadId: 't1', query: 'm5', limit: 9 })
    expectSame(found.found, [], 'what is found of what is gone')
    const other = await threads.listMessages({ threadId: 't2', resourceId: ADA, limit: 9 })
    expectSame(idsOf(other.messages), ['m1', 'm2', 'm3'], 'the same ids in another thread')
    await threads.append({ ...T1, messages: [said('m5')] })
    const last = (await threads.listMessages({ ...T1, limit: 1 })).messages[0]
    expectTrue((last?.sequence ?? 0) > (begun.sequences[1] ?? 0), 'a sequence is used again')
    // All of it.
    const all = await threads.beginTurn({
      ...T1,
      messages: [said('m1')],
      replace: { from: 'm1' },
      lastMessages: 9,
      at: 1,
    })
    expectSame([all.recalled, all.thread?.updatedAt], [[], 5000], 'what is left')
  }),
  storageCase('a turn that takes the place of nothing writes nothing', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 2)
    const owner = { threadId: 'd1', resourceId: 'owner-of-d1' }
    await threads.beginTurn({ ...owner, calledAs: ADA, messages: [said('m1')], lastMessages: 0, at: 1000 })
    const turn = { messages: [said('x')], lastMessages: 9, replace: { from: 'm1' }, at: 9000 }
    const gone = { ...turn, replace: { from: 'gone' } }
    await expectError(threads.beginTurn({ ...T1, ...gone }), 'message-not-found', 'no such message')
    await expectError(threads.beginTurn({ threadId: 't1', resourceId: BOB, ...turn }), 'thread-not-found', 'another’s')
    await expectError(threads.beginTurn({ threadId: 't9', resourceId: ADA, ...turn }), 'thread-not-found', 'no thread')
    await expectError(threads.beginTurn({ threadId: 'd1', resourceId: ADA, ...turn }), 'thread-not-found', 'a name')
    expectSame(idsOf((await threads.listMessages({ ...T1, limit: 9 })).messages), ['m1', 'm2'], 'what is there')
    expectSame(idsOf((await threads.listMessages({ ...owner, limit: 9 })).messages), ['m1'], 'what the owner has')
    expectSame((await threads.get(T1)).updatedAt, 1000, 'the last use')
    expectSame(idsOf((await threads.list({ resourceId: ADA })).items), ['t1'], 'the threads')
  }),
  storageCase('turns that begin at once on a new thread all find it', async ({ threads }) => {
    const turns = ['a', 'b', 'c', 'd'].map((id) =>
      threads.beginTurn({ ...T1, messages: [said(id)], lastMessages: 9, at: 1 }),
    )
    const recalled = (await Promise.all(turns)).map((begun) => begun.recalled.length)
    expectSame(recalled.toSorted(), [0, 1, 2, 3], 'how much each recalls')
  }),
]
