import {
  type Approval,
  type ApprovalChange,
  type ApprovalKey,
  type ApprovalQuery,
  type ApprovalStorage,
  approvalMove,
  assertId,
  checkedApprovalQuery,
  type Page,
  sequenceCursor,
  storedApproval,
  storedApprovals,
} from '@retinue/core/storage'
import type { Database } from '../database/database.ts'
import { getApproval, listApprovals, moveApproval } from './approval-statements.ts'
import { approvalOf } from './rows.ts'

/** The ledger of decisions in a database: a row a question. Each move is one statement, so of two one finds the other made. */
export class LibSQLApprovals implements ApprovalStorage {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(key: Omit<ApprovalKey, 'round'>): Promise<Approval | undefined> {
    assertId(key.runId, 'runId')
    assertId(key.toolCallId, 'toolCallId')
    const [row] = await this.#database.read(getApproval(key))
    return row && storedApproval(approvalOf(row))
  }

  async change(change: ApprovalChange): Promise<Approval | undefined> {
    const [rows] = await this.#database.write([moveApproval(approvalMove(change))])
    const [row] = rows ?? []
    return row && storedApproval(approvalOf(row))
  }

  async list(query: ApprovalQuery): Promise<Page<Approval>> {
    const { filter, after, limit } = checkedApprovalQuery(query)
    const rows = (await this.#database.read(listApprovals(filter, after, limit))).map(approvalOf)
    const page = storedApprovals(rows.slice(0, limit))
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: sequenceCursor('a', last.sequence) } : page
  }
}
