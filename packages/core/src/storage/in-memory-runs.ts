import { approvalMoves, newApprovalRows } from './approval-row.ts'
import type { ApprovalTable } from './approval-table.ts'
import { assertCount, assertId, assertTime } from './checks.ts'
import { fits } from './fits.ts'
import {
  checkedEventsQuery,
  type NewRunEvents,
  newRunEventsRow,
  type RunEventsPage,
  type RunEventsQuery,
  type RunEventsRow,
  storedRunEvents,
} from './run-events.ts'
import { listsOfRun } from './run-lists.ts'
import { allRunFacts, assertLease, checkedRunQuery, newRunRow, type RunRow, storedRun } from './run-row.ts'
import type { Lease, RunPage, RunQuery, RunRemoval, RunSave, RunStorage, StoredRun } from './runs.ts'
import { sequenceCursor } from './sequence-cursor.ts'
import { runExists, runNotFound, storageConflict } from './storage-errors.ts'

/** The runs of `InMemoryStorage`. No call waits between its checks and its writes, so each is a transaction. */
export class InMemoryRuns implements RunStorage {
  readonly #assertOpen: () => void
  readonly #approvals: ApprovalTable
  readonly #deleteLists: (prefix: string) => void
  readonly #runs = new Map<string, RunRow>()
  /** What each run told, in its order. */
  readonly #events = new Map<string, RunEventsRow[]>()
  #sequence = 0

  /** `deleteLists`: those whose ids begin so. */
  constructor(assertOpen: () => void, approvals: ApprovalTable, deleteLists: (prefix: string) => void) {
    this.#deleteLists = deleteLists
    this.#assertOpen = assertOpen
    this.#approvals = approvals
  }

  async save(save: RunSave): Promise<number> {
    this.#assertOpen()
    const { expectedVersion, requests = [], moves = [], at } = save
    const row = newRunRow(save)
    const [newRequests, newMoves] = [newApprovalRows(requests, at), approvalMoves(moves)]
    const there = this.#runs.get(save.runId)
    if (there && expectedVersion === 0) throw runExists(save.runId)
    const approvals = this.#approvals.plan(newRequests, newMoves)
    if ((there?.version ?? 0) !== expectedVersion || !approvals) throw storageConflict(expectedVersion)
    this.#approvals.write(approvals)
    this.#runs.set(save.runId, {
      ...row,
      sequence: there?.sequence ?? ++this.#sequence,
      version: expectedVersion + 1,
      createdAt: there?.createdAt ?? at,
      updatedAt: Math.max(there?.updatedAt ?? at, at),
    })
    return expectedVersion + 1
  }

  async get(runId: string): Promise<StoredRun> {
    return storedRun(this.#found(runId))
  }

  async list(query: RunQuery): Promise<RunPage> {
    this.#assertOpen()
    const { filter, after, limit } = checkedRunQuery(query)
    // The map has them in the order in which they were made.
    const all = [...this.#runs.values()].filter((row) => fits(row, filter))
    const rows = all.filter(({ sequence }) => sequence > after)
    const page = { ...allRunFacts(rows.slice(0, limit)), total: all.length }
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: sequenceCursor('r', last.sequence) } : page
  }

  async acquire({ runId, at, ...lease }: { runId: string; at: number } & Lease): Promise<StoredRun | undefined> {
    assertLease(lease)
    assertTime(at, 'at')
    const row = this.#found(runId)
    const { leaseHolder, leaseUntil } = row
    if (leaseHolder !== null && leaseHolder !== lease.holder && (leaseUntil ?? 0) > at) return undefined
    const taken = {
      ...row,
      version: row.version + 1,
      leaseHolder: lease.holder,
      leaseUntil: lease.until,
    }
    this.#runs.set(runId, taken)
    return storedRun(taken)
  }

  async renew({ runId, ...lease }: { runId: string } & Lease): Promise<boolean> {
    this.#assertOpen()
    assertId(runId, 'runId')
    assertLease(lease)
    const row = this.#runs.get(runId)
    if (row?.leaseHolder !== lease.holder) return false
    this.#runs.set(runId, { ...row, leaseUntil: lease.until })
    return true
  }

  async release({ runId, holder }: { runId: string; holder: string }): Promise<void> {
    this.#assertOpen()
    assertId(runId, 'runId')
    assertId(holder, 'holder')
    const row = this.#runs.get(runId)
    if (row?.leaseHolder === holder) this.#runs.set(runId, { ...row, leaseHolder: null, leaseUntil: null })
  }

  async appendEvents(events: NewRunEvents): Promise<boolean> {
    this.#assertOpen()
    const row = newRunEventsRow(events)
    if (!this.#runs.has(row.runId)) return false
    const rows = this.#events.get(row.runId) ?? []
    this.#events.set(row.runId, rows)
    if (rows.some(({ leg, first }) => leg === row.leg && first === row.first)) return true
    rows.push(row)
    rows.sort((one, other) => one.leg - other.leg || one.first - other.first)
    return true
  }

  async listEvents(query: RunEventsQuery): Promise<RunEventsPage> {
    this.#assertOpen()
    const { runId, after, limit } = checkedEventsQuery(query)
    const rows = (this.#events.get(runId) ?? []).filter(
      ({ leg, last }) => leg > after.leg || (leg === after.leg && last > after.seq),
    )
    return { items: rows.slice(0, limit).map(storedRunEvents), hasMore: rows.length > limit }
  }

  async remove({ runId, expectedVersion, moves = [], at }: RunRemoval): Promise<void> {
    assertCount(expectedVersion, 'expectedVersion', 0)
    assertTime(at, 'at')
    const newMoves = approvalMoves(moves)
    const { version } = this.#found(runId)
    const approvals = this.#approvals.plan([], newMoves)
    if (version !== expectedVersion || !approvals) throw storageConflict(expectedVersion)
    this.#approvals.write(approvals)
    this.#runs.delete(runId)
    this.#deleteLists(listsOfRun(runId))
    this.#events.delete(runId)
  }

  #found(runId: string): RunRow {
    this.#assertOpen()
    assertId(runId, 'runId')
    const row = this.#runs.get(runId)
    if (!row) throw runNotFound(runId)
    return row
  }
}
