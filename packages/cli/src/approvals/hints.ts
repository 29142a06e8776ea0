import { type ErrorCode, RetinueError } from '@retinue/core/errors'

/** What to do at a command line about what programs are told to do with methods. */
const HINTS: Partial<Record<ErrorCode, (runId: string) => string>> = {
  'approval-decided': (runId) => `A decision is taken once. "retinue approvals log ${runId}" says who took it.`,
  'approval-not-found': () => '"retinue approvals" lists what waits.',
  'approval-ambiguous': () => 'Name the call that is decided, after the run.',
  'decision-invalid': () =>
    'What waits for an approval is approved, with arguments that fit its tool, or declined; a suspended tool is answered. Nothing was decided.',
}

/** The error with a hint for people at a command line, where it is one of deciding. */
export function forCommandLine(error: RetinueError, runId: string): RetinueError {
  const hint = HINTS[error.code]?.(runId)
  if (hint === undefined) return error
  const { code, message, data } = error
  return new RetinueError({ code, message, hint, data, cause: error })
}
