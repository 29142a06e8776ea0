import type { InStatement, InValue } from '@libsql/client'
import {
  assertCount,
  assertId,
  assertText,
  assertTime,
  decodedText,
  encodeValue,
  readRow,
  storageConflict,
  threadNotFound,
  type WorkingMemory,
  type WorkingMemoryChange,
  type WorkingMemoryKey,
  type WorkingMemoryStorage,
} from '@retinue/core/storage'
import type { Database } from '../database/database.ts'
import { NAMED } from '../schema/named-thread.ts'

/** Texts in a database: a row a thread, and one a resource, whose thread is 0. */
export class LibSQLWorkingMemory implements WorkingMemoryStorage {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(key: WorkingMemoryKey): Promise<WorkingMemory | undefined> {
    assertKey(key)
    const [row] = await this.#database.read(getText(key))
    // Whoever owns the thread gets a row, also if nothing was written yet.
    if (!row) throw threadNotFound(key.threadId ?? '')
    const { text, version, updated_at } = row
    if (typeof text !== 'string') return undefined
    const read = readRow(key.threadId ?? key.resourceId, () => decodedText(text))
    return { text: read, version: Number(version), updatedAt: Number(updated_at) }
  }

  async set(change: WorkingMemoryChange): Promise<WorkingMemory> {
    const { text, expectedVersion, at } = change
    assertKey(change)
    assertText(text, 'text')
    assertTime(at, 'at')
    if (expectedVersion !== undefined) assertCount(expectedVersion, 'expectedVersion', 0)
    const [rows] = await this.#database.write([setText(change, encodeValue(text, 'text'))])
    const [row] = rows ?? []
    if (row) return { text, version: Number(row['version']), updatedAt: at }
    await this.get(change)
    throw storageConflict(expectedVersion ?? 0)
  }
}

function assertKey({ resourceId, threadId }: WorkingMemoryKey): void {
  assertId(resourceId, 'resourceId')
  if (threadId !== undefined) assertId(threadId, 'threadId')
}

/** One row `thread` for whoever may have the text: none if the thread is not the resource's. */
function place({ resourceId, threadId }: WorkingMemoryKey): { sql: string; args: InValue[] } {
  return threadId === undefined
    ? { sql: 'SELECT ? AS resource_id, 0 AS thread', args: [resourceId] }
    : {
        sql: `SELECT resource_id, sequence AS thread FROM retinue_threads WHERE ${NAMED}`,
        args: [threadId, resourceId],
      }
}

function getText(key: WorkingMemoryKey): InStatement {
  const { sql, args } = place(key)
  return {
    sql: `SELECT w.text, w.version, w.updated_at FROM (${sql}) p
      LEFT JOIN retinue_working_memory w ON w.resource_id = p.resource_id AND w.thread = p.thread`,
    args,
  }
}

/** Gives the new version, or no row: another version is there than was expected, or there is no such thread. */
function setText({ expectedVersion, at, ...key }: WorkingMemoryChange, text: string): InStatement {
  const { sql, args } = place(key)
  const expected = expectedVersion ?? null
  return {
    sql: `INSERT INTO retinue_working_memory (resource_id, thread, text, version, updated_at)
      SELECT p.resource_id, p.thread, ?, 1, ? FROM (${sql}) p
      WHERE ? IS NULL OR ? = coalesce(
        (SELECT w.version FROM retinue_working_memory w WHERE w.resource_id = p.resource_id AND w.thread = p.thread), 0)
      ON CONFLICT (resource_id, thread) DO UPDATE SET
        text = excluded.text, version = version + 1, updated_at = excluded.updated_at
      RETURNING version`,
    args: [text, at, ...args, expected, expected],
  }
}
