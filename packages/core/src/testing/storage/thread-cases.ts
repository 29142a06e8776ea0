import type { Storage } from '../../storage/storage.ts'
import type { ThreadKey, ThreadQuery } from '../../storage/threads.ts'
import { expectError, expectSame, expectTrue } from './expectations.ts'
import { ADA, BOB, idsOf, type StorageCase, said, storageCase, threadOf } from './storage-case.ts'

const T1 = { threadId: 't1', resourceId: ADA }

export const threadCases: readonly StorageCase[] = [
  storageCase('a thread that is made can be read, with title, metadata and times', async ({ threads }) => {
    const thread = {
      id: 't1',
      resourceId: ADA,
      title: 'Täst',
      metadata: { color: 'red', deep: { list: [1, null, ''] } },
      createdAt: 1000,
      updatedAt: 1000,
    }
    const { title, metadata } = thread
    expectSame(await threads.create({ ...T1, title, metadata, at: 1000 }), thread, 'what create gives')
    expectSame(await threads.get(T1), thread, 'what get gives')
    await threads.create({ threadId: 't2', resourceId: ADA, at: 5 })
    const bare = { id: 't2', resourceId: ADA, createdAt: 5, updatedAt: 5 }
    expectSame(await threads.get({ threadId: 't2', resourceId: ADA }), bare, 'a thread with nothing')
  }),
  storageCase('an id is had once', async ({ threads }) => {
    await threads.create({ ...T1, title: 'first', at: 1 })
    await expectError(threads.create({ ...T1, title: 'second', at: 2 }), 'thread-exists', 'the same id again')
    expectSame((await threads.get(T1)).title, 'first', 'the title')
  }),
  storageCase('a thread is renamed, and its metadata replaced or taken away', async ({ threads }) => {
    await threads.create({ ...T1, title: 'old', metadata: { a: 1 }, at: 10 })
    const renamed = { id: 't1', resourceId: ADA, title: 'new', metadata: { a: 1 }, createdAt: 10, updatedAt: 20 }
    expectSame(await threads.update({ ...T1, title: 'new', at: 20 }), renamed, 'what update gives')
    const replaced = await threads.update({ ...T1, metadata: { b: 2 }, at: 30 })
    expectSame(replaced, { ...renamed, metadata: { b: 2 }, updatedAt: 30 }, 'after other metadata')
    const bare = { id: 't1', resourceId: ADA, createdAt: 10, updatedAt: 30 }
    expectSame(await threads.update({ ...T1, title: null, metadata: null, at: 25 }), bare, 'taken away')
    expectSame(await threads.get(T1), bare, 'what get gives; time does not go back')
  }),
  storageCase(
    'B6.1 a title for a thread that has none is given to no other, also of two at once',
    async ({ threads }) => {
      await threads.create({ ...T1, at: 10 })
      const give = (title: string) =>
        threads.update({ ...T1, title, onlyUntitled: true, metadata: { by: title }, at: 0 })
      const given = await Promise.all([give('one'), give('two')])
      const named = { id: 't1', resourceId: ADA, title: 'one', createdAt: 10, updatedAt: 10 }
      expectSame(
        given,
        ['one', 'two'].map((by) => ({ ...named, metadata: { by } })),
        'what update gives',
      )
      expectSame((await threads.update({ ...T1, title: 'three', at: 0 })).title, 'three', 'another title')
      await threads.update({ ...T1, title: null, at: 0 })
      expectSame((await give('four')).title, 'four', 'a title after it was taken away')
    },
  ),
  storageCase('a thread is deleted with its messages and its working memory', async (storage) => {
    const { threads, workingMemory } = storage
    await threadOf(storage, 't1', 3)
    await threadOf(storage, 't2', 2)
    await workingMemory.set({ ...T1, text: 'notes', at: 1 })
    await workingMemory.set({ resourceId: ADA, text: 'of all', at: 1 })
    await threads.delete(T1)
    await expectError(threads.get(T1), 'thread-not-found', 'get')
    await expectError(threads.delete(T1), 'thread-not-found', 'delete again')
    expectSame((await threads.search({ resourceId: ADA, query: 'm3', limit: 9 })).found, [], 'what is found of it')
    // Whoever takes the id again finds nothing of what was there.
    await threads.create({ ...T1, at: 2 })
    expectSame((await threads.listMessages({ ...T1, limit: 9 })).messages, [], 'its messages')
    expectSame(await workingMemory.get(T1), undefined, 'its working memory')
    const other = await threads.listMessages({ threadId: 't2', resourceId: ADA, limit: 9 })
    expectSame(idsOf(other.messages), ['m1', 'm2'], 'the other thread')
    expectSame((await workingMemory.get({ resourceId: ADA }))?.text, 'of all', 'the text of the resource')
  }),
  storageCase(
    'B6.6 the threads under one are found by it and its owner, at any depth, and no others',
    async ({ threads }) => {
      const under = (threadId: string): ThreadKey => ({ threadId, resourceId: `child:${ADA}` })
      const begin = (key: ThreadKey, parent?: ThreadKey) =>
        threads.beginTurn({ ...key, messages: [], lastMessages: 0, at: 1, ...(parent ? { parent } : {}) })
      // One is older than the thread that it is for: that was deleted and made anew.
      await begin(under('t1-a'), T1)
      await threads.create({ ...T1, at: 1 })
      await begin(under('t1-a-b'), under('t1-a'))
      await begin(under('t1-c'), T1)
      // For a thread of that id that somebody else has elsewhere.
      await begin({ threadId: 't1-x', resourceId: `child:${BOB}` }, { threadId: 't1', resourceId: BOB })
      // Their ids begin as those above, and they are somebody's own.
      await begin(under('t1-d'))
      await begin({ threadId: 't1-e', resourceId: ADA })
      // A thread that is there stays where it is.
      await begin(under('t1-d'), T1)
      await begin(under('t1-c'), under('t1-d'))
      await threads.clone({ ...under('t1-c'), newThreadId: 't2', at: 1 })
      expectSame(await threads.listTree(T1), [...['t1-c', 't1-a-b', 't1-a'].map(under), T1], 'it and those under it')
      expectSame(await threads.listTree(under('t1-a')), ['t1-a-b', 't1-a'].map(under), 'one of them and those under it')
      expectSame(await threads.listTree(under('t1-a-b')), [under('t1-a-b')], 'the lowest')
      await expectError(threads.listTree(under('t1')), 'thread-not-found', 'for who does not own it')
      await threads.delete(under('t1-a-b'))
      expectSame(await threads.listTree(T1), [...['t1-c', 't1-a'].map(under), T1], 'after one is deleted')
      await threads.delete(T1)
      expectSame((await threads.get(under('t1-c'))).id, 't1-c', 'one that stays')
    },
  ),
  storageCase('a thread is copied: same words in the same order, new ids, and apart from then on', cloned),
  storageCase('a thread is not copied onto one that is there', async (storage) => {
    const { threads } = storage
    await threadOf(storage, 't1', 2)
    await threadOf(storage, 't2', 1)
    await expectError(threads.clone({ ...T1, newThreadId: 't2', at: 1 }), 'thread-exists', 'clone')
    const kept = await threads.listMessages({ threadId: 't2', resourceId: ADA, limit: 9 })
    expectSame(idsOf(kept.messages), ['m1'], 'the thread that was there')
    await expectError(
      threads.clone({ threadId: 'none', resourceId: ADA, newThreadId: 't3', at: 1 }),
      'thread-not-found',
      'clone of none',
    )
    await expectError(threads.get({ threadId: 't3', resourceId: ADA }), 'thread-not-found', 'the copy of none')
  }),
  storageCase('threads are listed by pages, newest first, whatever is added meanwhile', async (storage) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await storage.threads.create({ threadId: id, resourceId: ADA, at: 7 })
    const pages = await walk(storage, { resourceId: ADA, limit: 2 }, (page) =>
      storage.threads.create({ threadId: `new${page}`, resourceId: ADA, at: 9 }),
    )
    expectSame(pages, [['e', 'd'], ['c', 'b'], ['a']], 'the pages')
    const all = await storage.threads.list({ resourceId: ADA })
    expectSame(idsOf(all.items).length, 8, 'all of them')
    expectTrue(all.next === undefined, 'a last page has no next')
    expectSame((await storage.threads.list({ resourceId: 'nobody' })).items, [], 'of a resource without any')
  }),
  storageCase('threads are listed by their last use', async (storage) => {
    const { threads } = storage
    for (const id of ['a', 'b', 'c', 'd']) await threads.create({ threadId: id, resourceId: ADA, at: 7 })
    await threads.append({ threadId: 'b', resourceId: ADA, messages: [said('m', 'hello', 50)] })
    await threads.update({ threadId: 'a', resourceId: ADA, title: 'x', at: 60 })
    const pages = await walk(storage, { resourceId: ADA, limit: 1, order: 'updated' }, async () => {})
    expectSame(pages, [['a'], ['b'], ['d'], ['c']], 'the pages')
    const [first] = (await threads.list({ resourceId: ADA, order: 'updated' })).items
    expectSame(first?.updatedAt, 60, 'the last use')
    const cursor = (await threads.list({ resourceId: ADA, limit: 1 })).next ?? ''
    await expectError(threads.list({ resourceId: ADA, order: 'updated', cursor }), 'option-invalid', 'a foreign cursor')
    for (const bad of ['', 'x', 'c.', 'c.x', 'c.1.5', 'c.1.2', 'u.1.2']) {
      await expectError(threads.list({ resourceId: ADA, cursor: bad }), 'option-invalid', `the cursor '${bad}'`)
    }
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expectError(threads.list({ resourceId: ADA, limit }), 'option-invalid', `${limit} threads`)
      await expectError(threads.search({ resourceId: ADA, query: 'x', limit }), 'option-invalid', `${limit} found`)
    }
    const unknown = { resourceId: ADA, order: 'bogus' as never }
    await expectError(threads.list(unknown), 'option-invalid', 'an order that is none')
  }),
]

