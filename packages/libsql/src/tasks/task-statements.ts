import type { InStatement } from '@libsql/client'
import type {
  NewTaskMessageRow,
  NewTaskRow,
  TaskClaim,
  TaskDelivery,
  TaskFilter,
  TaskMessageQuery,
  TaskMove,
} from '@retinue/core/storage'
import { where } from '../database/where.ts'
import { TASK_COLUMNS, TASK_FACTS } from './rows.ts'

/** Gives no row if the id is taken. */
export function insertTask(task: NewTaskRow): InStatement {
  return {
    sql: `INSERT INTO retinue_tasks (task_id, root_run_id, parent_tree, parent_run_id, tells, agent_id, tool_call_id,
        thread_id, resource_id, status, attempts, created_at, call, args, terms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?, ?, ?)
      ON CONFLICT (task_id) DO NOTHING RETURNING sequence`,
    args: [
      ...[task.taskId, task.rootRunId, task.parentTree, task.parentRunId, task.tells, task.agentId, task.toolCallId],
      ...[task.threadId, task.resourceId, task.createdAt, task.call, task.args, task.terms],
    ],
  }
}

export function getTask(taskId: string): InStatement {
  return { sql: `SELECT ${TASK_COLUMNS} FROM retinue_tasks WHERE task_id = ?`, args: [taskId] }
}

/** A row if there is such a task. */
export function findTask(taskId: string): InStatement {
  return { sql: 'SELECT 1 FROM retinue_tasks WHERE task_id = ?', args: [taskId] }
}

const FILTER_COLUMNS = {
  rootRunId: 'root_run_id',
  parentRunId: 'parent_run_id',
  agentId: 'agent_id',
  threadId: 'thread_id',
  resourceId: 'resource_id',
} as const

/** As the index `retinue_tasks_undelivered` has it, or it would not be used. */
const UNDELIVERED = "tells = 'thread' AND ended_at IS NOT NULL AND delivered_at IS NULL"

/** Gives one row more than `limit` if there is a next page. */
export function listTasks({ statuses, undelivered, ...filter }: TaskFilter, after: number, limit: number): InStatement {
  // A column with a `+` is looked at and not looked up: of an agent, or with a status, are many, and undelivered are few.
  const hint = undelivered ? '+' : ''
  const { sql, args } = where({ ...FILTER_COLUMNS, agentId: `${hint}agent_id` }, filter)
  const conditions = [
    sql,
    ...(statuses ? [`${hint}status IN (${statuses.map(() => '?').join(', ')})`] : []),
    ...(undelivered ? [UNDELIVERED] : []),
  ]
  return {
    sql: `SELECT ${TASK_FACTS} FROM retinue_tasks WHERE ${conditions.join(' AND ')} AND ${hint}sequence > ?
      ORDER BY ${hint}sequence LIMIT ?`,
    args: [...args, ...(statuses ?? []), after, limit + 1],
  }
}

/** Gives the task as it now stands, or no row if it does not stand where the move begins. */
export function moveTask({ taskId, from, to, attempts, startedAt, endedAt, error, outcome }: TaskMove): InStatement {
  return {
    sql: `UPDATE retinue_tasks SET status = ?, attempts = coalesce(?, attempts), started_at = coalesce(started_at, ?),
        ended_at = coalesce(?, ended_at), error = coalesce(?, error), outcome = coalesce(?, outcome)
      WHERE task_id = ? AND status IN (${from.map(() => '?').join(', ')})
      RETURNING ${TASK_COLUMNS}`,
    args: [to, attempts, startedAt, endedAt, error, outcome, taskId, ...from],
  }
}

/** One value however many ids: a statement has room for so many only. */
const THESE = 'task_id IN (SELECT value FROM json_each(?))'

/** Gives the tasks that were claimed, in no order. */
export function claimTasks({ taskIds, by, until, at }: TaskClaim): InStatement {
  return {
    sql: `UPDATE retinue_tasks SET claimed_by = ?, claimed_until = ?, claims = claims + 1
      WHERE ${THESE} AND ended_at IS NOT NULL AND delivered_at IS NULL
        AND (claimed_by IS NULL OR claimed_by = ? OR claimed_until <= ?)
      RETURNING ${TASK_COLUMNS}`,
    args: [by, until, JSON.stringify(taskIds), by, at],
  }
}

/** Claims of somebody are none any more. */
export function dropClaims({ taskIds, by }: TaskDelivery): InStatement {
  return {
    sql: `UPDATE retinue_tasks SET claimed_by = NULL, claimed_until = NULL
      WHERE ${THESE} AND claimed_by = ? AND delivered_at IS NULL`,
    args: [JSON.stringify(taskIds), by],
  }
}

export function deliverTasks({ taskIds, by, at }: TaskDelivery): InStatement {
  return {
    sql: `UPDATE retinue_tasks SET delivered_at = ? WHERE ${THESE} AND claimed_by = ? AND delivered_at IS NULL`,
    args: [at, JSON.stringify(taskIds), by],
  }
}

/** What was said to it goes with it. */
export function deleteTask(taskId: string): InStatement {
  return { sql: 'DELETE FROM retinue_tasks WHERE task_id = ?', args: [taskId] }
}

/** Gives the message's sequence, or no row if the task has ended or is not there. */
export function insertTaskMessage({ taskId, text, at }: NewTaskMessageRow): InStatement {
  return {
    sql: `INSERT INTO retinue_task_messages (task, sequence, at, text)
      SELECT t.sequence, 1 + (SELECT coalesce(max(m.sequence), 0) FROM retinue_task_messages m WHERE m.task = t.sequence), ?, ?
      FROM retinue_tasks t WHERE t.task_id = ? AND t.ended_at IS NULL
      RETURNING sequence`,
    args: [at, text, taskId],
  }
}

export function listTaskMessages({ taskId, after }: TaskMessageQuery): InStatement {
  return {
    sql: `SELECT t.task_id, m.sequence, m.text, m.at
      FROM retinue_tasks t JOIN retinue_task_messages m ON m.task = t.sequence
      WHERE t.task_id = ? AND m.sequence > ? ORDER BY m.sequence`,
    args: [taskId, after],
  }
}
