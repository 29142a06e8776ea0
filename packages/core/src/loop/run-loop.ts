import { errorInfo, isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import { markProvider } from '../model/foreign-reasoning.ts'
import { assertNever } from '../shared/assert-never.ts'
import { callModel } from './call-model.ts'
import { askForRepair } from './check-answer.ts'
import type { Gated } from './completion-gate.ts'
import { factsOf } from './iteration-facts.ts'
import type { ModelTurn } from './model-turn.ts'
import { type IterationFacts, type NextStep, nextStep, steered } from './next-step.ts'
import { relay } from './relay.ts'
import { addMessage, emit, type Run } from './run.ts'
import { isToStop, tellStepFinish } from './run-hooks.ts'
import type { RunState, Step } from './run-state.ts'
import { NO_CALLS, runToolCalls } from './run-tool-calls.ts'
import type { TaskCompletion } from './task-completion.ts'
import { type BudgetLeft, budgetLeft, budgetSpent, tellNearlySpent, tellSpent } from './within-budget.ts'

/**
 * Runs an agent to its end: call the model, run the tools that it asked for, decide, again. It never throws; how the run ended is in
 * its state. `generate` and `stream`, a root and a child, all come through here.
 */
export async function runLoop(run: Run): Promise<void> {
  const { state } = run
  run.root.begun.add(state.runId)
  emit(run, 'start', { id: state.agentId, messageId: state.runId })
  try {
    for (;;) {
      const next = await iterate(run)
      switch (next.type) {
        case 'continue':
          continue
        case 'repair':
          askForRepair(run)
          continue
        case 'last-call':
          state.last = next.why
          if (next.why === 'budget') tellSpent(run)
          continue
        case 'finish':
          return finish(run, next.reason)
        case 'abort':
          return finish(run, 'aborted')
        default:
          return assertNever(next, 'next step')
      }
    }
  } catch (thrown) {
    run.error = isRetinueError(thrown) ? thrown : unexpected(thrown)
    finish(run, 'error')
  }
}

async function iterate(run: Run): Promise<NextStep> {
  const { state } = run
  if (run.abort.aborted) return { type: 'abort' }
  if (state.last !== 'budget') {
    const left = budgetLeft(run)
    if (left !== 'enough') return withoutCall(left)
    if (state.iteration > 0) tellNearlySpent(run)
  }
  state.iteration += 1
  if (run.hooks.prepareStep) {
    // Loaded with the first run that has a hook.
    const { prepareStep } = await import('./prepare-step.ts')
    await prepareStep(run, run.hooks.prepareStep)
  }
  const turn = await callModel(run)
  const { step } = turn
  state.steps.push(step)
  state.text = step.text
  if (turn.content.length > 0)
    addMessage(run, markProvider({ role: 'assistant', content: turn.content }, turn.provider))
  const end = turn.calls.length === 0 ? NO_CALLS : await runToolCalls(run, turn, state.last === undefined)
  if (end.bailText !== undefined) state.text = end.bailText
  else if (end.relayText !== undefined) relay(run, end.relayText)
  const facts = await factsOf(run, turn, end)
  const planned = nextStep(facts)
  const { isTaskComplete } = run.hooks
  const { next: own, note } = isTaskComplete ? await gated(run, isTaskComplete, facts, planned) : { next: planned }
  const next = await afterHook(run, step, facts, own, note)
  endStep(run, turn, next)
  if (run.hooks.onStepFinish) await tellStepFinish(run, step)
  return next
}

/** The move of a run whose budget was spent by others before it called its model. */
function withoutCall(left: Exclude<BudgetLeft, 'enough'>): NextStep {
  return left === 'last-call' ? { type: 'last-call', why: 'budget' } : { type: 'finish', reason: 'over-budget' }
}

/** The next move after the check of completion, which is loaded with the first run that has one. */
async function gated(run: Run, check: TaskCompletion, facts: IterationFacts, planned: NextStep): Promise<Gated> {
  const { completionGate } = await import('./completion-gate.ts')
  return completionGate(run, check, facts, planned)
}

/** The next move, after `onIterationComplete` had its say. `note`: what the model is told if the run goes on. */
async function afterHook(
  run: Run,
  step: Step,
  facts: IterationFacts,
  planned: NextStep,
  note: Gated['note'],
): Promise<NextStep> {
  const failed = planned.type === 'abort' || (planned.type === 'finish' && planned.reason === 'error')
  if (failed) return planned
  const stops = planned.type === 'continue' && run.hooks.stopWhen.length > 0 && (await isToStop(run))
  const own: NextStep = stops ? { type: 'finish', reason: 'stop' } : planned
  if (!run.hooks.onIterationComplete) {
    if (note) addMessage(run, note)
    return own
  }
  // Loaded with the first run that has a hook.
  const { addFeedback, askIterationHook } = await import('./iteration-hook.ts')
  const verdict = await askIterationHook(run, step, own)
  if (run.abort.aborted) return { type: 'abort' }
  const next = steered(own, verdict, facts)
  if (note && next.type === 'continue') addMessage(run, note)
  addFeedback(run, verdict, next.type === 'continue' && own.type === 'finish' && facts.calls === 0)
  return next
}

function endStep(run: Run, { step }: ModelTurn, next: NextStep): void {
  emit(run, 'step-finish', {
    stepResult: {
      reason: step.finishReason,
      isContinued: next.type !== 'finish' && next.type !== 'abort',
      ...(step.warnings.length === 0 ? {} : { warnings: step.warnings }),
    },
    output: { usage: step.usage },
  })
}

/** Ends the run: exactly one `finish`, after the `error` or `abort` that explains it. */
function finish(run: Run, reason: FinishReason): void {
  const { state } = run
  state.finishReason = reason
  if (reason === 'over-budget') run.error ??= budgetSpent(run)
  if (reason === 'stop' && isEmpty(state)) run.error ??= emptyAnswer(run)
  const { reason: cause } = run.abort.signal
  // Out of time is an end that a parent must be able to tell from being called off.
  if (reason === 'aborted') run.error = isRetinueError(cause, 'run-timed-out') ? cause : undefined
  if (run.error) {
    state.error = errorInfo(run.error)
    emit(run, 'error', { error: state.error })
  }
  if (reason === 'aborted') emit(run, 'abort', abortReason(run.abort.signal.reason))
  const { usage, totalUsage } = state
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

function unexpected(thrown: unknown): RetinueError {
  return new RetinueError({
    code: 'model-call-failed',
    message: `The run broke off: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error has its stack.',
    cause: thrown,
  })
}