async function cloned(storage: Storage): Promise<void> {
  const { threads, workingMemory } = storage
  await threads.create({ ...T1, title: 'talk', metadata: { a: 1 }, at: 1 })
  await threads.append({ ...T1, messages: [{ ...said('m1', 'one'), metadata: { k: 'v' } }, said('m2', 'two')] })
  await workingMemory.set({ ...T1, text: 'notes', at: 1 })
  const copy = await threads.clone({ ...T1, newThreadId: 't2', at: 2000 })
  const made = { id: 't2', resourceId: ADA, title: 'talk', metadata: { a: 1 }, createdAt: 2000, updatedAt: 2000 }
  expectSame(copy, made, 'the copy')
  const T2 = { threadId: 't2', resourceId: ADA }
  const [old, copied] = await Promise.all([T1, T2].map((key) => threads.listMessages({ ...key, limit: 9 })))
  const wordsOf = (page: typeof old) =>
    page?.messages.map(({ message, metadata, createdAt }) => ({ message, metadata, createdAt }))
  expectSame(wordsOf(copied), wordsOf(old), 'the words')
  const ids = new Set([...(old?.messages ?? []), ...(copied?.messages ?? [])].map(({ id }) => id))
  expectSame(ids.size, 4, 'how many ids there are')
  expectSame((await workingMemory.get(T2))?.text, 'notes', 'the working memory')
  await threads.append({ ...T2, messages: [said('m3', 'three')] })
  await threads.delete(T1)
  expectSame(
    (await threads.listMessages({ ...T2, limit: 9 })).messages.length,
    3,
    'the copy after the original is gone',
  )
  expectSame((await threads.search({ ...T2, query: 'two', limit: 9 })).found.length, 1, 'what is found in the copy')
  const renamed = await threads.clone({ ...T2, newThreadId: 't3', title: null, metadata: { b: 2 }, at: 3000 })
  const other = { id: 't3', resourceId: ADA, metadata: { b: 2 }, createdAt: 3000, updatedAt: 3000 }
  expectSame(renamed, other, 'a copy with other facts')
}

/** The ids of each page; `between` is done after each. */
async function walk(
  { threads }: Storage,
  query: ThreadQuery,
  between: (page: number) => Promise<unknown>,
): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const { items, next } = await threads.list({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(idsOf(items))
    await between(pages.length)
    cursor = next
  } while (cursor !== undefined && pages.length < 10)
  return pages
}
