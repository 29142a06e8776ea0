import type { InStatement, InValue } from '@libsql/client'
import {
  type MessageQuery,
  type MessageSearch,
  type NeighbourQuery,
  type NewMessageRow,
  type QueryTerm,
  RANKING,
  type ReplacedTurns,
  type ThreadKey,
} from '@retinue/core/storage'
import { NAMED, NAMED_THREAD } from '../schema/named-thread.ts'
import { MESSAGE_COLUMNS } from './rows.ts'

/** So many messages go into one statement: a statement has at most 32,766 values, and a message takes five. */
const MESSAGES_A_STATEMENT = 1000

/**
 * Appends the messages in their order, if the resource has the thread. Gives id and sequence of each, also of one that was there
 * already, which stays as it is. One statement for as many as a run says; more belong into one transaction.
 */
export function appendMessages(key: ThreadKey, rows: readonly NewMessageRow[]): InStatement[] {
  const statements: InStatement[] = []
  for (let first = 0; first < rows.length; first += MESSAGES_A_STATEMENT)
    statements.push(appendSome(key, rows.slice(first, first + MESSAGES_A_STATEMENT)))
  return statements
}

function appendSome({ threadId, resourceId }: ThreadKey, rows: readonly NewMessageRow[]): InStatement {
  const values = rows.map(() => '(?, ?, ?, ?, ?)').join(', ')
  return {
    // `CROSS JOIN` keeps the thread outside: the messages come in the order in which they are listed.
    sql: `INSERT INTO retinue_messages (thread, id, message, metadata, terms, created_at)
      SELECT t.sequence, v.column1, v.column2, v.column3, v.column4, v.column5
      FROM retinue_threads t CROSS JOIN (VALUES ${values}) v WHERE ${NAMED}
      ON CONFLICT (thread, id) DO UPDATE SET id = excluded.id RETURNING id, sequence`,
    args: [
      ...rows.flatMap(({ id, message, metadata, terms, createdAt }) => [id, message, metadata, terms, createdAt]),
      threadId,
      resourceId,
    ],
  }
}

/**
 * Deletes what a turn takes the place of. The first fails, and takes all of the turn back, if the owner has no such message: otherwise
 * the turn would come after it.
 */
export function replaceMessages(
  { threadId, resourceId }: ThreadKey,
  { from, keep = [] }: ReplacedTurns,
): InStatement[] {
  const first = [threadId, resourceId, from]
  return [
    {
      sql: `INSERT INTO retinue_messages (thread, id, message, terms, created_at)
        SELECT NULL, '', '', '', 0 WHERE NOT EXISTS (${FIRST_REPLACED})`,
      args: first,
    },
    {
      sql: `DELETE FROM retinue_messages WHERE (thread, sequence) IN (
        SELECT m.thread, m.sequence FROM (${FIRST_REPLACED}) f JOIN retinue_messages m
          ON m.thread = f.thread AND m.sequence >= f.sequence
        WHERE m.id NOT IN (SELECT value FROM json_each(?)))`,
      args: [...first, JSON.stringify(keep)],
    },
  ]
}

/** A message of an owner's thread, whatever the owner is called. */
const FIRST_REPLACED = `SELECT thread, sequence FROM retinue_messages
  WHERE thread = (SELECT sequence FROM retinue_threads WHERE id = ? AND resource_id = ?) AND id = ?`

/** The last messages before some, the newest first. */
export function messagesBefore(
  { threadId, resourceId }: ThreadKey,
  ids: readonly string[],
  limit: number,
): InStatement {
  const own = [threadId, resourceId]
  // One value however many ids: a statement has room for so many only.
  const before =
    ids.length === 0
      ? ''
      : `AND m.sequence < (SELECT min(sequence) FROM retinue_messages WHERE thread = (${NAMED_THREAD}) AND id IN (SELECT value FROM json_each(?)))`
  return {
    sql: `SELECT ${MESSAGE_COLUMNS} FROM retinue_messages m WHERE m.thread = (${NAMED_THREAD}) ${before}
      ORDER BY m.sequence DESC LIMIT ?`,
    args: [...own, ...(ids.length === 0 ? [] : [...own, JSON.stringify(ids)]), limit],
  }
}

