import type { InStatement } from '@libsql/client'
import type { ApprovalKey, ApprovalMove, NewApprovalRow } from '@retinue/core/storage'
import { where } from '../database/where.ts'
import { APPROVAL_COLUMNS, FILTER_COLUMNS, type Filter } from './rows.ts'

/** So many questions go into one statement: a statement has at most 32,766 values, and a question takes eight. */
const REQUESTS_A_STATEMENT = 1000

/** Writes questions in their order; one that is there stays as it is. */
export function insertApprovals(rows: readonly NewApprovalRow[]): InStatement[] {
  const statements: InStatement[] = []
  for (let first = 0; first < rows.length; first += REQUESTS_A_STATEMENT)
    statements.push(insertSome(rows.slice(first, first + REQUESTS_A_STATEMENT)))
  return statements
}

function insertSome(rows: readonly NewApprovalRow[]): InStatement {
  return {
    sql: `INSERT INTO retinue_approvals
        (run_id, tool_call_id, round, agent_id, status, thread_id, resource_id, requested_at, request)
      VALUES ${rows.map(() => "(?, ?, ?, ?, 'pending', ?, ?, ?, ?)").join(', ')}
      ON CONFLICT (run_id, tool_call_id, round) DO NOTHING`,
    args: rows.flatMap((row) => [
      ...[row.runId, row.toolCallId, row.round, row.agentId],
      ...[row.threadId, row.resourceId, row.requestedAt, row.request],
    ]),
  }
}

/** Gives the question as it now stands, or no row if it does not stand where the move begins. */
export function moveApproval(move: ApprovalMove): InStatement {
  const { runId, toolCallId, round, from, to, decision, decidedAt, closedAt, startedAt, endedAt } = move
  return {
    sql: `UPDATE retinue_approvals SET status = ?, decision = coalesce(?, decision),
        decided_at = coalesce(?, decided_at, ?), started_at = coalesce(?, started_at), ended_at = coalesce(?, ended_at)
      WHERE run_id = ? AND tool_call_id = ? AND round = ? AND status IN (${from.map(() => '?').join(', ')})
      RETURNING ${APPROVAL_COLUMNS}`,
    args: [to, decision, decidedAt, closedAt, startedAt, endedAt, runId, toolCallId, round, ...from],
  }
}

/** The last round. */
export function getApproval({ runId, toolCallId }: Omit<ApprovalKey, 'round'>): InStatement {
  return {
    sql: `SELECT ${APPROVAL_COLUMNS} FROM retinue_approvals WHERE run_id = ? AND tool_call_id = ?
      ORDER BY round DESC LIMIT 1`,
    args: [runId, toolCallId],
  }
}

/** Gives one row more than `limit` if there is a next page. */
export function listApprovals(
  { runIds, ...filter }: Omit<Filter, 'runId'> & { readonly runIds?: readonly string[] | undefined },
  after: number,
  limit: number,
): InStatement {
  const [runId, ...others] = runIds ?? []
  // One run is looked up; of several, one value however many: a statement has room for so many only.
  const isOne = runId !== undefined && others.length === 0
  const { sql, args } = where(FILTER_COLUMNS, { ...filter, runId: isOne ? runId : undefined })
  const isOfSome = runIds && !isOne
  const ofSome = isOfSome ? 'AND run_id IN (SELECT value FROM json_each(?))' : ''
  return {
    sql: `SELECT ${APPROVAL_COLUMNS} FROM retinue_approvals WHERE ${sql} ${ofSome} AND sequence > ?
      ORDER BY sequence LIMIT ?`,
    args: [...args, ...(isOfSome ? [JSON.stringify(runIds)] : []), after, limit + 1],
  }
}
