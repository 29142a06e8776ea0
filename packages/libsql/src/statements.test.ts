import { type Storage, storageClosed } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { watchStatements } from '../test-support/statements.ts'
import { tempFolder } from '../test-support/temp-folder.ts'
import { LibSQLStore } from './libsql-store.ts'

const key = { threadId: 't1', resourceId: 'ada' }
const said = (id: string) => ({
  id,
  message: { role: 'user' as const, content: [{ type: 'text' as const, text: id }] },
  createdAt: 1,
})

/** How often each kind of statement was run. */
function kinds(statements: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const statement of statements) {
    const kind = statement.split(' ')[0] as string
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

async function opened(url: string): Promise<Storage> {
  const store = new LibSQLStore({ id: 's', url })
  await store.threads.create({ threadId: 'before', resourceId: 'ada', at: 1 })
  return store
}

test('a run of one step costs six statements: five to begin, in one transaction, and one to end', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  using watched = watchStatements()
  const turn = { ...key, messages: [said('q')], lastMessages: 20, workingMemory: 'thread' as const, at: 1 }
  await store.threads.beginTurn(turn)
  expect(kinds(watched.statements)).toEqual({ BEGIN: 1, INSERT: 2, SELECT: 1, COMMIT: 1 })
  watched.statements.length = 0
  await store.threads.append({ ...key, messages: [said('a1'), said('a2')] })
  expect(kinds(watched.statements)).toEqual({ INSERT: 1 })
  await store.close()
})

test('more messages than one statement has room for are one transaction, of which a failure leaves nothing', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  await store.threads.create({ ...key, at: 1 })
  const messages = Array.from({ length: 4_000 }, (_none, n) => said(`m${n}`))
  {
    using watched = watchStatements(4)
    await expect(store.threads.append({ ...key, messages })).rejects.toMatchObject({ code: 'storage-failed' })
    expect(watched.statements[0]).toMatch(/^BEGIN/)
  }
  expect((await store.threads.listMessages({ ...key, limit: 1 })).messages).toEqual([])
  {
    using watched = watchStatements()
    const sequences = await store.threads.append({ ...key, messages })
    expect(sequences).toEqual(messages.map((_none, n) => (sequences[0] as number) + n))
    expect(kinds(watched.statements)).toEqual({ BEGIN: 1, INSERT: 4, COMMIT: 1 })
  }
  const page = await store.threads.listMessages({ ...key, limit: 4_000 })
  expect(page.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
  const other = { threadId: 't2', resourceId: 'ada', at: 1, lastMessages: 1 }
  await store.threads.beginTurn({ ...other, messages: [said('before')] })
  // As many ids as no statement has places for.
  const many = [...messages, ...Array.from({ length: 36_000 }, (_none, n) => said(`n${n}`))]
  const begun = await store.threads.beginTurn({ ...other, messages: many })
  expect([begun.sequences.length, begun.recalled.map(({ id }) => id)]).toEqual([40_000, ['before']])
  await store.close()
})

test('R02 a turn in the place of others is one transaction: a failure at any of its statements leaves all of them', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  await store.threads.beginTurn({ ...key, messages: [said('m1'), said('m2'), said('m3')], lastMessages: 0, at: 1 })
  const turn = { ...key, messages: [said('m2')], replace: { from: 'm2' }, lastMessages: 5, at: 2 }
  const ids = async () => (await store.threads.listMessages({ ...key, limit: 9 })).messages.map(({ id }) => id)
  const before = await store.threads.listMessages({ ...key, limit: 9 })
  const statements = { BEGIN: 1, INSERT: 3, DELETE: 1, SELECT: 1, COMMIT: 1 }
  for (let failAt = 2; failAt <= 7; failAt++) {
    using _watched = watchStatements(failAt)
    await expect(store.threads.beginTurn(turn)).rejects.toMatchObject({ code: 'storage-failed' })
  }
  expect(await store.threads.listMessages({ ...key, limit: 9 })).toEqual(before)
  {
    using watched = watchStatements()
    await store.threads.beginTurn(turn)
    expect(kinds(watched.statements)).toEqual(statements)
  }
  expect(await ids()).toEqual(['m1', 'm2'])
  await store.close()
})