/** Gives one row more than `limit` if there are more. */
export function listMessages(query: MessageQuery): InStatement {
  const { threadId, resourceId, before, after, from = 'newest', limit } = query
  const bounds = [before === undefined ? '' : 'AND m.sequence < ?', after === undefined ? '' : 'AND m.sequence > ?']
  const args: InValue[] = [threadId, resourceId]
  if (before !== undefined) args.push(before)
  if (after !== undefined) args.push(after)
  return {
    sql: `SELECT ${MESSAGE_COLUMNS} FROM retinue_messages m WHERE m.thread = (${NAMED_THREAD}) ${bounds.join(' ')}
      ORDER BY m.sequence ${from === 'newest' ? 'DESC' : 'ASC'} LIMIT ?`,
    args: [...args, limit + 1],
  }
}

/** The message and those around it, oldest first. */
export function listNeighbours({ threadId, resourceId, messageId, before, after }: NeighbourQuery): InStatement {
  return {
    sql: `WITH here AS (
        SELECT thread, sequence FROM retinue_messages WHERE thread = (${NAMED_THREAD}) AND id = ?
      )
      SELECT * FROM (
        SELECT ${MESSAGE_COLUMNS} FROM here JOIN retinue_messages m ON m.thread = here.thread AND m.sequence <= here.sequence
        ORDER BY m.sequence DESC LIMIT ?
      ) UNION ALL SELECT * FROM (
        SELECT ${MESSAGE_COLUMNS} FROM here JOIN retinue_messages m ON m.thread = here.thread AND m.sequence > here.sequence
        ORDER BY m.sequence LIMIT ?
      ) ORDER BY 1`,
    args: [threadId, resourceId, messageId, before + 1, after],
  }
}

/**
 * Messages by the terms of a query, scored as `rankByTerms` does. FTS5 finds who holds a term, over all that is stored; how rare it is
 * is counted in what may be seen, so that nobody's messages rank by what others said. Terms hold letters and numbers only, so quotes
 * make each of them a plain word.
 */
export function searchMessages(
  { resourceId, threadId, limit }: MessageSearch,
  terms: readonly QueryTerm[],
): InStatement {
  const looks = terms.flatMap(({ word, beginning }, index) => [
    { index, weight: 1, query: `"${word}"` },
    ...(beginning === undefined ? [] : [{ index, weight: RANKING.form, query: `"${beginning}"*` }]),
  ])
  const hits = looks.map(
    ({ index, weight }) =>
      `SELECT ${index}, ${weight}, rowid FROM retinue_message_terms WHERE retinue_message_terms MATCH ?`,
  )
  const seen =
    threadId === undefined
      ? { sql: 'thread IN (SELECT sequence FROM retinue_threads WHERE resource_id = ?)', args: [resourceId] }
      : { sql: `thread = (${NAMED_THREAD})`, args: [threadId, resourceId] }
  const { k, b } = RANKING
  return {
    sql: `WITH hits (term, weight, sequence) AS (${hits.join(' UNION ALL ')}),
      seen (term, weight, sequence, length) AS (
        SELECT term, max(weight), sequence, length(terms) FROM hits JOIN retinue_messages USING (sequence)
        WHERE ${seen.sql} GROUP BY term, sequence
      ),
      everything (number, length) AS (
        SELECT (SELECT count(*) FROM retinue_messages WHERE ${seen.sql}),
          (SELECT avg(length) FROM (SELECT DISTINCT sequence, length FROM seen))
      ),
      rarities (term, rarity) AS (
        SELECT term, ln(1 + (number - count(*) + 0.5) / (count(*) + 0.5)) FROM seen, everything GROUP BY term
      )
      SELECT ${MESSAGE_COLUMNS}, t.id AS thread_id,
        sum(weight * rarity) / (1 + ${k} * (1 - ${b} + ${b} * seen.length / everything.length)) AS score
      FROM seen JOIN rarities USING (term), everything
      JOIN retinue_messages m ON m.sequence = seen.sequence JOIN retinue_threads t ON t.sequence = m.thread
      GROUP BY m.sequence ORDER BY score DESC, m.sequence DESC LIMIT ?`,
    args: [...looks.map(({ query }) => query), ...seen.args, ...seen.args, limit],
  }
}
