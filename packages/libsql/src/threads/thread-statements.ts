import type { InStatement } from '@libsql/client'
import type { ThreadKey, ThreadOrder, ThreadPosition } from '@retinue/core/storage'
import { THREAD_COLUMNS } from './rows.ts'

/** The sequence of a thread, if its owner asks: nothing, where it has another. Takes `id` and `resource_id`. */
export const OWNED_THREAD = 'SELECT sequence FROM retinue_threads WHERE id = ? AND resource_id = ?'

/** A thread as it is written first. */
export interface NewThreadValues {
  readonly id: string
  readonly resourceId: string
  readonly title: string | null
  readonly metadata: string | null
  readonly parentId?: string | undefined
  readonly at: number
}

const INSERT_THREAD = `INSERT INTO retinue_threads (id, resource_id, title, metadata, created_at, updated_at, parent_id)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

function valuesOf({ id, resourceId, title, metadata, parentId, at }: NewThreadValues): (string | number | null)[] {
  return [id, resourceId, title, metadata, at, at, parentId ?? null]
}

/** Gives no row if the id is taken. */
export function createThread(thread: NewThreadValues): InStatement {
  return { sql: `${INSERT_THREAD} ON CONFLICT (id) DO NOTHING RETURNING ${THREAD_COLUMNS}`, args: valuesOf(thread) }
}

/**
 * Makes the thread, or says that it is used; gives no row if it is somebody else's. `workingMemory` is read along, as JSON: a
 * statement of its own would be one more.
 */
export function openThread(thread: NewThreadValues, workingMemory: 'thread' | 'resource' | undefined): InStatement {
  const memory =
    workingMemory === undefined
      ? 'NULL'
      : `(SELECT '[' || w.version || ',' || w.updated_at || ',' || w.text || ']' FROM retinue_working_memory w
          WHERE w.resource_id = retinue_threads.resource_id
          AND w.thread = ${workingMemory === 'thread' ? 'retinue_threads.sequence' : '0'})`
  return {
    sql: `${INSERT_THREAD}
      ON CONFLICT (id) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)
        WHERE resource_id = excluded.resource_id
      RETURNING ${THREAD_COLUMNS}, ${memory} AS working_memory`,
    args: valuesOf(thread),
  }
}

export function getThread({ threadId, resourceId }: ThreadKey): InStatement {
  return {
    sql: `SELECT ${THREAD_COLUMNS} FROM retinue_threads WHERE id = ? AND resource_id = ?`,
    args: [threadId, resourceId],
  }
}

/** `undefined` leaves a column as it is. */
export function updateThread(
  { threadId, resourceId }: ThreadKey,
  change: { title: string | null | undefined; metadata: string | null | undefined; at: number },
): InStatement {
  const { title, metadata, at } = change
  return {
    sql: `UPDATE retinue_threads SET
        title = CASE WHEN ? THEN ? ELSE title END,
        metadata = CASE WHEN ? THEN ? ELSE metadata END,
        updated_at = max(updated_at, ?)
      WHERE id = ? AND resource_id = ? RETURNING ${THREAD_COLUMNS}`,
    args: [title !== undefined, title ?? null, metadata !== undefined, metadata ?? null, at, threadId, resourceId],
  }
}

/** The last gives a row if there was such a thread. */
export function deleteThread({ threadId, resourceId }: ThreadKey): InStatement[] {
  const args = [threadId, resourceId]
  return [
    { sql: `DELETE FROM retinue_messages WHERE thread = (${OWNED_THREAD})`, args },
    {
      sql: `DELETE FROM retinue_working_memory WHERE thread = (${OWNED_THREAD}) AND resource_id = ?`,
      args: [...args, resourceId],
    },
    { sql: 'DELETE FROM retinue_threads WHERE id = ? AND resource_id = ? RETURNING sequence', args },
  ]
}

export interface CopyValues {
  readonly newThreadId: string
  /** `undefined` takes that of the original. */
  readonly title: string | null | undefined
  readonly metadata: string | null | undefined
  readonly at: number
}

/**
 * The first gives the new thread, or no row if there is no such original. An id that is taken is a constraint that fails, and takes
 * all of it back: otherwise the messages would be added to the thread that has it.
 */
export function cloneThread({ threadId, resourceId }: ThreadKey, copy: CopyValues): InStatement[] {
  const { newThreadId, title, metadata, at } = copy
  const both = [newThreadId, resourceId, threadId, resourceId]
  return [
    {
      sql: `INSERT INTO retinue_threads (id, resource_id, title, metadata, created_at, updated_at)
        SELECT ?, resource_id, CASE WHEN ? THEN ? ELSE title END, CASE WHEN ? THEN ? ELSE metadata END, ?, ?
        FROM retinue_threads WHERE id = ? AND resource_id = ? RETURNING ${THREAD_COLUMNS}`,
      args: [
        ...[newThreadId, title !== undefined, title ?? null, metadata !== undefined, metadata ?? null, at, at],
        ...[threadId, resourceId],
      ],
    },
    {
      sql: `INSERT INTO retinue_messages (thread, id, message, metadata, terms, created_at)
        SELECT (${OWNED_THREAD}), lower(hex(randomblob(16))), message, metadata, terms, created_at
        FROM retinue_messages WHERE thread = (${OWNED_THREAD}) ORDER BY sequence`,
      args: both,
    },
    {
      sql: `INSERT INTO retinue_working_memory (resource_id, thread, text, version, updated_at)
        SELECT resource_id, (${OWNED_THREAD}), text, version, updated_at
        FROM retinue_working_memory WHERE thread = (${OWNED_THREAD}) AND resource_id = ?`,
      args: [...both, resourceId],
    },
  ]
}

/** Gives one row more than `limit` if there is a next page. */
export function listThreads(
  resourceId: string,
  order: ThreadOrder,
  limit: number,
  from: ThreadPosition | undefined,
): InStatement {
  const created = order === 'created'
  const place = created ? 'sequence < ?' : '(updated_at, sequence) < (?, ?)'
  const position = from === undefined ? [] : created ? [from.sequence] : [from.updatedAt, from.sequence]
  return {
    sql: `SELECT ${THREAD_COLUMNS} FROM retinue_threads WHERE resource_id = ? ${from === undefined ? '' : `AND ${place}`}
      ORDER BY ${created ? 'sequence DESC' : 'updated_at DESC, sequence DESC'} LIMIT ?`,
    args: [resourceId, ...position, limit + 1],
  }
}

/** Those under a thread, the lowest first: a thread is made after the one that it is under. */
export function listUnder({ threadId, resourceId }: ThreadKey): InStatement {
  return {
    // `UNION`, so that each is found once, whatever somebody wrote into the table.
    sql: `WITH RECURSIVE under (sequence, id, resource_id) AS (
        SELECT t.sequence, t.id, t.resource_id FROM retinue_threads own JOIN retinue_threads t ON t.parent_id = own.id
          WHERE own.id = ? AND own.resource_id = ?
        UNION SELECT t.sequence, t.id, t.resource_id FROM under u JOIN retinue_threads t ON t.parent_id = u.id
      ) SELECT id, resource_id FROM under ORDER BY sequence DESC`,
    args: [threadId, resourceId],
  }
}
