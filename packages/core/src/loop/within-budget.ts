import { RetinueError } from '../errors/retinue-error.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import { type BudgetLimit, LIMITS, MODEL_CALL, type Shortage } from './budget.ts'
import { addMessage, type Run } from './run.ts'

/** What the budget leaves a run: another model call, a last one without tools, or none. */
export type BudgetLeft = 'enough' | 'last-call' | 'none'

/**
 * What the budget leaves a run that would call its model again. The run whose own budget is spent gets one last call, to answer with
 * what there is; runs below it end where they are.
 */
export function budgetLeft(run: Run): BudgetLeft {
  const { state, budget } = run
  const short = state.shortage ?? budget.shortage(state.runId, MODEL_CALL)
  if (!short) return 'enough'
  state.shortage = short
  return short.own ? 'last-call' : 'none'
}

/** Counts a call that is about to begin. An error if the budget does not allow it: the run then comes to its end. */
export function countCall(
  run: Run,
  counted: 'delegations' | 'toolCalls',
  needs: readonly BudgetLimit[],
  name: string,
): RetinueError | undefined {
  const { state, budget } = run
  const short = budget.take(state.runId, counted, needs)
  if (!short) return undefined
  state.shortage = short
  return new RetinueError({
    code: 'budget-spent',
    message: `"${name}" was not run: the budget is spent (${short.used}).`,
    hint: 'Answer with what there is.',
  })
}

/** A run below was stopped by a budget from outside it: if that is this run's own, or one above it, this run is stopped too. */
export function outOfBudget(run: Run): void {
  const { state, budget } = run
  const short = budget.shortage(state.runId, LIMITS)
  if (short) state.shortage = short
}

/** Tells the model, once, that the budget comes to its end. */
export function tellNearlySpent(run: Run): void {
  const { state, budget } = run
  if (state.toldOfBudget) return
  const used = budget.nearly()
  if (used === undefined) return
  state.toldOfBudget = true
  addMessage(
    run,
    frameworkNote(`The budget is nearly spent (${used}). Come to an end, and answer with what there is.`, 'budget'),
  )
}

/** Tells the model that the call after this is its last. */
export function tellSpent(run: Run): void {
  addMessage(
    run,
    frameworkNote(
      `The budget is spent${usedOf(run.state)}. No tool can be called any more: answer now, with what there is.`,
      'budget',
    ),
  )
}

/** Why a run ended with `over-budget`. */
export function budgetSpent(run: Run): RetinueError {
  return new RetinueError({
    code: 'budget-spent',
    message: `The budget is spent${usedOf(run.state)}.`,
    hint: 'Raise the option `budget`, or ask for less at once.',
    data: { own: run.state.shortage?.own ?? true },
  })
}

function usedOf({ shortage }: { shortage?: Shortage }): string {
  return shortage ? ` (${shortage.used})` : ''
}
