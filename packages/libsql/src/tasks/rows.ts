import type { Row } from '@libsql/client'
import type { SharedItemRow, TaskFactsRow, TaskMessageRow, TaskRow } from '@retinue/core/storage'
import { numberOrNull, textOrNull } from '../database/column-values.ts'

/** What `taskFactsOf` reads. */
export const TASK_FACTS = `sequence, task_id, root_run_id, parent_tree, parent_run_id, tells, agent_id, tool_call_id, thread_id,
  resource_id, status, attempts, created_at, started_at, ended_at, delivered_at, call, error`

export function taskFactsOf(row: Row): TaskFactsRow {
  return {
    sequence: Number(row['sequence']),
    taskId: String(row['task_id']),
    rootRunId: String(row['root_run_id']),
    parentTree: String(row['parent_tree']),
    parentRunId: String(row['parent_run_id']),
    tells: String(row['tells']),
    agentId: String(row['agent_id']),
    toolCallId: String(row['tool_call_id']),
    threadId: textOrNull(row['thread_id']),
    resourceId: textOrNull(row['resource_id']),
    status: String(row['status']),
    attempts: Number(row['attempts']),
    createdAt: Number(row['created_at']),
    startedAt: numberOrNull(row['started_at']),
    endedAt: numberOrNull(row['ended_at']),
    deliveredAt: numberOrNull(row['delivered_at']),
    call: String(row['call']),
    error: textOrNull(row['error']),
  }
}

/** What `taskOf` reads. */
export const TASK_COLUMNS: string = `${TASK_FACTS}, args, terms, claims, outcome`

export function taskOf(row: Row): TaskRow {
  return {
    ...taskFactsOf(row),
    args: String(row['args']),
    terms: String(row['terms']),
    claims: Number(row['claims']),
    outcome: textOrNull(row['outcome']),
  }
}

/** Of a message, with the id of its task. */
export function taskMessageOf(row: Row): TaskMessageRow {
  return {
    taskId: String(row['task_id']),
    sequence: Number(row['sequence']),
    text: String(row['text']),
    at: Number(row['at']),
  }
}

export function sharedItemOf(row: Row): SharedItemRow {
  return { listId: String(row['list_id']), position: Number(row['position']), item: String(row['item']) }
}
