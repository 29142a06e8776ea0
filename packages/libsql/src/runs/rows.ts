import type { Row } from '@libsql/client'
import type { ApprovalRow, RunFactsRow, RunRow } from '@retinue/core/storage'
import { numberOrNull, textOrNull } from '../database/column-values.ts'

/** What runs and approvals are looked for by. */
export interface Filter {
  readonly runId?: string | undefined
  readonly agentId?: string | undefined
  readonly status?: string | undefined
  readonly threadId?: string | undefined
  readonly resourceId?: string | undefined
}

export const FILTER_COLUMNS: Readonly<Record<keyof Filter, string>> = {
  runId: 'run_id',
  agentId: 'agent_id',
  status: 'status',
  threadId: 'thread_id',
  resourceId: 'resource_id',
}

/** What `runFactsOf` reads. */
export const RUN_FACTS =
  'sequence, run_id, agent_id, status, thread_id, resource_id, created_at, updated_at, version, lease_holder, lease_until'

export function runFactsOf(row: Row): RunFactsRow {
  return {
    sequence: Number(row['sequence']),
    runId: String(row['run_id']),
    agentId: String(row['agent_id']),
    status: String(row['status']),
    threadId: textOrNull(row['thread_id']),
    resourceId: textOrNull(row['resource_id']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    version: Number(row['version']),
    leaseHolder: textOrNull(row['lease_holder']),
    leaseUntil: numberOrNull(row['lease_until']),
  }
}

/** Of the facts and the body. */
export function runOf(row: Row): RunRow {
  return { ...runFactsOf(row), body: String(row['body']) }
}

/** What `approvalOf` reads. */
export const APPROVAL_COLUMNS = `sequence, run_id, tool_call_id, round, agent_id, status, thread_id, resource_id,
  requested_at, decided_at, started_at, ended_at, request, decision`

export function approvalOf(row: Row): ApprovalRow {
  return {
    sequence: Number(row['sequence']),
    runId: String(row['run_id']),
    toolCallId: String(row['tool_call_id']),
    round: Number(row['round']),
    agentId: String(row['agent_id']),
    status: String(row['status']),
    threadId: textOrNull(row['thread_id']),
    resourceId: textOrNull(row['resource_id']),
    requestedAt: Number(row['requested_at']),
    decidedAt: numberOrNull(row['decided_at']),
    startedAt: numberOrNull(row['started_at']),
    endedAt: numberOrNull(row['ended_at']),
    request: String(row['request']),
    decision: textOrNull(row['decision']),
  }
}
