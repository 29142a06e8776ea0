import { existsSync } from 'node:fs'
import { createClient } from '@libsql/client'
import { MIGRATIONS } from '../../src/schema/migrations.ts'
import { child } from '../child.ts'
import { assert } from '../core.ts'
import { checkedIds } from '../integrity.ts'
import { tempFolder } from '../temp-folder.ts'

/** How many statements the first migration has, with the table of versions and the claim. */
export const FIRST_MIGRATION = (MIGRATIONS[0]?.statements.length ?? 0) + 2

/** R25: a process that is killed in the middle of the first migration leaves none of it, and the next makes it. */
export async function killedMigration(after: number): Promise<void> {
  using folder = tempFolder()
  const url = folder.file()
  const torn = child('turn-process.ts', { url, ids: ['m1'], tear: { at: 1, after } })
  await torn.ended
  assert(torn.lines.length === 0, () => `it was not killed: ${torn.lines.join()}`)
  assert(existsSync(url.slice('file:'.length)), () => 'it was killed before there was a file')
  const client = createClient({ url })
  const { rows } = await client.execute('SELECT name FROM sqlite_schema')
  client.close()
  assert(rows.length === 0, () => `${rows.length} tables and indexes are left`)
  await wholeTurn(url, [])
}

/** R02: a process that is killed in the middle of the transaction that begins a turn leaves none of it. */
export async function killedTurn(after: number): Promise<void> {
  using folder = tempFolder()
  const url = folder.file()
  // The first transactions make the tables.
  const torn = child('turn-process.ts', { url, ids: ['m1', 'm2'], tear: { at: MIGRATIONS.length + 2, after } })
  await torn.ended
  assert(torn.lines.join() === 'm1 ok', () => `it was not killed in the second turn: ${torn.lines.join()}`)
  await wholeTurn(url, ['m1'])
}

async function wholeTurn(url: string, before: readonly string[]): Promise<void> {
  const next = child('turn-process.ts', { url, ids: ['last'] })
  await next.ended
  assert(next.lines.join() === 'last ok', () => `the next process: ${next.lines.join()}`)
  const ids = await checkedIds(url)
  assert(ids.join() === [...before, 'last'].join(), () => `the messages are ${ids.join()}`)
}
