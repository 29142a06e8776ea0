import type { InStatement } from '@libsql/client'
import { isRetinueError } from '@retinue/core/errors'
import type { Database } from '../database/database.ts'

/** So many messages are indexed in one transaction: others wait for it, in this process and in others. */
const MESSAGES_A_TRANSACTION = 2000

/** What comes next for the index, by sequence. */
const NEXT = `FROM retinue_messages WHERE sequence > (SELECT indexed FROM retinue_search_index)
  ORDER BY sequence LIMIT ${MESSAGES_A_TRANSACTION}`

const IS_BEHIND = `SELECT 1 FROM retinue_messages WHERE sequence > (SELECT indexed FROM retinue_search_index) LIMIT 1`

const GO_ON: readonly InStatement[] = [
  `INSERT INTO retinue_message_terms (rowid, terms) SELECT sequence, terms ${NEXT}`,
  `UPDATE retinue_search_index SET indexed = coalesce((SELECT max(sequence) FROM (SELECT sequence ${NEXT})), indexed)`,
]

/** Brings the full-text index up to the last message. Who may only read the file searches as far as the index goes. */
export async function updateSearchIndex(database: Database): Promise<void> {
  try {
    while ((await database.read(IS_BEHIND)).length > 0) await database.write(GO_ON)
  } catch (error) {
    if (!isRetinueError(error, 'storage-read-only')) throw error
  }
}
