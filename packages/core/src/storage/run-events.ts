import { assertCount, assertId } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import { readRow } from './read-row.ts'
import type { Value } from './values.ts'

/** Where an event stands in what a run tells. */
export interface EventPlace {
  /** Each time that somebody works on a run is a leg of it; a later one has a greater number, and numbers may be left out. */
  readonly leg: number
  /** The number of the event in its leg, from 1, without a gap. */
  readonly seq: number
}

/** Events of one leg that were told one after the other: one row, whatever their number. */
export interface RunEvents {
  readonly leg: number
  /** The numbers of the first and of the last. */
  readonly first: number
  readonly last: number
  /** At most `MAX_VALUE_LENGTH` characters as JSON. */
  readonly body: Value
}

export interface NewRunEvents extends RunEvents {
  readonly runId: string
}

export interface RunEventsQuery {
  readonly runId: string
  /** Only rows that hold something after this place. Default: all. */
  readonly after?: EventPlace
  /** At least 1 row. Default: 100. */
  readonly limit?: number
}

export interface RunEventsPage {
  /** In their order. */
  readonly items: readonly RunEvents[]
  readonly hasMore: boolean
}

/** Events as stores keep them. */
export interface RunEventsRow {
  readonly runId: string
  readonly leg: number
  readonly first: number
  readonly last: number
  readonly body: string
}

/** Throws `storage-value-refused` or `option-invalid` for what can't be kept. */
export function newRunEventsRow({ runId, leg, first, last, body }: NewRunEvents): RunEventsRow {
  assertId(runId, 'runId')
  assertCount(leg, 'leg')
  assertCount(first, 'first')
  assertCount(last, 'last', first)
  return { runId, leg, first, last, body: encodeValue(body, 'events') }
}

export function checkedEventsQuery({ runId, after, limit = 100 }: RunEventsQuery): {
  readonly runId: string
  readonly after: EventPlace
  readonly limit: number
} {
  assertId(runId, 'runId')
  assertCount(limit, 'limit')
  assertCount(after?.leg ?? 0, 'after.leg', 0)
  assertCount(after?.seq ?? 0, 'after.seq', 0)
  return { runId, after: after ?? { leg: 0, seq: 0 }, limit }
}

/** Throws `storage-row-unreadable` for a row that something damaged: what follows it makes no sense without it. */
export function storedRunEvents({ runId, leg, first, last, body }: RunEventsRow): RunEvents {
  return readRow(`${runId}, events ${first} to ${last}`, () => ({ leg, first, last, body: decodeValue(body) as Value }))
}
