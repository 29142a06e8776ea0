import { type Client, createClient, type InStatement } from '@libsql/client'
import type { NewTask, TaskStatus } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { child } from '../../test-support/child.ts'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'
import { migrate } from '../schema/migrate.ts'
import { MIGRATIONS } from '../schema/migrations.ts'
import { tornClient } from '../testing/torn-client.ts'
import { listSharedItems } from './shared-item-statements.ts'
import {
  claimTasks,
  deliverTasks,
  getTask,
  insertTaskMessage,
  listTaskMessages,
  listTasks,
  moveTask,
} from './task-statements.ts'

const CHAT = { threadId: 't', resourceId: 'ada' }

function task(taskId: string, changed: Partial<NewTask> = {}): NewTask {
  const run = { rootRunId: 'r1', parentTree: 'r1', parentRunId: 'r1', agentId: 'sup', ...CHAT }
  const call = { path: ['sup'], toolName: 'writer', toolCallId: 'c1', tells: 'thread' as const }
  return { taskId, ...run, ...call, args: { of: taskId }, terms: {}, at: 100, ...changed }
}

/** Tasks that have failed, each with an outcome. */
async function failed({ tasks }: LibSQLStore, taskIds: readonly string[]): Promise<void> {
  const error = { code: 'c', message: 'm' }
  for (const taskId of taskIds) {
    await tasks.create(task(taskId))
    await tasks.change({ taskId, from: ['pending'], to: 'failed', error, outcome: { of: taskId }, at: 200 })
  }
}

/** A store, and the same file by hand. */
function opened(url: string): { store: LibSQLStore; client: Client; close(): Promise<void> } {
  const [store, client] = [new LibSQLStore({ id: 's', url }), createClient({ url })]
  return {
    store,
    client,
    close: async () => {
      client.close()
      await store.close()
    },
  }
}

test('B9.3 of two processes that claim at once each task goes to one, every time', async () => {
  using folder = tempFolder()
  const url = folder.file()
  const store = new LibSQLStore({ id: 's', url })
  const claimers = ['one', 'other'].map((name) => child('claiming-process.ts', { url, name }))
  await Promise.all(claimers.map((claimer) => claimer.printed(1)))
  for (let batch = 0; batch < 4; batch++) {
    const taskIds = Array.from({ length: 10 }, (_none, n) => `${batch}.${n}`)
    await failed(store, taskIds)
    for (const claimer of claimers) claimer.say(JSON.stringify(taskIds))
    await Promise.all(claimers.map((claimer) => claimer.printed(batch + 2)))
    const got = claimers.flatMap(({ lines }) => JSON.parse(lines[batch + 1] as string) as string[])
    expect(got.toSorted()).toEqual(taskIds)
  }
  expect((await store.tasks.list({ undelivered: true })).items).toEqual([])
  for (const claimer of claimers) claimer.kill()
  await Promise.all(claimers.map(({ ended }) => ended))
  await store.close()
})

const FACTS = ['', '{', 'null', '[1]', '{"$retinue":"new"}', '{"path":[]}', '{"path":[1],"toolName":"t"}']

test('S26 a task whose facts are damaged is told beside what can be read, pages go on, and it is an error by its id', async () => {
  const damage = [
    ...FACTS.flatMap((text) => [['call', text] as const, ['error', text] as const]),
    ...[['error', '{"code":"c"}'] as const, ['error', '{"code":1,"message":"m"}'] as const],
    ...[['call', '{"path":"a","toolName":"t"}'] as const, ['call', '{"path":["a"],"toolName":1}'] as const],
    ...[['status', 'x'] as const, ['tells', 'x'] as const, ['status', 'running'] as const, ['ended_at', null] as const],
  ]
  using folder = tempFolder()
  const { store, client, close } = opened(folder.file())
  await failed(store, ['t1', 't2', 't3'])
  const before = await store.tasks.get('t2')
  const { rows } = await client.execute('SELECT call, error, status, tells, ended_at FROM retinue_tasks LIMIT 1')
  for (const [column, value] of damage) {
    const write = (args: unknown) =>
      client.execute({ sql: `UPDATE retinue_tasks SET ${column} = ? WHERE task_id = 't2'`, args: [args as string] })
    await write(value)
    const unreadable = [{ id: 't2', reason: expect.any(String) }]
    const first = await store.tasks.list({ limit: 2 })
    expect([column, value, first]).toEqual([
      column,
      value,
      { items: [expect.anything()], unreadable, next: first.next },
    ])
    const second = await store.tasks.list({ limit: 2, cursor: first.next as string })
    expect(second).toMatchObject({ items: [{ taskId: 't3' }], unreadable: [] })
    const error = { code: 'storage-row-unreadable', data: { id: 't2', reason: expect.any(String) } }
    await expect(store.tasks.get('t2')).rejects.toMatchObject(error)
    await write(rows[0]?.[column])
  }
  expect(await store.tasks.get('t2')).toEqual(before)
  await close()
})

