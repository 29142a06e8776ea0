import { type Client, createClient } from '@libsql/client'
import type { ApprovalRequest, RunSave } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { child } from '../../test-support/child.ts'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'
import { migrate } from '../schema/migrate.ts'
import { MIGRATIONS } from '../schema/migrations.ts'
import { tornClient } from '../testing/torn-client.ts'
import { getApproval, listApprovals } from './approval-statements.ts'
import { listRuns } from './run-statements.ts'

function waiting(runId: string, changed: Partial<RunSave> = {}): RunSave {
  return { runId, agentId: 'sup', status: 'suspended', body: { of: runId }, expectedVersion: 0, at: 100, ...changed }
}

function asked(toolCallId: string): ApprovalRequest {
  const tool = { path: ['sup'], toolName: 'send', kind: 'approval', args: { to: 'bob' }, fingerprint: 'f' } as const
  return { runId: 'r1', toolCallId, round: 1, agentId: 'sup', ...tool }
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

test('B7.4 of two processes that decide at once one wins, every time', async () => {
  using folder = tempFolder()
  const url = folder.file()
  const store = new LibSQLStore({ id: 's', url })
  const calls = Array.from({ length: 20 }, (_none, n) => `c${n}`)
  await store.runs.save(waiting('r1', { requests: calls.map(asked) }))
  const deciders = ['one', 'other'].map((name) => child('deciding-process.ts', { url, name }))
  await Promise.all(deciders.map((decider) => decider.printed(1)))
  for (const [trial, call] of calls.entries()) {
    for (const decider of deciders) decider.say(call)
    await Promise.all(deciders.map((decider) => decider.printed(trial + 2)))
    const outcomes = deciders.map(({ lines }) => lines[trial + 1])
    expect(outcomes.toSorted()).toEqual(['lost', 'won'])
    const winner = ['one', 'other'][outcomes.indexOf('won')]
    const approval = await store.approvals.get({ runId: 'r1', toolCallId: call })
    expect(approval).toMatchObject({ status: 'approved', decision: { by: winner } })
  }
  for (const decider of deciders) decider.kill()
  await Promise.all(deciders.map(({ ended }) => ended))
  await store.close()
})

test('B7.4 a save that is torn at any statement leaves nothing of it', async () => {
  for (let after = 0; after <= 5; after++) {
    using folder = tempFolder()
    const { store, close } = opened(folder.file())
    await store.runs.save(waiting('r1', { requests: [asked('c1')] }))
    const before = [await store.runs.get('r1'), await store.approvals.list({})]
    const wrapClient = (client: Client) => tornClient(client, { at: 1, after })
    const torn = new LibSQLStore({ id: 's', url: folder.file(), wrapClient })
    const moves = [{ runId: 'r1', toolCallId: 'c1', round: 1, from: ['pending'], to: 'declined', at: 200 }] as const
    const save = torn.runs.save(waiting('r1', { body: 'x', requests: [asked('c2')], moves, expectedVersion: 1 }))
    await expect(save).rejects.toMatchObject({ code: 'storage-failed' })
    expect([await store.runs.get('r1'), await store.approvals.list({})]).toEqual(before)
    await torn.close()
    await close()
  }
})

test('B7.4 one that loses does not take along those that wrote in the same transaction', async () => {
  using folder = tempFolder()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  await store.runs.save(waiting('r1'))
  const saves = ['r2', 'r1', 'r3'].map((runId) => store.runs.save(waiting(runId)))
  const outcomes = await Promise.allSettled(saves)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await store.runs.list({})).total).toBe(3)
  await store.close()
})

