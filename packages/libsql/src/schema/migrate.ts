import type { Client } from '@libsql/client'
import { RetinueError } from '@retinue/core/errors'
import { MIGRATIONS, type Migration } from './migrations.ts'

const VERSIONS = 'CREATE TABLE IF NOT EXISTS retinue_migrations (version INTEGER PRIMARY KEY) STRICT'

/**
 * Brings the tables up to date, forward only. Each migration is one transaction that ends in the table of versions, so a process that
 * dies in between leaves the version before; of two processes that begin at once one makes it, and the other finds it made.
 */
export async function migrate(
  client: Client,
  place: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0
  for (;;) {
    const version = await versionOf(client)
    if (version > newest) throw newerVersion(place, version, newest)
    const next = migrations.find((migration) => migration.version > version)
    if (!next) return
    await apply(client, next)
  }
}

/** 0 where there are no tables yet. It writes nothing: a file that is up to date may be read-only. */
async function versionOf(client: Client): Promise<number> {
  const tables = await client.execute(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'retinue_migrations'",
  )
  if (tables.rows.length === 0) return 0
  const { rows } = await client.execute('SELECT max(version) AS version FROM retinue_migrations')
  return Number(rows[0]?.['version'] ?? 0)
}

async function apply(client: Client, { version, statements }: Migration): Promise<void> {
  // The version comes first: who is late fails there, before it touches a table.
  const claim = { sql: 'INSERT INTO retinue_migrations (version) VALUES (?)', args: [version] }
  try {
    await client.batch([VERSIONS, claim, ...statements], 'write')
  } catch (error) {
    if ((await versionOf(client)) < version) throw error
  }
}

function newerVersion(place: string, version: number, newest: number): RetinueError {
  return new RetinueError({
    code: 'storage-newer-version',
    message: `The ${place} was written by a newer version of @retinue/libsql (format ${version}; this one knows ${newest}).`,
    hint: 'Update @retinue/libsql, or name another file. Nothing was changed.',
    data: { place, version, newest },
  })
}
