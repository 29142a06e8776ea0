import { assertCount, assertId, assertOneOf, assertTime } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import type { PageRequest, UnreadableRow } from './page.ts'
import { readRow, readRows } from './read-row.ts'
import type { Lease, RunFacts, RunQuery, RunSave, RunStatus, StoredRun } from './runs.ts'
import { type CheckedQuery, sequencePosition } from './sequence-cursor.ts'
import { rowUnreadable } from './storage-errors.ts'
import { DEFAULT_PAGE } from './thread-cursor.ts'
import type { Value } from './values.ts'

/** The facts of a run as stores keep them: flat. */
export interface RunFactsRow {
  /** In which place runs were made, from 1. */
  readonly sequence: number
  readonly runId: string
  readonly agentId: string
  readonly status: string
  readonly threadId: string | null
  readonly resourceId: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly version: number
  readonly leaseHolder: string | null
  readonly leaseUntil: number | null
}

/** A run as stores keep it, its body as JSON text. */
export interface RunRow extends RunFactsRow {
  readonly body: string
}

/** A run before the store has given it a place, a version and times. */
export type NewRunRow = Omit<RunRow, 'sequence' | 'version' | 'createdAt' | 'updatedAt'>

const STATUSES: readonly RunStatus[] = ['running', 'suspended', 'ended']

/** The run as a row, or an error that names what can't be stored. */
export function newRunRow({ lease, ...save }: RunSave): NewRunRow {
  const { runId, agentId, status, threadId, resourceId } = save
  assertId(runId, 'runId')
  assertId(agentId, 'agentId')
  assertOneOf(status, STATUSES, 'status')
  if (threadId !== undefined) assertId(threadId, 'threadId')
  if (resourceId !== undefined) assertId(resourceId, 'resourceId')
  if (lease) assertLease(lease)
  assertCount(save.expectedVersion, 'expectedVersion', 0)
  assertTime(save.at, 'at')
  return {
    runId,
    agentId,
    status,
    threadId: threadId ?? null,
    resourceId: resourceId ?? null,
    leaseHolder: lease?.holder ?? null,
    leaseUntil: lease?.until ?? null,
    body: encodeValue(save.body, 'body'),
  }
}

export function assertLease({ holder, until }: Lease): void {
  assertId(holder, 'holder')
  assertTime(until, 'until')
}

type RunFilter = { readonly [Name in Exclude<keyof RunQuery, keyof PageRequest>]: RunQuery[Name] | undefined }

/** A query with everything that has a default; throws for one that can't be answered. */
export function checkedRunQuery({ cursor, limit = DEFAULT_PAGE, ...filter }: RunQuery): CheckedQuery<RunFilter> {
  const { agentId, status, threadId, resourceId } = filter
  if (agentId !== undefined) assertId(agentId, 'agentId')
  if (status !== undefined) assertOneOf(status, STATUSES, 'status')
  if (threadId !== undefined) assertId(threadId, 'threadId')
  if (resourceId !== undefined) assertId(resourceId, 'resourceId')
  assertCount(limit, 'limit')
  return { filter: { agentId, status, threadId, resourceId }, after: sequencePosition('r', cursor), limit }
}

/** The run of a row; `storage-row-unreadable` if the row is damaged. */
export function storedRun(row: RunRow): StoredRun {
  const facts = runFacts(row)
  return readRow(row.runId, () => ({ ...facts, body: decodeValue(row.body) as Value }))
}

export function allRunFacts(rows: Iterable<RunFactsRow>): { items: RunFacts[]; unreadable: UnreadableRow[] } {
  const { whole, damaged } = readRows(rows, runFacts)
  return { items: whole, unreadable: damaged.map(({ row, reason }) => ({ id: row.runId, reason })) }
}

function runFacts({
  runId,
  agentId,
  status,
  threadId,
  resourceId,
  leaseHolder,
  leaseUntil,
  ...row
}: RunFactsRow): RunFacts {
  const known = STATUSES.find((each) => each === status)
  if (!known) throw rowUnreadable(runId, `'${status}' is no status of a run`)
  return {
    runId,
    agentId,
    status: known,
    ...(threadId === null ? {} : { threadId }),
    ...(resourceId === null ? {} : { resourceId }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
    ...(leaseHolder === null || leaseUntil === null ? {} : { lease: { holder: leaseHolder, until: leaseUntil } }),
  }
}