test('S26 a task with a damaged body is listed, an error by its id, claimed by nobody, and can be deleted', async () => {
  using folder = tempFolder()
  const { store, client, close } = opened(folder.file())
  for (const column of ['args', 'terms', 'outcome', 'call']) {
    for (const text of ['', '{', '{"$retinue":"new"}', 'undefined']) {
      await failed(store, ['t1', 't2', 't3'])
      await client.execute({ sql: `UPDATE retinue_tasks SET ${column} = ? WHERE task_id = 't2'`, args: [text] })
      const { items, unreadable } = await store.tasks.list({})
      const damaged = column === 'call' ? ['t2'] : []
      expect(unreadable.map(({ id }) => id)).toEqual(damaged)
      expect(items.map(({ taskId }) => taskId)).toEqual(['t1', 't2', 't3'].filter((id) => !damaged.includes(id)))
      const error = { code: 'storage-row-unreadable', data: { id: 't2' } }
      await expect(store.tasks.get('t2')).rejects.toMatchObject(error)
      const claim = { taskIds: ['t1', 't2', 't3'], by: 'a', until: 400, at: 300 }
      await expect(store.tasks.claim(claim)).rejects.toMatchObject(error)
      // The others are free for who leaves it out.
      const others = await store.tasks.claim({ ...claim, taskIds: ['t1', 't3'], by: 'b' })
      expect(others.map(({ taskId }) => taskId)).toEqual(['t1', 't3'])
      for (const taskId of ['t1', 't2', 't3']) await store.tasks.remove(taskId)
    }
  }
  await close()
})

test('S26 a damaged message or item is an error that names it', async () => {
  using folder = tempFolder()
  const { store, client, close } = opened(folder.file())
  for (const text of ['', '{', 'null', '1', '{"$retinue":"new"}']) {
    await store.tasks.create(task('t1'))
    for (const said of ['one', 'two']) await store.tasks.send({ taskId: 't1', text: said, at: 1 })
    await store.tasks.share({ listId: 'l', from: 0, items: ['a', 'b'] })
    await client.execute({ sql: 'UPDATE retinue_task_messages SET text = ? WHERE sequence = 2', args: [text] })
    const broken = text === 'null' || text === '1' ? '[' : text
    await client.execute({ sql: 'UPDATE retinue_shared_items SET item = ? WHERE position = 1', args: [broken] })
    const messages = store.tasks.messages({ taskId: 't1', after: 0 })
    await expect(messages).rejects.toMatchObject({ code: 'storage-row-unreadable', data: { id: 't1/2' } })
    expect(await store.tasks.send({ taskId: 't1', text: 'three', at: 1 })).toBe(3)
    expect(await store.tasks.messages({ taskId: 't1', after: 2 })).toEqual([{ sequence: 3, text: 'three', at: 1 }])
    const items = store.tasks.shared({ listId: 'l', count: 2 })
    await expect(items).rejects.toMatchObject({ code: 'storage-row-unreadable', data: { id: 'l/1' } })
    expect(await store.tasks.shared({ listId: 'l', count: 1 })).toEqual(['a'])
    await store.tasks.remove('t1')
    await store.tasks.unshare('l')
  }
  await close()
})

test('R02 a long list that is torn at any statement leaves nothing of it, nor does a thread that is deleted', async () => {
  const items = Array.from({ length: 2500 }, (_none, n) => n)
  const torn = async (after: number, work: (store: LibSQLStore) => Promise<unknown>) => {
    using folder = tempFolder()
    const { store, close } = opened(folder.file())
    await store.threads.create({ ...CHAT, at: 1 })
    await failed(store, ['t1'])
    await store.tasks.share({ listId: 'l', from: 0, items: ['a'] })
    const stands = async () => [await store.tasks.list({}), await store.threads.list({ resourceId: 'ada' })]
    const before = await stands()
    const wrapClient = (client: Client) => tornClient(client, { at: 1, after })
    const tearing = new LibSQLStore({ id: 's', url: folder.file(), wrapClient })
    await expect(work(tearing)).rejects.toMatchObject({ code: 'storage-failed' })
    expect(await stands()).toEqual(before)
    await expect(store.tasks.shared({ listId: 'l', count: 2 })).rejects.toMatchObject({ data: { id: 'l/1' } })
    await tearing.close()
    await close()
  }
  for (let after = 0; after <= 3; after++)
    await torn(after, ({ tasks }) => tasks.share({ listId: 'l', from: 1, items }))
  for (let after = 0; after <= 4; after++) await torn(after, ({ threads }) => threads.delete(CHAT))
})