test('S26 a run whose body is damaged is listed, and an error by its id; nobody gets its lease', async () => {
  for (const body of ['', '{', '{"$retinue":"new"}', 'undefined']) {
    using folder = tempFolder()
    const { store, client, close } = opened(folder.file())
    for (const runId of ['r1', 'r2', 'r3']) await store.runs.save(waiting(runId))
    await client.execute({ sql: "UPDATE retinue_runs SET body = ? WHERE run_id = 'r2'", args: [body] })
    expect((await store.runs.list({})).items.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3'])
    await expect(store.runs.get('r2')).rejects.toMatchObject({ code: 'storage-row-unreadable', data: { id: 'r2' } })
    const taken = store.runs.acquire({ runId: 'r2', holder: 'h', until: 300, at: 200 })
    await expect(taken).rejects.toMatchObject({ code: 'storage-row-unreadable' })
    expect((await store.runs.list({})).items[1]?.lease).toBeUndefined()
    // It can be written over, and deleted.
    const [, { version }] = (await store.runs.list({})).items as [unknown, { version: number }]
    await store.runs.save(waiting('r2', { expectedVersion: version }))
    expect((await store.runs.get('r2')).body).toEqual({ of: 'r2' })
    await store.runs.remove({ runId: 'r2', expectedVersion: version + 1, at: 300 })
    await close()
  }
})

test('S26 a run with a status that is none is told beside those that can be read, and pages go on', async () => {
  using folder = tempFolder()
  const { store, client, close } = opened(folder.file())
  for (const runId of ['r1', 'r2', 'r3']) await store.runs.save(waiting(runId))
  await client.execute("UPDATE retinue_runs SET status = 'x' WHERE run_id = 'r2'")
  const first = await store.runs.list({ limit: 2 })
  expect(first).toMatchObject({ items: [{ runId: 'r1' }], unreadable: [{ id: 'r2', reason: expect.any(String) }] })
  const second = await store.runs.list({ limit: 2, cursor: first.next as string })
  expect(second).toMatchObject({ items: [{ runId: 'r3' }], unreadable: [] })
  await close()
})

test('S26 a damaged question breaks no listing: it is told beside what can be read, and is an error by its call', async () => {
  const whole = { path: ['a'], toolName: 't', kind: 'approval', args: {}, fingerprint: 'f' }
  const parts = [{ path: [1] }, { toolName: 1 }, { kind: 'other' }, { fingerprint: null }, { expiresAt: 'soon' }]
  const bodies = ['', '{', 'null', '{"path":[]}', '[1]', '{"$retinue":"new"}']
  const damage = [...bodies, ...parts.map((part) => JSON.stringify({ ...whole, ...part }))].map(
    (text) => ['request', text] as const,
  )
  for (const [column, text] of [...damage, ['decision', '{'], ['decision', '1'], ['status', 'x']] as const) {
    using folder = tempFolder()
    const { store, client, close } = opened(folder.file())
    await store.runs.save(waiting('r1', { requests: ['c1', 'c2', 'c3'].map(asked) }))
    await client.execute({
      sql: `UPDATE retinue_approvals SET ${column} = ? WHERE tool_call_id = 'c2'`,
      args: [text],
    })
    const { items, unreadable } = await store.approvals.list({})
    expect(items.map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c3'])
    expect(unreadable).toEqual([{ id: 'r1/c2/1', reason: expect.any(String) }])
    const read = store.approvals.get({ runId: 'r1', toolCallId: 'c2' })
    await expect(read).rejects.toMatchObject({ code: 'storage-row-unreadable', data: { id: 'r1/c2/1' } })
    await close()
  }
})

test('R25 a file from before there were runs gets them, and keeps what it had', async () => {
  using folder = tempFolder()
  const client = createClient({ url: folder.file() })
  await migrate(client, 'database', MIGRATIONS.slice(0, 2))
  await client.execute(
    "INSERT INTO retinue_threads (id, resource_id, created_at, updated_at) VALUES ('t1', 'ada', 1, 1)",
  )
  client.close()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  await store.runs.save(waiting('r1', { requests: [asked('c1')] }))
  expect((await store.runs.get('r1')).version).toBe(1)
  expect((await store.approvals.list({})).items).toHaveLength(1)
  expect((await store.threads.list({ resourceId: 'ada' })).items).toHaveLength(1)
  await store.close()
})

test('no listing that names something reads all rows', async () => {
  const client = createClient({ url: ':memory:' })
  await migrate(client, 'database')
  const plan = async ({ sql, args }: { sql: string; args: never }) => {
    const { rows } = await client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args })
    return rows.map(({ detail }) => String(detail)).join('\n')
  }
  const filters = [{ agentId: 'a' }, { status: 's' }, { agentId: 'a', status: 's' }, { threadId: 't' }]
  for (const filter of [...filters, { resourceId: 'r' }]) {
    for (const statement of [listRuns(filter, 0, 10), listApprovals(filter, 0, 10)]) {
      const text = await plan(statement as never)
      expect(text).not.toContain('SCAN retinue')
      expect(text).not.toContain('PRIMARY KEY')
    }
  }
  for (const statement of [listApprovals({ runIds: ['r'] }, 0, 10), getApproval({ runId: 'r', toolCallId: 'c' })]) {
    expect(await plan(statement as never)).toContain('USING INDEX')
  }
  client.close()
})
