import { RetinueError } from '../errors/retinue-error.ts'

/** Which listing a cursor is of: runs, approvals, tasks. */
export type SequenceListing = 'r' | 'a' | 't'

/** A query with everything that has a default. */
export interface CheckedQuery<Filter> {
  readonly filter: Filter
  /** The number after which its page begins. */
  readonly after: number
  readonly limit: number
}

/** The cursor of a listing that goes by one number a row, the lowest first. */
export function sequenceCursor(listing: SequenceListing, sequence: number): string {
  return `${listing}.${sequence}`
}

/** The number after which a page begins; 0 for the first page. */
export function sequencePosition(listing: SequenceListing, cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const [kind, number, ...rest] = cursor.split('.')
  const sequence = Number(number)
  if (kind === listing && rest.length === 0 && Number.isSafeInteger(sequence) && sequence > 0) return sequence
  throw new RetinueError({
    code: 'option-invalid',
    message: 'The `cursor` is not one of this listing.',
    hint: 'Hand in `next` of the page before.',
    data: { option: 'cursor' },
  })
}