test('what was said to a task leaves the file with it, however it goes', async () => {
  using folder = tempFolder()
  const { store, client, close } = opened(folder.file())
  await store.threads.create({ ...CHAT, at: 1 })
  for (const taskId of ['t1', 't2', 't3']) {
    await store.tasks.create(task(taskId, taskId === 't3' ? { threadId: 'other' } : {}))
    await store.tasks.send({ taskId, text: 'x', at: 1 })
  }
  const said = async () => (await client.execute('SELECT count(*) AS n FROM retinue_task_messages')).rows[0]?.['n']
  await store.tasks.remove('t1')
  expect(await said()).toBe(2)
  await store.threads.delete(CHAT)
  expect(await said()).toBe(1)
  await close()
})

test('R25 a file from before there were tasks gets them, and keeps what it had', async () => {
  using folder = tempFolder()
  const client = createClient({ url: folder.file() })
  await migrate(client, 'database', MIGRATIONS.slice(0, 3))
  await client.execute(
    "INSERT INTO retinue_threads (id, resource_id, created_at, updated_at) VALUES ('t', 'ada', 1, 1)",
  )
  await client.execute(
    `INSERT INTO retinue_runs (run_id, agent_id, status, created_at, updated_at, version, body)
      VALUES ('r1', 'sup', 'suspended', 1, 1, 1, '"x"')`,
  )
  client.close()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  await failed(store, ['t1'])
  expect((await store.tasks.list({})).items).toHaveLength(1)
  expect((await store.runs.get('r1')).body).toBe('x')
  await store.threads.delete(CHAT)
  expect((await store.tasks.list({})).items).toEqual([])
  await store.close()
})

test('no listing of tasks that names something reads all rows, and what is asked for at each turn reads those alone', async () => {
  const client = createClient({ url: ':memory:' })
  await migrate(client, 'database')
  const plan = async (statement: InStatement) => {
    const { sql, args } = statement as { sql: string; args: never }
    const { rows } = await client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args })
    return rows.map(({ detail }) => String(detail)).join('\n')
  }
  const statuses: readonly TaskStatus[] = ['pending', 'running']
  const none = { rootRunId: undefined, parentRunId: undefined, agentId: undefined, undelivered: undefined }
  const list = (filter: Partial<Parameters<typeof listTasks>[0]>) =>
    plan(listTasks({ ...none, threadId: undefined, resourceId: undefined, statuses: undefined, ...filter }, 0, 10))
  const named = [
    { rootRunId: 'r' },
    { parentRunId: 'r' },
    { agentId: 'a' },
    { threadId: 't' },
    { resourceId: 'r' },
    CHAT,
  ]
  for (const filter of [...named, ...named.map((each) => ({ ...each, statuses })), { statuses }]) {
    const text = await list(filter)
    expect([filter, text]).toEqual([filter, expect.stringMatching(/USING INDEX retinue_tasks_by_/)])
    expect(text).not.toContain('SCAN retinue')
  }
  for (const filter of [CHAT, { threadId: 't' }, {}, { ...CHAT, statuses }, { agentId: 'a', statuses }]) {
    const text = await list({ ...filter, undelivered: true })
    expect([filter, text]).toEqual([filter, expect.stringContaining('USING INDEX retinue_tasks_undelivered')])
  }
  expect(await list({ rootRunId: 'r', undelivered: true })).toContain('USING INDEX retinue_tasks_by_root_run')
  const delivery = { taskIds: ['t1'], by: 'a', at: 1 }
  const move = { taskId: 't1', from: statuses, to: 'completed', attempts: null, startedAt: null } as const
  for (const statement of [
    getTask('t1'),
    moveTask({ ...move, endedAt: 1, error: null, outcome: null }),
    claimTasks({ ...delivery, until: 2 }),
    deliverTasks(delivery),
    insertTaskMessage({ taskId: 't1', text: '""', at: 1 }),
    listTaskMessages({ taskId: 't1', after: 0 }),
    listSharedItems({ listId: 'l', count: 9 }),
  ]) {
    const text = await plan(statement)
    expect(text).not.toMatch(/SCAN (retinue|[tm]\b)/)
    expect(text).toContain('SEARCH')
  }
  client.close()
})