test('each call costs one transaction or one statement', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  await store.threads.beginTurn({ ...key, messages: [said('q')], lastMessages: 0, at: 1 })
  using watched = watchStatements()
  const costs = async (call: () => Promise<unknown>) => {
    watched.statements.length = 0
    await call()
    return watched.statements.length
  }
  expect({
    get: await costs(() => store.threads.get(key)),
    update: await costs(() => store.threads.update({ ...key, title: 'x', at: 2 })),
    listTree: await costs(() => store.threads.listTree(key)),
    list: await costs(() => store.threads.list({ resourceId: 'ada' })),
    listMessages: await costs(() => store.threads.listMessages({ ...key, limit: 20 })),
    firstSearch: await costs(() => store.threads.search({ ...key, query: 'q', limit: 5 })),
    search: await costs(() => store.threads.search({ ...key, query: 'q', limit: 5 })),
    setWorkingMemory: await costs(() => store.workingMemory.set({ ...key, text: 'x', expectedVersion: 0, at: 1 })),
    getWorkingMemory: await costs(() => store.workingMemory.get(key)),
    clone: await costs(() => store.threads.clone({ ...key, newThreadId: 't2', at: 1 })),
    delete: await costs(() => store.threads.delete(key)),
  }).toEqual({
    get: 1,
    update: 1,
    listTree: 1,
    list: 1,
    listMessages: 1,
    // One to see that the index is behind, four to bring it up to date, one to see that it is, one to search.
    firstSearch: 7,
    search: 2,
    setWorkingMemory: 1,
    getWorkingMemory: 1,
    clone: 5,
    delete: 6,
  })
  await store.close()
})

test('B7.4 a run that is saved with its questions costs one transaction of three statements, and two for each move', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  const run = { runId: 'r1', agentId: 'sup', status: 'suspended' as const, body: 'x', at: 1 }
  const asked = (toolCallId: string) => {
    const tool = { path: ['sup'], toolName: 'send', kind: 'approval' as const, args: null, fingerprint: 'f' }
    return { runId: 'r1', toolCallId, round: 1, agentId: 'sup', ...tool }
  }
  const question = { runId: 'r1', toolCallId: 'c0', round: 1, at: 1 }
  const requests = Array.from({ length: 50 }, (_none, n) => asked(`c${n}`))
  using watched = watchStatements()
  const costs = async (call: () => Promise<unknown>) => {
    watched.statements.length = 0
    await call()
    return watched.statements.map((statement) => statement.split(' ')[0]).join(' ')
  }
  const take = { runId: 'r1', until: 9, at: 1 }
  const moves = [{ ...question, from: ['approved' as const], to: 'started' as const }]
  expect({
    save: await costs(() => store.runs.save({ ...run, expectedVersion: 0 })),
    saveWithQuestions: await costs(() => store.runs.save({ ...run, expectedVersion: 1, requests })),
    change: await costs(() => store.approvals.change({ ...question, from: ['pending'], to: 'approved' })),
    saveWithMove: await costs(() => store.runs.save({ ...run, expectedVersion: 2, moves })),
    get: await costs(() => store.runs.get('r1')),
    list: await costs(() => store.runs.list({ agentId: 'sup' })),
    acquire: await costs(() => store.runs.acquire({ ...take, holder: 'h1' })),
    acquireInVain: await costs(() => store.runs.acquire({ ...take, holder: 'h2' })),
    renew: await costs(() => store.runs.renew({ ...take, holder: 'h1' })),
    release: await costs(() => store.runs.release({ ...take, holder: 'h1' })),
    getApproval: await costs(() => store.approvals.get(question)),
    listApprovals: await costs(() => store.approvals.list({ runId: 'r1' })),
    remove: await costs(() => store.runs.remove({ runId: 'r1', expectedVersion: 4, at: 1 })),
  }).toEqual({
    save: 'INSERT',
    saveWithQuestions: 'BEGIN UPDATE INSERT INSERT COMMIT',
    change: 'UPDATE',
    saveWithMove: 'BEGIN UPDATE INSERT UPDATE INSERT COMMIT',
    get: 'SELECT',
    list: 'SELECT',
    acquire: 'UPDATE',
    // One more to see who has it.
    acquireInVain: 'UPDATE SELECT',
    renew: 'UPDATE',
    release: 'UPDATE',
    getApproval: 'SELECT',
    listApprovals: 'SELECT',
    remove: 'BEGIN DELETE INSERT DELETE COMMIT',
  })
  await store.close()
})

