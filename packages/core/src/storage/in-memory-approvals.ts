import { approvalMove, checkedApprovalQuery, storedApproval, storedApprovals } from './approval-row.ts'
import type { ApprovalTable } from './approval-table.ts'
import type { Approval, ApprovalChange, ApprovalKey, ApprovalQuery, ApprovalStorage } from './approvals.ts'
import { assertId } from './checks.ts'
import { fits } from './fits.ts'
import type { Page } from './page.ts'
import { sequenceCursor } from './sequence-cursor.ts'

/** The ledger of `InMemoryStorage`. No call waits between its checks and its writes, so each is a transaction. */
export class InMemoryApprovals implements ApprovalStorage {
  readonly #assertOpen: () => void
  readonly #table: ApprovalTable

  constructor(assertOpen: () => void, table: ApprovalTable) {
    this.#assertOpen = assertOpen
    this.#table = table
  }

  async get({ runId, toolCallId }: Omit<ApprovalKey, 'round'>): Promise<Approval | undefined> {
    this.#assertOpen()
    assertId(runId, 'runId')
    assertId(toolCallId, 'toolCallId')
    const rounds = this.#table.of(runId).filter((row) => row.toolCallId === toolCallId)
    const [last] = rounds.sort((one, other) => other.round - one.round)
    return last && storedApproval(last)
  }

  async change(change: ApprovalChange): Promise<Approval | undefined> {
    this.#assertOpen()
    const rows = this.#table.plan([], [approvalMove(change)])
    if (!rows) return undefined
    this.#table.write(rows)
    const [row] = rows
    return row && storedApproval(row)
  }

  async list(query: ApprovalQuery): Promise<Page<Approval>> {
    this.#assertOpen()
    const { filter, after, limit } = checkedApprovalQuery(query)
    const { runIds, ...rest } = filter
    const rows = this.#table.all(runIds).filter((row) => row.sequence > after && fits(row, rest))
    const page = storedApprovals(rows.slice(0, limit))
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: sequenceCursor('a', last.sequence) } : page
  }
}
