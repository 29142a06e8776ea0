import type { Row } from '@libsql/client'
import type { MessageRow, ThreadRow } from '@retinue/core/storage'
import { textOrNull } from '../database/column-values.ts'

/** What `threadOf` reads. */
export const THREAD_COLUMNS =
  'sequence, id, coalesce(called_as, resource_id) AS told_owner, title, metadata, created_at, updated_at'

export function threadOf(row: Row): ThreadRow {
  return {
    id: String(row['id']),
    resourceId: String(row['told_owner']),
    sequence: Number(row['sequence']),
    title: textOrNull(row['title']),
    metadata: textOrNull(row['metadata']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
  }
}

/** What `messageOf` reads, of the table `m`. */
export const MESSAGE_COLUMNS = 'm.sequence, m.id, m.message, m.metadata, m.created_at'

export function messageOf(row: Row, threadId: string): MessageRow {
  return {
    id: String(row['id']),
    threadId,
    sequence: Number(row['sequence']),
    message: String(row['message']),
    metadata: textOrNull(row['metadata']),
    createdAt: Number(row['created_at']),
  }
}
