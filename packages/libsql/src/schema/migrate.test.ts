import { type Client, createClient } from '@libsql/client'
import { isRetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { watchStatements } from '../../test-support/statements.ts'
import { tempFolder } from '../../test-support/temp-folder.ts'
import { LibSQLStore } from '../libsql-store.ts'
import { tornClient } from '../testing/torn-client.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** What is in the database, as SQL. */
async function schemaOf(client: Client): Promise<unknown[]> {
  const { rows } = await client.execute('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name')
  return rows.map(({ sql }) => sql)
}

const next: Migration = {
  version: MIGRATIONS.length + 1,
  statements: [
    'ALTER TABLE retinue_threads ADD COLUMN color TEXT',
    "UPDATE retinue_threads SET color = 'red'",
    'CREATE TABLE retinue_next (a)',
  ],
}

test('migrations are numbered from 1, without a gap', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_none, index) => index + 1))
})

test('R25 a migration that is interrupted at any statement leaves nothing, and is made by the next start', async () => {
  const clean = createClient({ url: ':memory:' })
  /** The schema after each migration. */
  const schemas: unknown[][] = [[]]
  for (const [index] of MIGRATIONS.entries()) {
    await migrate(clean, 'database', MIGRATIONS.slice(0, index + 1))
    schemas.push(await schemaOf(clean))
  }
  const whole = schemas.at(-1)
  using folder = tempFolder()
  let interrupted = 0
  for (let failAt = 1; ; failAt++) {
    const client = createClient({ url: folder.file(`${failAt}.db`) })
    const error = await interruptedAt(failAt, () => migrate(client, 'database'))
    if (!error) break
    interrupted += 1
    const made = error.statements.filter((statement) => statement === 'COMMIT').length - (error.isCommit ? 1 : 0)
    expect(await schemaOf(client)).toEqual(schemas[made])
    await migrate(client, 'database')
    expect(await schemaOf(client)).toEqual(whole)
    client.close()
  }
  expect(interrupted).toBeGreaterThan(MIGRATIONS.flatMap(({ statements }) => statements).length)
})

/** What was run before an interruption; undefined if the work was done before it came. */
async function interruptedAt(failAt: number, work: () => Promise<void>) {
  using watched = watchStatements(failAt)
  const { statements } = watched
  return await work().then(
    () => undefined,
    () => ({ statements, isCommit: statements[failAt - 1] === 'COMMIT' }),
  )
}

test('R25 a later migration that is torn leaves the data and the version before', async () => {
  for (let after = 0; after <= next.statements.length + 2; after++) {
    using folder = tempFolder()
    const store = new LibSQLStore({ id: 's', url: folder.file() })
    await store.threads.create({ threadId: 't1', resourceId: 'ada', at: 1 })
    await store.close()
    const client = createClient({ url: folder.file() })
    const torn = migrate(tornClient(client, { at: 1, after }), 'database', [...MIGRATIONS, next])
    await expect(torn).rejects.toThrow('I/O')
    const old = new LibSQLStore({ id: 's', url: folder.file() })
    expect((await old.threads.list({ resourceId: 'ada' })).items).toHaveLength(1)
    await old.close()
    await migrate(client, 'database', [...MIGRATIONS, next])
    const { rows } = await client.execute('SELECT id, color FROM retinue_threads')
    expect(rows.map(({ id, color }) => [id, color])).toEqual([['t1', 'red']])
    client.close()
  }
})

test('R25 of two that start at once one makes the tables, and both go on', async () => {
  using folder = tempFolder()
  const [one, other] = [createClient({ url: folder.file() }), createClient({ url: folder.file() })]
  // The other has made them after this one has seen that there are none.
  const late = new Proxy(one, {
    get: (target, key) =>
      key === 'batch'
        ? async (...batch: Parameters<Client['batch']>) => {
            await migrate(other, 'database')
            return target.batch(...batch)
          }
        : Reflect.get(target, key).bind(target),
  })
  await migrate(late, 'database')
  const { rows } = await one.execute('SELECT version FROM retinue_migrations')
  expect(rows.map(({ version }) => version)).toEqual(MIGRATIONS.map(({ version }) => version))
  one.close()
  other.close()
})

test('R25 a file of a newer version is refused, and not changed', async () => {
  using folder = tempFolder()
  const client = createClient({ url: folder.file() })
  await migrate(client, 'database', [...MIGRATIONS, next])
  const before = await schemaOf(client)
  const store = new LibSQLStore({ id: 's', url: folder.file() })
  const error = await store.threads
    .create({ threadId: 't1', resourceId: 'ada', at: 1 })
    .catch((thrown: unknown) => thrown)
  if (!isRetinueError(error)) throw error
  expect(error.code).toBe('storage-newer-version')
  expect(error.data).toMatchObject({ version: next.version, newest: MIGRATIONS.length })
  expect(error.hint).toContain('Update @retinue/libsql')
  expect(await schemaOf(client)).toEqual(before)
  expect((await client.execute('SELECT count(*) AS n FROM retinue_threads')).rows[0]?.['n']).toBe(0)
  client.close()
  await store.close()
})
