import { thrownMessage } from '../errors/retinue-error.ts'
import { assertText } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import { unreadableReason } from './message-row.ts'
import type { UnreadableRow } from './page.ts'
import { rowUnreadable } from './storage-errors.ts'
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
  try {
    return {
      id,
      resourceId,
      ...(title === null ? {} : { title: textOf(decodeValue(title)) }),
      ...(metadata === null ? {} : { metadata: decodeValue(metadata) as Fields }),
      createdAt,
      updatedAt,
    }
  } catch (error) {
    throw rowUnreadable(id, thrownMessage(error))
  }
}

export function storedThreads(rows: Iterable<ThreadRow>): { items: Thread[]; unreadable: UnreadableRow[] } {
  const items: Thread[] = []
  const unreadable: UnreadableRow[] = []
  for (const row of rows) {
    try {
      items.push(storedThread(row))
    } catch (error) {
      unreadable.push({ id: row.id, reason: unreadableReason(error) })
    }
  }
  return { items, unreadable }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('what is stored is no text')
  return value
}
