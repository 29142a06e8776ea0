import type { InStatement, Row } from '@libsql/client'
import { isRetinueError } from '@retinue/core/errors'
import {
  type ApprovalMove,
  allRunFacts,
  approvalMoves,
  assertCount,
  assertId,
  assertLease,
  assertTime,
  checkedEventsQuery,
  checkedRunQuery,
  type Lease,
  type NewRunEvents,
  newApprovalRows,
  newRunEventsRow,
  newRunRow,
  type RunEventsPage,
  type RunEventsQuery,
  type RunPage,
  type RunQuery,
  type RunRemoval,
  type RunSave,
  type RunStorage,
  runExists,
  runNotFound,
  type StoredRun,
  sequenceCursor,
  storageConflict,
  storedRun,
  storedRunEvents,
} from '@retinue/core/storage'
import type { Database } from '../database/database.ts'
import { errorCode } from '../database/database-error.ts'
import { insertApprovals, moveApproval } from './approval-statements.ts'
import { eventsOf, insertEvents, listEvents } from './event-statements.ts'
import { isDead, thisProcess } from './lease-process.ts'
import { runFactsOf, runOf } from './rows.ts'
import {
  CHANGED_SOMETHING,
  deleteListsOf,
  deleteRun,
  dropLease,
  getLease,
  getRun,
  insertRun,
  listRuns,
  prolongLease,
  takeLease,
  updateRun,
} from './run-statements.ts'

/** Runs in a database: a row each. What is written of one, with its questions and moves, is one transaction. */
export class LibSQLRuns implements RunStorage {
  readonly #database: Database
  #process: string | undefined

  constructor(database: Database) {
    this.#database = database
  }

  async save(save: RunSave): Promise<number> {
    const { runId, expectedVersion, requests = [], moves = [], at } = save
    const run = { ...newRunRow(save), process: this.#thisProcess(), at }
    const statements = [
      ...(expectedVersion === 0 ? [insertRun(run)] : [updateRun(run, expectedVersion), CHANGED_SOMETHING]),
      ...insertApprovals(newApprovalRows(requests, at)),
      ...movesOf(approvalMoves(moves)),
    ]
    if (await this.#writeAll(statements)) return expectedVersion + 1
    throw expectedVersion === 0 && (await this.#lease(runId)) ? runExists(runId) : storageConflict(expectedVersion)
  }

  async get(runId: string): Promise<StoredRun> {
    assertId(runId, 'runId')
    const [row] = await this.#database.read(getRun(runId))
    if (!row) throw runNotFound(runId)
    return storedRun(runOf(row))
  }

  async list(query: RunQuery): Promise<RunPage> {
    const { filter, after, limit } = checkedRunQuery(query)
    const found = await this.#database.read(listRuns(filter, after, limit))
    const rows = found.filter((row) => row['sequence'] !== null).map(runFactsOf)
    const page = { ...allRunFacts(rows.slice(0, limit)), total: Number(found[0]?.['total']) }
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: sequenceCursor('r', last.sequence) } : page
  }

  async acquire(request: { runId: string; at: number } & Lease): Promise<StoredRun | undefined> {
    const { runId, at } = request
    assertId(runId, 'runId')
    assertLease(request)
    assertTime(at, 'at')
    const taking = { ...request, process: this.#thisProcess() }
    const row = (await this.#write(takeLease({ ...taking, dead: null }))) ?? (await this.#takeFromDead(taking))
    try {
      return row && storedRun(runOf(row))
    } catch (error) {
      // Who can't read a run does not work on it.
      await this.release(request)
      throw error
    }
  }

  async renew({ runId, ...lease }: { runId: string } & Lease): Promise<boolean> {
    assertId(runId, 'runId')
    assertLease(lease)
    return (await this.#write(prolongLease(runId, lease))) !== undefined
  }

  async release({ runId, holder }: { runId: string; holder: string }): Promise<void> {
    assertId(runId, 'runId')
    assertId(holder, 'holder')
    await this.#write(dropLease(runId, holder))
  }

  async appendEvents(events: NewRunEvents): Promise<boolean> {
    return (await this.#write(insertEvents(newRunEventsRow(events)))) !== undefined
  }

  async listEvents(query: RunEventsQuery): Promise<RunEventsPage> {
    const { runId, after, limit } = checkedEventsQuery(query)
    const rows = (await this.#database.read(listEvents(runId, after, limit))).map(eventsOf)
    return { items: rows.slice(0, limit).map(storedRunEvents), hasMore: rows.length > limit }
  }

  async remove({ runId, expectedVersion, moves = [], at }: RunRemoval): Promise<void> {
    assertId(runId, 'runId')
    assertCount(expectedVersion, 'expectedVersion', 0)
    assertTime(at, 'at')
    const statements = [deleteRun(runId, expectedVersion), CHANGED_SOMETHING, ...movesOf(approvalMoves(moves))]
    if (await this.#writeAll([...statements, deleteListsOf(runId)])) return
    throw (await this.#lease(runId)) ? storageConflict(expectedVersion) : runNotFound(runId)
  }

  /** A lease lives no longer than its process, where that can be seen: it is taken from that holder, and from no other. */
  async #takeFromDead(taking: Omit<Parameters<typeof takeLease>[0], 'dead'>): Promise<Row | undefined> {
    const lease = await this.#lease(taking.runId)
    if (!lease) throw runNotFound(taking.runId)
    const { lease_holder: holder, lease_process: process } = lease
    if (typeof holder !== 'string' || typeof process !== 'string' || !isDead(process)) return undefined
    return this.#write(takeLease({ ...taking, dead: holder }))
  }

  /** A row if there is such a run. */
  async #lease(runId: string): Promise<Row | undefined> {
    const [row] = await this.#database.read(getLease(runId))
    return row
  }

  async #write(statement: InStatement): Promise<Row | undefined> {
    const [rows] = await this.#database.write([statement])
    return rows?.[0]
  }

  /** False, and nothing is written, if one of the statements finds another state of things than it was made for. */
  async #writeAll(statements: readonly InStatement[]): Promise<boolean> {
    try {
      await this.#database.write(statements)
      return true
    } catch (error) {
      if (isRetinueError(error) && errorCode(error.cause) === 'SQLITE_CONSTRAINT') return false
      throw error
    }
  }

  #thisProcess(): string {
    this.#process ??= thisProcess()
    return this.#process
  }
}

/** Each move, and that it was made. */
function movesOf(moves: readonly ApprovalMove[]): InStatement[] {
  return moves.flatMap((move) => [moveApproval(move), CHANGED_SOMETHING])
}
