import type { InStatement } from '@libsql/client'
import type { ThreadKey, ThreadOrder, ThreadPosition } from '@retinue/core/storage'
import { NAMED, NAMED_THREAD } from '../schema/named-thread.ts'
import { THREAD_COLUMNS } from './rows.ts'

/** A thread as it is written first. */
export interface NewThreadValues {
  readonly id: string
  readonly resourceId: string
  readonly title: string | null
  readonly metadata: string | null
  readonly calledAs?: string | undefined
  readonly parent?: ThreadKey | undefined
  readonly at: number
}

const INSERT_THREAD = `INSERT INTO retinue_threads
    (id, resource_id, called_as, title, metadata, created_at, updated_at, parent_id, parent_owner)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

function valuesOf(thread: NewThreadValues): (string | number | null)[] {
  const { id, resourceId, calledAs, title, metadata, parent, at } = thread
  return [
    ...[id, resourceId, calledAs ?? null, title, metadata, at, at],
    ...[parent?.threadId ?? null, parent?.resourceId ?? null],
  ]
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
    sql: `SELECT ${THREAD_COLUMNS} FROM retinue_threads WHERE ${NAMED}`,
    args: [threadId, resourceId],
  }
}

/** Gives no row for who only says what the owner is called. */
export function ownedThread({ threadId, resourceId }: ThreadKey): InStatement {
  return { sql: 'SELECT sequence FROM retinue_threads WHERE id = ? AND resource_id = ?', args: [threadId, resourceId] }
}

/** `undefined` leaves a column as it is. */
export function updateThread(
  { threadId, resourceId }: ThreadKey,
  change: { title: string | null | undefined; onlyUntitled: boolean; metadata: string | null | undefined; at: number },
): InStatement {
  const { title, onlyUntitled, metadata, at } = change
  return {
    sql: `UPDATE retinue_threads SET
        title = CASE WHEN ? AND (title IS NULL OR NOT ?) THEN ? ELSE title END,
        metadata = CASE WHEN ? THEN ? ELSE metadata END,
        updated_at = max(updated_at, ?)
      WHERE ${NAMED} RETURNING ${THREAD_COLUMNS}`,
    args: [
      ...[title !== undefined, onlyUntitled, title ?? null, metadata !== undefined, metadata ?? null, at],
      ...[threadId, resourceId],
    ],
  }
}

/** Tasks may name the owner of the thread, or what that is called. The last gives a row if there was such a thread. */
export function deleteThread({ threadId, resourceId }: ThreadKey): InStatement[] {
  const args = [threadId, resourceId]
  return [
    { sql: `DELETE FROM retinue_messages WHERE thread = (${NAMED_THREAD})`, args },
    {
      sql: `DELETE FROM retinue_tasks WHERE (thread_id, resource_id) IN (
        SELECT id, resource_id FROM retinue_threads WHERE ${NAMED}
        UNION SELECT id, called_as FROM retinue_threads WHERE ${NAMED})`,
      args: [...args, ...args],
    },
    {
      sql: `DELETE FROM retinue_working_memory WHERE (resource_id, thread) = (
        SELECT resource_id, sequence FROM retinue_threads WHERE ${NAMED})`,
      args,
    },
    { sql: `DELETE FROM retinue_threads WHERE ${NAMED} RETURNING sequence`, args },
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
      sql: `INSERT INTO retinue_threads (id, resource_id, called_as, title, metadata, created_at, updated_at)
        SELECT ?, resource_id, called_as, CASE WHEN ? THEN ? ELSE title END, CASE WHEN ? THEN ? ELSE metadata END, ?, ?
        FROM retinue_threads WHERE ${NAMED} RETURNING ${THREAD_COLUMNS}`,
      args: [
        ...[newThreadId, title !== undefined, title ?? null, metadata !== undefined, metadata ?? null, at, at],
        ...[threadId, resourceId],
      ],
    },
    {
      sql: `INSERT INTO retinue_messages (thread, id, message, metadata, terms, created_at)
        SELECT (${NAMED_THREAD}), lower(hex(randomblob(16))), message, metadata, terms, created_at
        FROM retinue_messages WHERE thread = (${NAMED_THREAD}) ORDER BY sequence`,
      args: both,
    },
    {
      sql: `INSERT INTO retinue_working_memory (resource_id, thread, text, version, updated_at)
        SELECT w.resource_id, (${NAMED_THREAD}), w.text, w.version, w.updated_at
        FROM retinue_threads JOIN retinue_working_memory w USING (resource_id)
        WHERE w.thread = retinue_threads.sequence AND ${NAMED}`,
      args: both,
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

/** A thread and those under it, by their owners: the newest first, since a thread is made after the one that it is under; itself last. */
export function listTree({ threadId, resourceId }: ThreadKey): InStatement {
  return {
    // `UNION`, so that each is found once, whatever somebody wrote into the table.
    sql: `WITH RECURSIVE tree (sequence, id, resource_id) AS (
        SELECT sequence, id, resource_id FROM retinue_threads WHERE ${NAMED}
        UNION SELECT t.sequence, t.id, t.resource_id
          FROM tree JOIN retinue_threads t ON t.parent_id = tree.id AND t.parent_owner = tree.resource_id
      ) SELECT id, resource_id FROM tree ORDER BY id = ?, sequence DESC`,
    args: [threadId, resourceId, threadId],
  }
}
