import type { Gated } from './completion-gate.ts'
import { type IterationFacts, type NextStep, steered } from './next-step.ts'
import { addMessage, type Run } from './run.ts'
import { isToStop } from './run-hooks.ts'
import type { Step } from './run-state.ts'
import type { TaskCompletion } from './task-completion.ts'

/** The next move after the check of completion, which is loaded with the first run that has one. */
export async function gated(run: Run, check: TaskCompletion, facts: IterationFacts, planned: NextStep): Promise<Gated> {
  const { completionGate } = await import('./completion-gate.ts')
  return completionGate(run, check, facts, planned)
}

/** The next move, after `onIterationComplete` had its say. `note`: what the model is told if the run goes on. */
export async function afterHook(
  run: Run,
  step: Step,
  facts: IterationFacts,
  planned: NextStep,
  note: Gated['note'],
): Promise<NextStep> {
  const failed = planned.type === 'abort' || (planned.type === 'finish' && planned.reason === 'error')
  if (failed || run.stopped) return planned
  const mayStop = planned.type === 'continue' && facts.calls > 0 && run.hooks.stopWhen.length > 0
  const stops = mayStop && (await isToStop(run))
  if (run.abort.aborted) return { type: 'abort' }
  if (stops) run.state.stoppedOnRequest = true
  const own: NextStep = stops ? { type: 'finish', reason: 'stop' } : planned
  if (!run.hooks.onIterationComplete) {
    if (note && own.type === 'continue') addMessage(run, note)
    return own
  }
  // Loaded with the first run that has a hook.
  const { addFeedback, askIterationHook } = await import('./iteration-hook.ts')
  const verdict = await askIterationHook(run, step, own)
  if (run.abort.aborted) return { type: 'abort' }
  const next = steered(own, verdict, facts)
  if (verdict.continue === false && next.type === 'finish') run.state.stoppedOnRequest = true
  if (note && next.type === 'continue') addMessage(run, note)
  if (run.state.last === undefined)
    addFeedback(run, verdict, next.type === 'continue' && own.type === 'finish' && facts.calls === 0)
  return next
}
