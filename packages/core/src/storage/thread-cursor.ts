import { RetinueError } from '../errors/retinue-error.ts'
import type { ThreadRow } from './thread-row.ts'

export type ThreadOrder = 'created' | 'updated'

/** The row after which the next page begins. `updatedAt` is of no account for the order `created`. */
export type ThreadPosition = Pick<ThreadRow, 'sequence' | 'updatedAt'>

export const DEFAULT_PAGE = 100

/** Refuses what is no order. */
export function assertThreadOrder(order: unknown): asserts order is ThreadOrder {
  if (order === 'created' || order === 'updated') return
  throw new RetinueError({
    code: 'option-invalid',
    message: `\`order\` must be 'created' or 'updated'; it is ${String(order)}.`,
    data: { option: 'order' },
  })
}

export function threadCursor(order: ThreadOrder, { sequence, updatedAt }: ThreadPosition): string {
  return order === 'created' ? `c.${sequence}` : `u.${sequence}.${updatedAt}`
}

export function threadPosition(order: ThreadOrder, cursor: string): ThreadPosition {
  const found = (order === 'created' ? /^c\.(\d+)$/ : /^u\.(\d+)\.(-?\d+)$/).exec(cursor)
  const [sequence, updatedAt] = [Number(found?.[1]), Number(found?.[2] ?? 0)]
  if (!Number.isSafeInteger(sequence) || !Number.isSafeInteger(updatedAt)) {
    throw new RetinueError({
      code: 'option-invalid',
      message: 'The `cursor` is not one of this listing.',
      hint: 'Hand in `next` of the page before, with the same `order`.',
      data: { option: 'cursor' },
    })
  }
  return { sequence, updatedAt }
}
