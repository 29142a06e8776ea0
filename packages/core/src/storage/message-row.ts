import type { Message } from '../messages/message.ts'
import { spokenText } from '../messages/spoken-text.ts'
import { isObject } from '../shared/records.ts'
import { assertId, assertTime } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import type { NewMessage, StoredMessage } from './messages.ts'
import type { UnreadableRow } from './page.ts'
import { readRow, readRows } from './read-row.ts'
import { searchTerms } from './search-terms.ts'
import { valueRefused } from './storage-errors.ts'
import type { Fields } from './values.ts'

/** A message as stores keep it: flat, its values as JSON text. */
export interface MessageRow {
  readonly id: string
  readonly threadId: string
  readonly sequence: number
  readonly message: string
  readonly metadata: string | null
  readonly createdAt: number
}

/** A message before the store has given it a place. */
export interface NewMessageRow extends Omit<MessageRow, 'threadId' | 'sequence'> {
  /** What full-text search finds it by, joined by spaces. */
  readonly terms: string
}

/** All messages as rows, or an error that names what can't be stored; so nothing is written before all of it can be. */
export function newMessageRows(messages: readonly NewMessage[]): NewMessageRow[] {
  return messages.map(({ id, message, metadata, createdAt }, index) => {
    const place = `messages[${index}]`
    assertId(id, `${place}.id`)
    assertTime(createdAt, `${place}.createdAt`)
    if (!isMessage(message)) throw valueRefused(`${place}.message`, 'it is no message')
    return {
      id,
      message: encodeValue(message, `${place}.message`),
      metadata: metadata === undefined ? null : encodeValue(metadata, `${place}.metadata`),
      createdAt,
      terms: searchTerms(spokenText(message)).join(' '),
    }
  })
}

/** The message of a row; `storage-row-unreadable` if the row is damaged. */
export function storedMessage({ id, threadId, sequence, message, metadata, createdAt }: MessageRow): StoredMessage {
  return readRow(id, () => {
    const value = decodeValue(message)
    if (!isMessage(value)) throw new TypeError('what is stored is no message')
    const known = { id, threadId, sequence, message: value, createdAt }
    return metadata === null ? known : { ...known, metadata: decodeValue(metadata) as Fields }
  })
}

export function storedMessages(rows: Iterable<MessageRow>): { messages: StoredMessage[]; unreadable: UnreadableRow[] } {
  const { whole, damaged } = readRows(rows, storedMessage)
  const unreadable = damaged.map(({ row: { id, sequence }, reason }) => ({ id, sequence, reason }))
  return { messages: whole, unreadable }
}

/** Whether a value has the outline of a message; what is in its parts is the business of who reads it. */
function isMessage(value: unknown): value is Message {
  if (!isObject(value)) return false
  const { role, content } = value
  if (role === 'system') return typeof content === 'string'
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') return false
  return Array.isArray(content) && content.every((part) => isObject(part) && typeof part['type'] === 'string')
}
