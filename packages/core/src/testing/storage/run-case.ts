import type { ApprovalChange, ApprovalRequest } from '../../storage/approvals.ts'
import type { RunSave } from '../../storage/runs.ts'

/** A new run that waits, of the agent `sup`. */
export function waiting(runId: string, changed: Partial<RunSave> = {}): RunSave {
  return { runId, agentId: 'sup', status: 'suspended', body: { of: runId }, expectedVersion: 0, at: 100, ...changed }
}

/** The first question of a call, of the agent `sup`. */
export function asked(runId: string, toolCallId: string, changed: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const request = { path: ['sup', 'writer'], toolName: 'send', kind: 'approval', args: { to: 'bob' } } as const
  return { runId, toolCallId, round: 1, agentId: 'sup', ...request, fingerprint: 'f1', ...changed }
}

/** A move of the first question of a call. */
export function move(
  runId: string,
  toolCallId: string,
  [from, to]: readonly [ApprovalChange['from'], ApprovalChange['to']],
  changed: Partial<ApprovalChange> = {},
): ApprovalChange {
  return { runId, toolCallId, round: 1, from, to, at: 200, ...changed }
}
