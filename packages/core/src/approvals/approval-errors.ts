import { RetinueError } from '../errors/retinue-error.ts'
import type { Approval } from '../storage/approvals.ts'

/** Somebody has decided before: a decision is taken once. */
export function approvalDecided({ runId, toolCallId, status }: Approval): RetinueError {
  return new RetinueError({
    code: 'approval-decided',
    message: `The call "${toolCallId}" of the run "${runId}" can't be decided any more: it is ${status}.`,
    hint: 'A decision is taken once. See listApprovals() for who took it; resumeRun({ runId }) goes on with a run that stopped.',
    data: { runId, toolCallId, status },
  })
}

export function approvalNotFound(runId: string, toolCallId: string | undefined): RetinueError {
  const which = toolCallId === undefined ? 'no call' : `no call "${toolCallId}"`
  return new RetinueError({
    code: 'approval-not-found',
    message: `The run "${runId}" has ${which} that waits for a person.`,
    hint: 'See listSuspendedRuns() for what waits.',
    data: { runId, ...(toolCallId === undefined ? {} : { toolCallId }) },
  })
}

export function approvalAmbiguous(runId: string, toolCallIds: readonly string[]): RetinueError {
  return new RetinueError({
    code: 'approval-ambiguous',
    message: `Several calls of the run "${runId}" wait: ${toolCallIds.join(', ')}.`,
    hint: 'Name the one that is decided: toolCallId.',
    data: { runId, toolCallIds },
  })
}

/** The time for a decision was over. */
export function approvalExpired({ runId, toolCallId, expiresAt }: Approval): RetinueError {
  return new RetinueError({
    code: 'approval-expired',
    message: `The call "${toolCallId}" of the run "${runId}" was declined, since nobody decided in time.`,
    hint: 'Allow more time in the option approvalTimeoutMs.',
    data: { runId, toolCallId, expiresAt },
  })
}

/** What was given with a decision does not fit the tool. */
export function decisionInvalid(message: string, hint: string, data: Record<string, unknown>): RetinueError {
  return new RetinueError({ code: 'decision-invalid', message, hint, data })
}

/** Whoever decides called it off before the decision was written. */
export function decisionAborted(runId: string): RetinueError {
  return new RetinueError({
    code: 'decision-aborted',
    message: `The decision on the run "${runId}" was called off before it was taken.`,
    hint: 'Nothing has changed: decide again.',
    data: { runId },
  })
}

/** Somebody else works on the run, or has taken it over. */
export function runBusy(runId: string): RetinueError {
  return new RetinueError({
    code: 'run-busy',
    message: `Somebody works on the run "${runId}".`,
    hint: 'Wait until it has stopped or ended.',
    data: { runId },
  })
}

/** This process held the run too long without a sign of life, and another has taken it over. */
export function runLost(runId: string): RetinueError {
  return new RetinueError({
    code: 'run-lost',
    message: `The run "${runId}" was taken over by another process, which goes on with it.`,
    hint: 'Read its outcome there. This happens to a process that stood still for longer than its lease.',
    data: { runId },
  })
}

/** The run began with code, or with values, that no store can keep. */
export function runIncomplete(
  code: 'run-code-missing' | 'run-context-missing',
  runId: string,
  names: readonly string[],
): RetinueError {
  const what = code === 'run-code-missing' ? 'code' : 'values on the request context'
  return new RetinueError({
    code,
    message: `The run "${runId}" began with ${what} that this process does not have: ${names.join(', ')}.`,
    hint:
      code === 'run-code-missing'
        ? 'Pass the same options with the decision: what guards a run must not vanish when it goes on.'
        : 'Pass a requestContext that has them with the decision.',
    data: { runId, names },
  })
}
