import { isRetinueError } from '../errors/retinue-error.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import { markProvider } from '../model/foreign-reasoning.ts'
import { assertNever } from '../shared/assert-never.ts'
import { callModel } from './call-model.ts'
import { askForRepair } from './check-answer.ts'
import type { Gated } from './completion-gate.ts'
import { unexpected } from './finish-run.ts'
import { factsOf } from './iteration-facts.ts'
import { end, keep } from './keep-run.ts'
import type { ModelTurn } from './model-turn.ts'
import { type IterationFacts, type NextStep, nextStep, steered } from './next-step.ts'
import { relay } from './relay.ts'
import { addMessage, emit, type Run } from './run.ts'
import { isToStop, tellStepFinish } from './run-hooks.ts'
import type { RunProcessors } from './run-processors.ts'
import type { Step } from './run-state.ts'
import { NO_CALLS, runToolCalls } from './run-tool-calls.ts'
import type { TaskCompletion } from './task-completion.ts'
import { type BudgetLeft, budgetLeft, tellNearlySpent, tellSpent } from './within-budget.ts'

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
          if (run.processors && hasAnswer(run, next.reason)) await answered(run, run.processors)
          return end(run, run.abort.aborted ? 'aborted' : next.reason)
        case 'abort':
          return end(run, 'aborted')
        default:
          return assertNever(next, 'next step')
      }
    }
  } catch (thrown) {
    run.error = isRetinueError(thrown) ? thrown : unexpected(thrown)
    return end(run, isRetinueError(thrown, 'processor-stopped') ? 'other' : 'error')
  }
}

async function iterate(run: Run): Promise<NextStep> {
  const { state } = run
  if (run.abort.aborted) return { type: 'abort' }
  const left = budgetLeft(run)
  if (left === 'none' || (left === 'last-call' && state.last !== 'budget')) return withoutCall(left)
  if (state.iteration > 0 && state.last === undefined) tellNearlySpent(run)
  state.iteration += 1
  if (run.hooks.prepareStep || run.processors) await prepare(run)
  if (run.abort.aborted) return { type: 'abort' }
  // The person's message is kept before anything is made of it; a step that output processors may yet rewrite, with the next one.
  const keepsLate = run.processors !== undefined && run.processors.output.length > 0
  if (run.kept && (keepsLate || state.iteration === 1)) await keep(run, run.kept)
  const turn = await callModel(run)
  const { step } = turn
  state.steps.push(step)
  // The last call of a spent budget may have nothing to add to what is there.
  if (step.text.trim() !== '' || state.last !== 'budget') state.text = step.text
  state.object = undefined
  if (turn.content.length > 0)
    addMessage(run, markProvider({ role: 'assistant', content: turn.content }, turn.provider))
  // A call is known before it runs: if the process dies in it, nobody takes it for one that was never made.
  if (run.kept && !keepsLate && turn.calls.length > 0) await keep(run, run.kept)
  const ended = turn.calls.length === 0 ? NO_CALLS : await runToolCalls(run, turn)
  if (ended.bailText !== undefined) state.text = ended.bailText
  else if (ended.relayed) await relay(run, step, ended.relayed)
  const facts = await factsOf(run, turn, ended)
  const planned = nextStep(facts)
  const { isTaskComplete } = run.hooks
  const { next: own, note } = isTaskComplete ? await gated(run, isTaskComplete, facts, planned) : { next: planned }
  const next = await afterHook(run, step, facts, own, note)
  endStep(run, turn, next)
  if (run.hooks.onStepFinish) await tellStepFinish(run, step)
  return next
}

/** What is asked before a model call; loaded with the first run that has something to ask. */
async function prepare(run: Run): Promise<void> {
  const { hooks, processors, state } = run
  run.override = undefined
  const asked = processors?.input.length ? await import('./run-processors.ts') : undefined
  if (asked && processors && state.iteration === 1) await asked.processInput(run, processors)
  if (hooks.prepareStep) {
    const { prepareStep } = await import('./prepare-step.ts')
    await prepareStep(run, hooks.prepareStep)
  }
  if (asked && processors) await asked.processInputStep(run, processors)
}

/** Whether a run ends with something that its model said, and that output processors have not refused. */
function hasAnswer({ stopped }: Run, reason: FinishReason): boolean {
  return stopped === undefined && reason !== 'error' && reason !== 'tool-calls'
}

async function answered(run: Run, processors: RunProcessors): Promise<void> {
  const { processResult } = await import('./run-processors.ts')
  await processResult(run, processors)
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
