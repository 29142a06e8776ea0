import type { InStatement, Row } from '@libsql/client'
import type { EventPlace, RunEventsRow } from '@retinue/core/storage'

/** Gives a row if there is such a run. What is there already stays. */
export function insertEvents({ runId, leg, first, last, body }: RunEventsRow): InStatement {
  return {
    sql: `INSERT INTO retinue_run_events (run_id, leg, first, last, body)
      SELECT run_id, ?, ?, ?, ? FROM retinue_runs WHERE run_id = ?
      ON CONFLICT (run_id, leg, first) DO UPDATE SET last = last RETURNING first`,
    args: [leg, first, last, body, runId],
  }
}

/** One row more than `limit`, if there is one. */
export function listEvents(runId: string, { leg, seq }: EventPlace, limit: number): InStatement {
  return {
    sql: `SELECT run_id, leg, first, last, body FROM retinue_run_events
      WHERE run_id = ? AND (leg > ? OR (leg = ? AND last > ?)) ORDER BY leg, first LIMIT ?`,
    args: [runId, leg, leg, seq, limit + 1],
  }
}

export function eventsOf(row: Row): RunEventsRow {
  return {
    runId: String(row['run_id']),
    leg: Number(row['leg']),
    first: Number(row['first']),
    last: Number(row['last']),
    body: String(row['body']),
  }
}
