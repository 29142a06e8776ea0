import type { InStatement } from '@libsql/client'
import type { SharedItemRow, SharedQuery } from '@retinue/core/storage'

/** So many items go into one statement: a statement has at most 32,766 values, and an item takes three. */
const ITEMS_A_STATEMENT = 1000

/** An item whose position is taken is left out. */
export function insertSharedItems(rows: readonly SharedItemRow[]): InStatement[] {
  const statements: InStatement[] = []
  for (let first = 0; first < rows.length; first += ITEMS_A_STATEMENT)
    statements.push(insertSome(rows.slice(first, first + ITEMS_A_STATEMENT)))
  return statements
}

function insertSome(rows: readonly SharedItemRow[]): InStatement {
  return {
    sql: `INSERT INTO retinue_shared_items (list_id, position, item) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}
      ON CONFLICT (list_id, position) DO NOTHING`,
    args: rows.flatMap(({ listId, position, item }) => [listId, position, item]),
  }
}

export function listSharedItems({ listId, count }: SharedQuery): InStatement {
  return {
    sql: `SELECT list_id, position, item FROM retinue_shared_items WHERE list_id = ? AND position < ? ORDER BY position`,
    args: [listId, count],
  }
}

export function deleteSharedItems(listId: string): InStatement {
  return { sql: 'DELETE FROM retinue_shared_items WHERE list_id = ?', args: [listId] }
}
