import { RetinueError } from '../errors/retinue-error.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import { type BudgetLimit, MODEL_CALL, type Shortage } from './budget.ts'
import { addMessage, type Run } from './run.ts'

/** What the budget leaves a run: another model call, a last one without tools, or none. */
export type BudgetLeft = 'enough' | 'last-call' | 'none'

/**
 * What the budget leaves a run that would call its model again. The run whose own budget is spent gets one last call, to answer with
 * what there is; runs below it end where they are.
 */
export function budgetLeft(run: Run): BudgetLeft {
  const { state, budget } = run
  const now = budget.shortage(state.runId, MODEL_CALL)
  // What ends the runs above ends this one, whatever its own budget would still grant.
  const short = now && !now.own ? now : (state.shortage ?? now)
  if (!short) return 'enough'
  state.shortage = short
  return short.own ? 'last-call' : 'none'
}

/** The call that the budget leaves no room for, as an error; undefined if it may begin. Nothing is counted yet. */
export function noRoomFor(run: Run, needs: readonly BudgetLimit[], name: string): RetinueError | undefined {
  const { state, budget } = run
  const short = budget.shortage(state.runId, needs)
  return short && refused(run, short, name)
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
  return short && refused(run, short, name)
}

function refused({ state }: Run, short: Shortage, name: string): RetinueError {
  state.shortage = short
  return new RetinueError({
    code: 'budget-spent',
    message: `"${name}" was not run: the budget is spent (${short.used}).`,
    hint: 'Answer with what there is.',
  })
}

/** A run below was stopped by a budget that is not its own: this run is stopped by it too. */
export function stoppedBelow({ state }: Run, { data }: RetinueError): void {
  const { limit, used, ownerRunId } = data as unknown as Shortage
  state.shortage = { limit, used, ownerRunId, own: ownerRunId === state.runId }
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
    data: { ...run.state.shortage },
  })
}

function usedOf({ shortage }: { shortage?: Shortage }): string {
  return shortage ? ` (${shortage.used})` : ''
}
