import { isRetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { decodeValue } from './encode-value.ts'
import { rowUnreadable } from './storage-errors.ts'

/** What a row holds; `storage-row-unreadable` if it is damaged. */
export function readRow<T>(id: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw rowUnreadable(id, thrownMessage(error))
  }
}

/** What can be read of rows, and why the others can't: one damaged row does not take them all away. */
export function readRows<Row, T>(
  rows: Iterable<Row>,
  read: (row: Row) => T,
): { whole: T[]; damaged: { readonly row: Row; readonly reason: string }[] } {
  const whole: T[] = []
  const damaged: { row: Row; reason: string }[] = []
  for (const row of rows) {
    try {
      whole.push(read(row))
    } catch (error) {
      const isTyped = isRetinueError(error, 'storage-row-unreadable')
      damaged.push({ row, reason: isTyped ? String(error.data['reason']) : thrownMessage(error) })
    }
  }
  return { whole, damaged }
}

/** A text that was kept as a value; throws if it is none. */
export function decodedText(stored: string): string {
  return asText(decodeValue(stored))
}

export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('what is stored is no text')
  return value
}
