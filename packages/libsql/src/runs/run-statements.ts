import type { InStatement } from '@libsql/client'
import { type Lease, listsOfRun, type NewRunRow } from '@retinue/core/storage'
import { where } from '../database/where.ts'
import { FILTER_COLUMNS, type Filter, RUN_FACTS } from './rows.ts'

/**
 * Fails, and with it its whole transaction, if the statement before it has changed no row: that is how a transaction has conditions.
 * No row may be without a `run_id`.
 */
export const CHANGED_SOMETHING: InStatement = 'INSERT INTO retinue_runs (run_id) SELECT NULL WHERE changes() = 0'

/** A run to be written; `process` is that of its lease. */
export interface RunValues extends NewRunRow {
  readonly process: string
  readonly at: number
}

/** Fails if there is such a run. */
export function insertRun({ leaseHolder, leaseUntil, process, at, ...run }: RunValues): InStatement {
  return {
    sql: `INSERT INTO retinue_runs (run_id, agent_id, status, thread_id, resource_id, created_at, updated_at, version,
        lease_holder, lease_until, lease_process, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)`,
    args: [
      ...[run.runId, run.agentId, run.status, run.threadId, run.resourceId, at, at],
      ...[leaseHolder, leaseUntil, leaseHolder === null ? null : process, run.body],
    ],
  }
}

/** Changes nothing if another version is there. */
export function updateRun(run: RunValues, expectedVersion: number): InStatement {
  const { leaseHolder, leaseUntil, process, at } = run
  return {
    sql: `UPDATE retinue_runs SET agent_id = ?, status = ?, thread_id = ?, resource_id = ?,
        updated_at = max(updated_at, ?), version = version + 1, lease_holder = ?, lease_until = ?, lease_process = ?, body = ?
      WHERE run_id = ? AND version = ?`,
    args: [
      ...[run.agentId, run.status, run.threadId, run.resourceId],
      ...[at, leaseHolder, leaseUntil, leaseHolder === null ? null : process, run.body],
      ...[run.runId, expectedVersion],
    ],
  }
}

export function getRun(runId: string): InStatement {
  return { sql: `SELECT ${RUN_FACTS}, body FROM retinue_runs WHERE run_id = ?`, args: [runId] }
}

/** Who has the lease of a run. */
export function getLease(runId: string): InStatement {
  return { sql: 'SELECT lease_holder, lease_process FROM retinue_runs WHERE run_id = ?', args: [runId] }
}

/**
 * Gives one row more than `limit` if there is a next page. Each has the number of runs on all pages as its `total`; where no run is left
 * one row has that alone.
 */
export function listRuns(filter: Filter, after: number, limit: number): InStatement {
  const { sql, args } = where(FILTER_COLUMNS, filter)
  return {
    sql: `SELECT t.total, r.* FROM (SELECT count(*) AS total FROM retinue_runs WHERE ${sql}) t
      LEFT JOIN (SELECT ${RUN_FACTS} FROM retinue_runs WHERE ${sql} AND sequence > ? ORDER BY sequence LIMIT ?) r
      ORDER BY r.sequence`,
    args: [...args, ...args, after, limit + 1],
  }
}

export interface Taking extends Lease {
  readonly runId: string
  readonly process: string
  readonly at: number
  /** Whose lease is of no account, whatever its time. */
  readonly dead: string | null
}

/** Gives the run, or no row if somebody else has its lease or there is no such run. */
export function takeLease({ runId, holder, until, process, at, dead }: Taking): InStatement {
  return {
    sql: `UPDATE retinue_runs SET lease_holder = ?, lease_until = ?, lease_process = ?,
        version = version + 1
      WHERE run_id = ? AND (lease_holder IS NULL OR lease_holder IN (?, ?) OR lease_until <= ?)
      RETURNING ${RUN_FACTS}, body`,
    args: [holder, until, process, runId, holder, dead, at],
  }
}

/** Gives a row if the holder has it still. */
export function prolongLease(runId: string, { holder, until }: Lease): InStatement {
  return {
    sql: 'UPDATE retinue_runs SET lease_until = ? WHERE run_id = ? AND lease_holder = ? RETURNING sequence',
    args: [until, runId, holder],
  }
}

export function dropLease(runId: string, holder: string): InStatement {
  return {
    sql: `UPDATE retinue_runs SET lease_holder = NULL, lease_until = NULL, lease_process = NULL
      WHERE run_id = ? AND lease_holder = ?`,
    args: [runId, holder],
  }
}

/** Changes nothing if another version is there. */
export function deleteRun(runId: string, expectedVersion: number): InStatement {
  return { sql: 'DELETE FROM retinue_runs WHERE run_id = ? AND version = ?', args: [runId, expectedVersion] }
}

/** Deletes the lists that go with a run. */
export function deleteListsOf(runId: string): InStatement {
  const begin = listsOfRun(runId)
  // By the index: `;` comes after `:`, with which each beginning ends.
  const end = `${begin.slice(0, -1)};`
  return { sql: 'DELETE FROM retinue_shared_items WHERE list_id >= ? AND list_id < ?', args: [begin, end] }
}
