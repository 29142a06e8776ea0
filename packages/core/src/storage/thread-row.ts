import { assertText } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import type { UnreadableRow } from './page.ts'
import { decodedText, readRow, readRows } from './read-row.ts'
import type { Thread } from './threads.ts'
import type { Fields } from './values.ts'

/** A thread as stores keep it: flat, title and metadata as JSON text, which carries any character. */
export interface ThreadRow {
  readonly id: string
  readonly resourceId: string
  /** In which place threads were made, from 1. */
  readonly sequence: number
  readonly title: string | null
  readonly metadata: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

export function encodedTitle(title: string | null | undefined): string | null {
  if (title === undefined || title === null) return null
  assertText(title, 'title')
  return encodeValue(title, 'title')
}

export function encodedMetadata(metadata: Fields | null | undefined): string | null {
  return metadata === undefined || metadata === null ? null : encodeValue(metadata, 'metadata')
}

/** The thread of a row; `storage-row-unreadable` if the row is damaged. */
export function storedThread({ id, resourceId, title, metadata, createdAt, updatedAt }: ThreadRow): Thread {
  return readRow(id, () => ({
    id,
    resourceId,
    ...(title === null ? {} : { title: decodedText(title) }),
    ...(metadata === null ? {} : { metadata: decodeValue(metadata) as Fields }),
    createdAt,
    updatedAt,
  }))
}

export function storedThreads(rows: Iterable<ThreadRow>): { items: Thread[]; unreadable: UnreadableRow[] } {
  const { whole, damaged } = readRows(rows, storedThread)
  return { items: whole, unreadable: damaged.map(({ row: { id }, reason }) => ({ id, reason })) }
}
