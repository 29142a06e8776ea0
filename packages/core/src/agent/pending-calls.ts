import type { PendingToolCall } from '../approvals/question.ts'
import type { Run } from '../loop/run.ts'

/** What a run that stopped waits for, at whatever depth. */
export function pendingCalls(run: Run): PendingToolCall[] {
  return [...ofCalls(run), ...(run.askedByTasks ?? [])]
}

function ofCalls(run: Run): PendingToolCall[] {
  return (run.calls ?? []).flatMap(({ toolCallId, toolName, args, edited, question, outcome, delegation }) => {
    if (outcome) return []
    if (delegation?.child) return pendingCalls(delegation.child)
    if (!question) return []
    const { kind, payload, expiresAt } = question
    return [
      {
        toolCallId,
        toolName,
        args: edited ?? args,
        path: run.state.path,
        requiresApproval: kind === 'approval',
        ...(payload === undefined ? {} : { suspendPayload: payload }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
    ]
  })
}
