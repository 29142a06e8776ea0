import { errorInfo, isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import { emit, type Run } from './run.ts'
import type { RunState } from './run-state.ts'
import { usageSoFar } from './usage-so-far.ts'
import { budgetSpent } from './within-budget.ts'

/** Ends the run: what it ended with is in its state, and its stream has it. */
export function finish(run: Run, reason: FinishReason): void {
  conclude(run, reason)
  tellEnd(run, reason)
}

/** Takes down how the run ended. */
export function conclude(run: Run, reason: FinishReason): void {
  const { state } = run
  state.finishReason = reason
  if (run.stopped) run.error = run.stopped
  if (reason === 'over-budget') run.error ??= budgetSpent(run)
  if (reason === 'stop' && !state.stoppedOnRequest && isEmpty(state)) run.error ??= emptyAnswer(run)
  const { reason: cause } = run.abort.signal
  // Out of time is an end that a parent must be able to tell from being called off.
  if (reason === 'aborted') run.error = isRetinueError(cause, 'run-timed-out') ? cause : undefined
  if (run.error) state.error = errorInfo(run.error)
}

/** Says how the run ended: exactly one `finish`, after the `error` or `abort` that explains it. */
export function tellEnd(run: Run, reason: FinishReason): void {
  const { state } = run
  // Over budget is an end with an answer: its reason says it all, and the limit is in the result.
  if (state.error && reason !== 'over-budget') emit(run, 'error', { error: state.error })
  if (reason === 'aborted') emit(run, 'abort', abortReason(run.abort.signal.reason))
  const { usage } = state
  // What waits below has not ended, and has used what it has used.
  const totalUsage = reason === 'suspended' ? usageSoFar(run) : state.totalUsage
  emit(run, 'finish', { stepResult: { reason, isContinued: false }, output: { usage }, totalUsage })
}

/** Whether a run ended with nothing to show for it: a picture is an answer too. */
function isEmpty({ text, steps }: RunState): boolean {
  return text.trim() === '' && !steps.at(-1)?.files.length
}

function abortReason(reason: unknown): { reason?: string } {
  if (typeof reason === 'string') return { reason }
  return reason instanceof Error && reason.name !== 'AbortError' ? { reason: reason.message } : {}
}

function emptyAnswer(run: Run): RetinueError {
  return new RetinueError({
    code: 'model-answer-empty',
    message: `The model of "${run.agentId}" ended without an answer.`,
    hint: 'Ask again, or say in the instructions that every run ends with an answer in text.',
  })
}

export function unexpected(thrown: unknown): RetinueError {
  return new RetinueError({
    code: 'run-failed',
    message: `The run broke off: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error has its stack.',
    cause: thrown,
  })
}
