/** One page of a listing. */
export interface PageRequest {
  /** At least 1. Default: 100. */
  readonly limit?: number
  /** `next` of the page before. It is opaque and of no use for another listing. */
  readonly cursor?: string
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Rows of the page that can't be read any more; the listing goes on beyond them. */
  readonly unreadable: readonly UnreadableRow[]
  /** The cursor of the next page; undefined if this is the last. */
  readonly next?: string
}

/**
 * A row that is in the store and can't be read: something outside changed or damaged it. Listings tell of it and go on; reading it by
 * its id fails with `storage-row-unreadable`.
 */
export interface UnreadableRow {
  readonly id: string
  /** Of a message. */
  readonly sequence?: number
  readonly reason: string
}

/** Everything of a listing; only where it is known to be short. */
export async function allPages<T>(page: (request: { readonly cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await page(cursor === undefined ? {} : { cursor })
    found.push(...items)
    cursor = next
  } while (cursor !== undefined)
  return found
}