test('B9.3 each call for tasks costs one statement, and to say why nothing was said one more', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  const { tasks } = store
  const call = {
    path: ['sup'],
    toolName: 'writer',
    toolCallId: 'c1',
    tells: 'thread' as const,
    args: null,
    terms: null,
  }
  const run = { rootRunId: 'r1', parentTree: 'r1', parentRunId: 'r1', agentId: 'sup', at: 1 }
  const taskIds = Array.from({ length: 50 }, (_none, n) => `t${n}`)
  for (const taskId of taskIds) await tasks.create({ taskId, ...run, ...call })
  const items = Array.from({ length: 1001 }, (_none, n) => n)
  using watched = watchStatements()
  const costs = async (call: () => Promise<unknown>) => {
    watched.statements.length = 0
    await call()
    return watched.statements.map((statement) => statement.split(' ')[0]).join(' ')
  }
  const end = { taskId: 't1', from: ['pending' as const], to: 'completed' as const, at: 2 }
  const delivery = { taskIds, by: 'a', at: 3 }
  const message = { text: 'x', at: 1 }
  expect({
    create: await costs(() => tasks.create({ taskId: 'new', ...run, ...call })),
    get: await costs(() => tasks.get('t1')),
    list: await costs(() => tasks.list({ rootRunId: 'r1', status: ['pending', 'running'] })),
    change: await costs(() => tasks.change(end)),
    changeInVain: await costs(() => tasks.change(end)),
    claim: await costs(() => tasks.claim({ ...delivery, until: 4 })),
    deliver: await costs(() => tasks.deliver(delivery)),
    send: await costs(() => tasks.send({ taskId: 't2', ...message })),
    sendInVain: await costs(() => tasks.send({ taskId: 't1', ...message }).catch(() => {})),
    messages: await costs(() => tasks.messages({ taskId: 't2', after: 0 })),
    share: await costs(() => tasks.share({ listId: 'l', from: 0, items: items.slice(1) })),
    shareMore: await costs(() => tasks.share({ listId: 'm', from: 0, items })),
    shared: await costs(() => tasks.shared({ listId: 'm', count: 1001 })),
    unshare: await costs(() => tasks.unshare('m')),
    remove: await costs(() => tasks.remove('t2')),
  }).toEqual({
    create: 'INSERT',
    get: 'SELECT',
    list: 'SELECT',
    change: 'UPDATE',
    changeInVain: 'UPDATE',
    claim: 'UPDATE',
    deliver: 'UPDATE',
    send: 'INSERT',
    sendInVain: 'INSERT SELECT',
    messages: 'SELECT',
    share: 'INSERT',
    shareMore: 'BEGIN INSERT INSERT COMMIT',
    shared: 'SELECT',
    unshare: 'DELETE',
    remove: 'DELETE',
  })
  await store.close()
})

test('what writers ask for at once becomes one transaction', async () => {
  using folder = tempFolder()
  const store = await opened(folder.file())
  await store.threads.beginTurn({ ...key, messages: [], lastMessages: 0, at: 1 })
  using watched = watchStatements()
  const writers = Array.from({ length: 50 }, (_none, n) => store.threads.append({ ...key, messages: [said(`m${n}`)] }))
  await Promise.all(writers)
  expect(kinds(watched.statements)).toEqual({ BEGIN: 1, INSERT: 50, COMMIT: 1 })
  await store.close()
})

test('a store that nobody uses opens nothing, and closing waits for what was begun', async () => {
  using folder = tempFolder()
  using watched = watchStatements()
  const unused = new LibSQLStore({ id: 'unused', url: folder.file('unused/app.db') })
  await unused.close()
  await expect(unused.threads.get(key)).rejects.toMatchObject({ code: storageClosed('unused').code })
  expect(watched.statements).toEqual([])
  const store = await opened(folder.file())
  const appended = store.threads.beginTurn({ ...key, messages: [said('q')], lastMessages: 0, at: 1 })
  await store.close()
  await expect(appended).resolves.toMatchObject({ sequences: [1] })
})
