import { createClient } from '@libsql/client'
import { expect, test } from 'vitest'
import { child } from '../../test-support/child.ts'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'

for (const by of ['save', 'acquire'] as const) {
  test(`B7.4 a lease that was taken by ${by} lives no longer than its process, also if its time is not up`, async () => {
    using folder = tempFolder()
    const url = folder.file()
    const store = new LibSQLStore({ id: 's', url })
    const { runs } = store
    const run = { runId: 'r1', agentId: 'sup', status: 'suspended' as const, body: 'x' }
    if (by === 'acquire') await runs.save({ ...run, expectedVersion: 0, at: 100 })
    const holder = child('lease-process.ts', { url, by })
    await holder.printed(1)
    const { version } = await runs.get('r1')
    expect((await runs.get('r1')).lease).toEqual({ holder: 'child', until: 1_000_000 })
    expect(await runs.acquire({ runId: 'r1', holder: 'early', until: 400, at: 300 })).toBeUndefined()
    holder.kill()
    await holder.ended
    // Of many that see it one takes over.
    const takers = Array.from({ length: 8 }, (_none, n) =>
      runs.acquire({ runId: 'r1', holder: `h${n}`, until: 400, at: 300 }),
    )
    const taken = (await Promise.all(takers)).filter((each) => each !== undefined)
    expect(taken).toHaveLength(1)
    expect(taken[0]).toMatchObject({ version: version + 1, lease: { until: 400 } })
    expect(await runs.renew({ runId: 'r1', holder: 'child', until: 2_000_000 })).toBe(false)
    expect(await runs.acquire({ runId: 'r1', holder: 'late', until: 500, at: 399 })).toBeUndefined()
    await store.close()
  })
}

test('B7.4 a lease whose process is elsewhere lives until its time is up', async () => {
  using folder = tempFolder()
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  const run = { runId: 'r1', agentId: 'sup', status: 'running' as const, body: 'x' }
  await store.runs.save({ ...run, lease: { holder: 'h1', until: 400 }, expectedVersion: 0, at: 100 })
  const client = createClient({ url: folder.file() })
  await client.execute({
    sql: 'UPDATE retinue_runs SET lease_process = ?',
    args: [JSON.stringify(['elsewhere', 2 ** 30, '1'])],
  })
  client.close()
  expect(await store.runs.acquire({ runId: 'r1', holder: 'h2', until: 500, at: 399 })).toBeUndefined()
  expect(await store.runs.acquire({ runId: 'r1', holder: 'h2', until: 500, at: 400 })).toMatchObject({ version: 2 })
  await store.close()
})
