import type { ApprovalMove, ApprovalRow, NewApprovalRow } from './approval-row.ts'
import type { ApprovalKey } from './approvals.ts'

/** The questions of `InMemoryStorage`, by the run that asked. */
export class ApprovalTable {
  readonly #runs = new Map<string, ApprovalRow[]>()
  #sequence = 0

  /** `runIds`: of these alone. */
  all(runIds?: readonly string[]): ApprovalRow[] {
    const found = runIds ? [...new Set(runIds)].map((runId) => this.of(runId)) : [...this.#runs.values()]
    return found.flat().sort((one, other) => one.sequence - other.sequence)
  }

  of(runId: string): readonly ApprovalRow[] {
    return this.#runs.get(runId) ?? []
  }

  /**
   * What questions and moves make of the rows, each after those before it: the rows to write, or undefined if a move can't be made.
   * Nothing is written yet.
   */
  plan(requests: readonly NewApprovalRow[], moves: readonly ApprovalMove[]): ApprovalRow[] | undefined {
    const planned = new Map<string, ApprovalRow>()
    const find = (key: ApprovalKey): ApprovalRow | undefined => planned.get(nameOf(key)) ?? this.#find(key)
    let sequence = this.#sequence
    for (const request of requests) {
      if (!find(request)) planned.set(nameOf(request), { ...request, ...UNDECIDED, sequence: ++sequence })
    }
    for (const move of moves) {
      const row = find(move)
      if (!row || !move.from.some((status) => status === row.status)) return undefined
      planned.set(nameOf(move), moved(row, move))
    }
    return [...planned.values()]
  }

  write(rows: readonly ApprovalRow[]): void {
    for (const row of rows) {
      const ofRun = this.#runs.get(row.runId) ?? []
      const place = ofRun.findIndex(({ sequence }) => sequence === row.sequence)
      if (place === -1) ofRun.push(row)
      else ofRun[place] = row
      this.#runs.set(row.runId, ofRun)
      this.#sequence = Math.max(this.#sequence, row.sequence)
    }
  }

  #find({ runId, toolCallId, round }: ApprovalKey): ApprovalRow | undefined {
    return this.of(runId).find((row) => row.toolCallId === toolCallId && row.round === round)
  }
}

const UNDECIDED = { status: 'pending', decision: null, decidedAt: null, startedAt: null, endedAt: null } as const

function moved(row: ApprovalRow, { to, decision, decidedAt, closedAt, startedAt, endedAt }: ApprovalMove): ApprovalRow {
  return {
    ...row,
    status: to,
    decision: decision ?? row.decision,
    decidedAt: decidedAt ?? row.decidedAt ?? closedAt,
    startedAt: startedAt ?? row.startedAt,
    endedAt: endedAt ?? row.endedAt,
  }
}

function nameOf({ runId, toolCallId, round }: ApprovalKey): string {
  return JSON.stringify([runId, toolCallId, round])
}
