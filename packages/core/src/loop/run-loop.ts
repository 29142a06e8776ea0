import { isRetinueError } from '../errors/retinue-error.ts'
import { markProvider } from '../model/foreign-reasoning.ts'
import { assertNever } from '../shared/assert-never.ts'
import { afterAnswer, hasAfterwork, mayAnswerAgain, spent, takeNews } from './after-answer.ts'
import { callModel } from './call-model.ts'
import { askForRepair } from './check-answer.ts'
import { tellEnd, unexpected } from './finish-run.ts'
import { factsOf } from './iteration-facts.ts'
import { end, keep, keepCall, soon, waits } from './keep-run.ts'
import type { ModelTurn } from './model-turn.ts'
import { type NextStep, nextStep } from './next-step.ts'
import { relay } from './relay.ts'
import { addMessage, emit, type Run } from './run.ts'
import { tellStepFinish } from './run-hooks.ts'
import { type CallingTurn, callOffStep, NO_CALLS, runToolCalls } from './run-tool-calls.ts'
import type { SavedCall } from './saved-run.ts'
import { afterHook, gated } from './steer.ts'
import { takePoint } from './take-point.ts'
import { type BudgetLeft, budgetLeft, tellNearlySpent } from './within-budget.ts'

/**
 * Runs an agent to its end: call the model, run the tools that it asked for, decide, again. It never throws; how the run ended is in
 * its state. `generate` and `stream`, a root and a child, all come through here.
 */
export async function runLoop(run: Run): Promise<void> {
  const { state } = run
  run.root.begun.add(state.runId)
  emit(run, 'start', { id: state.agentId, messageId: state.runId })
  // It had ended when its tree stopped: only those above it go on.
  if (state.finishReason !== undefined) return tellEnd(run, state.finishReason)
  if (run.root.keeper?.isDurable) takePoint(run)
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
          if (next.why === 'budget') await spent(run)
          continue
        case 'finish':
          if (hasAfterwork(run)) {
            const then = await afterAnswer(run, next.reason)
            if (then === 'continue') continue
            if (then === 'suspend') return stop(run, undefined)
          }
          return end(run, run.abort.aborted ? 'aborted' : next.reason)
        case 'suspend':
          return stop(run, next.turn)
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

/** Stops until a person has decided; the run ends where it was called off before anybody knew. */
async function stop(run: Run, turn: CallingTurn | undefined): Promise<void> {
  if (await suspended(run)) return waits(run)
  if (turn) await callOffStep(run, turn)
  return end(run, 'aborted')
}

/**
 * Stops in the middle of a step; the root's whole tree is written down before anybody is told. False if the run was called off meanwhile.
 */
async function suspended(run: Run): Promise<boolean> {
  if (run.root.runId !== run.state.runId) return true
  const keeper = await run.root.keep()
  await soon(run, keeper.suspend())
  return !run.abort.aborted
}

/** Calls wait for a person: the run stops in the middle of its step. */
interface Pause {
  readonly type: 'suspend'
  readonly turn: CallingTurn
}

/** One iteration: a model call, or the one in which the run stopped, then its calls, and the decision how to go on. */
async function iterate(run: Run): Promise<NextStep | Pause> {
  const { state } = run
  // One that waited for its tasks when its tree stopped goes on waiting.
  if (state.idle) return { type: 'finish', reason: state.idle }
  let turn: CallingTurn
  if (run.resumed) turn = await goOn(run, run.resumed)
  else {
    const early = beginIteration(run)
    if (early) return early
    if (state.tasks || run.root.task) {
      const ended = await takeNews(run)
      if (ended) return ended
    }
    if (run.hooks.prepareStep || run.processors) await prepare(run)
    if (run.abort.aborted) return { type: 'abort' }
    // The person's message is kept before anything is made of it; a step that output processors may yet rewrite, with the next one.
    const keepsLate = mayRewrite(run)
    if (run.kept && (keepsLate || state.iteration === 1 || run.told)) await keep(run, run.kept)
    if (run.told) await run.root.tasks?.confirm(run)
    const said = await callModel(run)
    takeDown(run, said)
    if (run.root.keeper?.isDurable) await keepCall(run, run.root.keeper)
    // A call is known before it runs: if the process dies in it, nobody takes it for one that was never made.
    if (run.kept && !keepsLate && said.calls.length > 0) await keep(run, run.kept)
    turn = said
  }
  const ended = turn.calls.length === 0 ? NO_CALLS : await runToolCalls(run, turn)
  const bailed = run.bailed === undefined ? undefined : await takeNews(run)
  if (bailed) return bailed
  if (ended.waiting > 0) return { type: 'suspend', turn }
  if (ended.bailText !== undefined) state.text = ended.bailText
  else if (ended.relayed) await relay(run, turn.step, ended.relayed)
  const facts = await factsOf(run, turn, ended)
  const planned = nextStep(facts)
  const judge = mayAnswerAgain(run) ? undefined : run.hooks.isTaskComplete
  const { next: own, note } = judge ? await gated(run, judge, facts, planned) : { next: planned }
  const next = await afterHook(run, turn.step, facts, own, note)
  endStep(run, turn, next)
  if (run.hooks.onStepFinish) await tellStepFinish(run, turn.step)
  return next
}

/** Goes on in the middle of the step in which the run stopped; what does that is loaded with the first run that goes on. */
async function goOn(run: Run, calls: readonly SavedCall[]): Promise<CallingTurn> {
  const { resumedTurn } = await import('./resumed-turn.ts')
  run.resumed = undefined
  const turn = resumedTurn(run, calls)
  run.calls = turn.calls
  const { iteration, runId } = run.state
  emit(run, 'step-start', { messageId: `${runId}-${iteration}`, iteration, model: turn.step.model })
  return turn
}

/** Begins the next iteration; the move instead, where there is none. */
function beginIteration(run: Run): NextStep | undefined {
  const { state } = run
  // The step before is over, with all that came of it.
  run.calls = undefined
  if (run.root.keeper?.isDurable) takePoint(run)
  if (run.abort.aborted) return { type: 'abort' }
  const left = budgetLeft(run)
  if (left === 'none' || (left === 'last-call' && state.last !== 'budget')) return withoutCall(left)
  if (state.iteration > 0 && state.last === undefined) tellNearlySpent(run)
  state.iteration += 1
  return undefined
}

/** Takes down what the model said. */
function takeDown(run: Run, { step, content, provider, calls }: ModelTurn): void {
  const { state } = run
  state.steps.push(step)
  // The last call of a spent budget may have nothing to add to what is there.
  if (step.text.trim() !== '' || state.last !== 'budget') state.text = step.text
  state.object = undefined
  if (content.length > 0) addMessage(run, markProvider({ role: 'assistant', content }, provider))
  run.calls = calls
}

/** Whether output processors can yet change what the model said last. */
function mayRewrite({ processors }: Run): boolean {
  return processors !== undefined && processors.output.length > 0
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

/** The move of a run whose budget was spent by others before it called its model. */
function withoutCall(left: Exclude<BudgetLeft, 'enough'>): NextStep {
  return left === 'last-call' ? { type: 'last-call', why: 'budget' } : { type: 'finish', reason: 'over-budget' }
}

function endStep(run: Run, { step }: CallingTurn, next: NextStep): void {
  emit(run, 'step-finish', {
    stepResult: {
      reason: step.finishReason,
      isContinued: next.type !== 'finish' && next.type !== 'abort',
      ...(step.warnings.length === 0 ? {} : { warnings: step.warnings }),
    },
    output: { usage: step.usage },
  })
}
