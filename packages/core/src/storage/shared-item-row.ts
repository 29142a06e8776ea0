import { assertCount, assertId } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import { readRow } from './read-row.ts'
import { rowUnreadable } from './storage-errors.ts'
import type { SharedItems, SharedQuery } from './tasks.ts'
import type { Value } from './values.ts'

/** An item of a shared list, as stores keep it: as JSON text. */
export interface SharedItemRow {
  readonly listId: string
  /** From 0. */
  readonly position: number
  readonly item: string
}

/** All items as rows, or an error that names what can't be stored. */
export function newSharedItemRows({ listId, from, items }: SharedItems): SharedItemRow[] {
  assertId(listId, 'listId')
  assertCount(from, 'from', 0)
  return items.map((item, index) => ({
    listId,
    position: from + index,
    item: encodeValue(item, `items[${index}]`),
  }))
}

export function assertSharedQuery({ listId, count }: SharedQuery): void {
  assertId(listId, 'listId')
  assertCount(count, 'count', 0)
}

/** The items of the rows, which are in order; `storage-row-unreadable` if one is damaged, or is not there. */
export function sharedItems({ listId, count }: SharedQuery, rows: readonly SharedItemRow[]): Value[] {
  return Array.from({ length: count }, (_none, position) => {
    const row = rows[position]
    if (row?.position !== position) throw rowUnreadable(`${listId}/${position}`, 'it is not there')
    return readRow(`${listId}/${position}`, () => decodeValue(row.item) as Value)
  })
}
