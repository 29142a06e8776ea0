import { thrownMessage } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import type {
  Approval,
  ApprovalChange,
  ApprovalKey,
  ApprovalQuery,
  ApprovalRequest,
  ApprovalStatus,
  Decision,
} from './approvals.ts'
import { assertCount, assertId, assertOneOf, assertText, assertTime } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import type { PageRequest, UnreadableRow } from './page.ts'
import { readRows } from './read-row.ts'
import { type CheckedQuery, sequencePosition } from './sequence-cursor.ts'
import { rowUnreadable } from './storage-errors.ts'
import { DEFAULT_PAGE } from './thread-cursor.ts'

/** A question as stores keep it: what is looked for as it is, the rest as JSON text. */
export interface ApprovalRow extends ApprovalKey {
  /** In which place questions were asked, from 1. */
  readonly sequence: number
  readonly agentId: string
  readonly status: string
  readonly threadId: string | null
  readonly resourceId: string | null
  readonly request: string
  readonly decision: string | null
  readonly requestedAt: number
  readonly decidedAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** A question that nobody has decided, before the store has given it a place. */
export type NewApprovalRow = Pick<
  ApprovalRow,
  'runId' | 'toolCallId' | 'round' | 'agentId' | 'threadId' | 'resourceId' | 'request' | 'requestedAt'
>

/** What a move writes: `null` leaves what is there. */
export interface ApprovalMove extends ApprovalKey {
  readonly from: readonly ApprovalStatus[]
  readonly to: ApprovalStatus
  readonly decision: string | null
  /** Written whatever is there. */
  readonly decidedAt: number | null
  /** Written if nothing is there: when it was decided stays, whatever becomes of it. */
  readonly closedAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number | null
}

const STATUSES: readonly ApprovalStatus[] = [
  'pending',
  'approved',
  'declined',
  'started',
  'done',
  'unknown',
  'cancelled',
  'void',
]

/** All questions as rows, or an error that names what can't be stored. */
export function newApprovalRows(requests: readonly ApprovalRequest[], at: number): NewApprovalRow[] {
  return requests.map(({ runId, toolCallId, round, agentId, threadId, resourceId, ...request }, index) => {
    const place = `requests[${index}]`
    assertApprovalKey({ runId, toolCallId, round })
    assertId(agentId, `${place}.agentId`)
    if (threadId !== undefined) assertId(threadId, `${place}.threadId`)
    if (resourceId !== undefined) assertId(resourceId, `${place}.resourceId`)
    assertText(request.toolName, `${place}.toolName`)
    assertText(request.fingerprint, `${place}.fingerprint`)
    for (const key of request.path) assertText(key, `${place}.path`)
    assertOneOf(request.kind, ['approval', 'suspension'], `${place}.kind`)
    if (request.expiresAt !== undefined) assertTime(request.expiresAt, `${place}.expiresAt`)
    return {
      runId,
      toolCallId,
      round,
      agentId,
      threadId: threadId ?? null,
      resourceId: resourceId ?? null,
      request: encodeValue(request, place),
      requestedAt: at,
    }
  })
}

/** A move as what it writes, or an error that names what can't be stored. `place` is the way to it. */
export function approvalMove({ from, to, decision, at, ...key }: ApprovalChange, place = ''): ApprovalMove {
  assertApprovalKey(key)
  for (const status of from) assertOneOf(status, STATUSES, `${place}from`)
  assertOneOf(to, STATUSES, `${place}to`)
  assertTime(at, `${place}at`)
  return {
    ...key,
    from,
    to,
    decision: decision === undefined ? null : encodeValue(decision, `${place}decision`),
    decidedAt: to === 'approved' || to === 'declined' ? at : null,
    closedAt: to === 'cancelled' || to === 'void' ? at : null,
    startedAt: to === 'started' ? at : null,
    endedAt: to === 'done' || to === 'unknown' ? at : null,
  }
}

export function approvalMoves(changes: readonly ApprovalChange[]): ApprovalMove[] {
  return changes.map((change, index) => approvalMove(change, `moves[${index}].`))
}

function assertApprovalKey({ runId, toolCallId, round }: ApprovalKey): void {
  assertId(runId, 'runId')
  assertId(toolCallId, 'toolCallId')
  assertCount(round, 'round')
}

type ApprovalFilter = {
  readonly [Name in Exclude<keyof ApprovalQuery, keyof PageRequest | 'runId'>]: ApprovalQuery[Name] | undefined
} & { readonly runIds: readonly string[] | undefined }

/** A query with everything that has a default; throws for one that can't be answered. */
export function checkedApprovalQuery({
  cursor,
  limit = DEFAULT_PAGE,
  ...filter
}: ApprovalQuery): CheckedQuery<ApprovalFilter> {
  const { runId, agentId, status, threadId, resourceId } = filter
  const runIds = runId === undefined ? undefined : [runId].flat()
  for (const each of runIds ?? []) assertId(each, 'runId')
  if (agentId !== undefined) assertId(agentId, 'agentId')
  if (status !== undefined) assertOneOf(status, STATUSES, 'status')
  if (threadId !== undefined) assertId(threadId, 'threadId')
  if (resourceId !== undefined) assertId(resourceId, 'resourceId')
  assertCount(limit, 'limit')
  return { filter: { runIds, agentId, status, threadId, resourceId }, after: sequencePosition('a', cursor), limit }
}

/** The question of a row; `storage-row-unreadable` if the row is damaged. */
export function storedApproval(row: ApprovalRow): Approval {
  const { runId, toolCallId, round, agentId, threadId, resourceId, requestedAt, decidedAt, startedAt, endedAt } = row
  try {
    return {
      ...requestOf(decodeValue(row.request)),
      runId,
      toolCallId,
      round,
      agentId,
      ...(threadId === null ? {} : { threadId }),
      ...(resourceId === null ? {} : { resourceId }),
      status: statusOf(row.status),
      requestedAt,
      ...(row.decision === null ? {} : { decision: decisionOf(decodeValue(row.decision)) }),
      ...(decidedAt === null ? {} : { decidedAt }),
      ...(startedAt === null ? {} : { startedAt }),
      ...(endedAt === null ? {} : { endedAt }),
    }
  } catch (error) {
    throw rowUnreadable(rowId(row), thrownMessage(error))
  }
}

export function storedApprovals(rows: Iterable<ApprovalRow>): { items: Approval[]; unreadable: UnreadableRow[] } {
  const { whole, damaged } = readRows(rows, storedApproval)
  return { items: whole, unreadable: damaged.map(({ row, reason }) => ({ id: rowId(row), reason })) }
}

/** How a question is named in errors. */
function rowId({ runId, toolCallId, round }: ApprovalKey): string {
  return `${runId}/${toolCallId}/${round}`
}

type Asked = Omit<ApprovalRequest, keyof ApprovalKey | 'agentId' | 'threadId' | 'resourceId'>

/** What is asked decides what a person sees and what then runs, so its outline is checked: for a damaged one nothing runs. */
function requestOf(value: unknown): Asked {
  if (isAsked(value)) return value
  throw new TypeError('what is stored is no request')
}

function isAsked(value: unknown): value is Asked {
  if (!isObject(value) || !Array.isArray(value['path']) || !('args' in value)) return false
  const { path, toolName, fingerprint, kind, expiresAt = 0 } = value
  const texts: unknown[] = [...path, toolName, fingerprint]
  if (!texts.every((text) => typeof text === 'string')) return false
  return (kind === 'approval' || kind === 'suspension') && Number.isSafeInteger(expiresAt)
}

function decisionOf(value: unknown): Decision {
  if (!isObject(value)) throw new TypeError('what is stored is no decision')
  return value as Decision
}

function statusOf(text: string): ApprovalStatus {
  const status = STATUSES.find((each) => each === text)
  if (!status) throw new TypeError(`'${text}' is no status of a question`)
  return status
}
