import type { FinishReason } from '../events/finish-reason.ts'
import type { NextStep } from './next-step.ts'
import type { Run } from './run.ts'
import type { RunProcessors } from './run-processors.ts'
import type { AfterAnswer } from './run-tasks.ts'
import { tellSpent } from './within-budget.ts'

/** Whether something is to be done before a run may end. */
export function hasAfterwork({ processors, state, root }: Run): boolean {
  return processors !== undefined || (state.tasks !== undefined && state.tasks.length > 0) || isTask(root, state)
}

/** Whether a run is the one that works on a background task. */
function isTask({ task }: Run['root'], { path }: Run['state']): boolean {
  return task !== undefined && task.depth === path.length
}

/** Whether what a run answers now is not its last word: it waits for tasks, and answers to what they give. */
export function mayAnswerAgain(run: Run): boolean {
  return run.root.tasks?.waits(run) ?? false
}

/** The budget is spent: what was begun before that ends first, so that the last answer knows of it. */
export async function spent(run: Run): Promise<void> {
  if (run.state.tasks?.length) await run.root.tasks?.drain(run)
  tellSpent(run)
}

/** What is done before a run may end: its output processors have the last word, and its open tasks are waited for, where it has to. */
export async function afterAnswer(run: Run, reason: NonNullable<Run['state']['idle']>): Promise<AfterAnswer> {
  const { state, processors, root } = run
  // One that waited when its tree stopped has answered before.
  if (processors && state.idle === undefined && isAnswer(run, reason)) await answered(run, processors)
  if (run.abort.aborted) return 'end'
  if (isTask(root, state) && reason === 'stop' && (await root.task?.isSpokenTo(run)) && mayGoOn(run)) {
    nextAnswer(run)
    return 'continue'
  }
  if (!state.tasks?.length || !root.tasks) return 'end'
  const then = await root.tasks.afterAnswer(run, reason)
  if (then === 'continue') nextAnswer(run)
  return then
}

/** Whether there is room for another model call. */
function mayGoOn({ state }: Run): boolean {
  return state.last === undefined && state.iteration - (state.answeredAt ?? 0) < state.maxSteps
}

/** Another answer begins, with as many iterations as the first had. */
function nextAnswer({ state }: Run): void {
  state.answers ??= []
  if (state.text.trim() !== '') state.answers.push(state.text)
  state.answeredAt = state.iteration
  state.idle = undefined
  state.last = undefined
  delete state.stoppedOnRequest
  state.text = ''
}

/** Whether a run ends with something that its model said, and that output processors have not refused. */
function isAnswer({ stopped }: Run, reason: FinishReason): boolean {
  return stopped === undefined && reason !== 'error' && reason !== 'tool-calls'
}

async function answered(run: Run, processors: RunProcessors): Promise<void> {
  const { processResult } = await import('./run-processors.ts')
  await processResult(run, processors)
}

/** Puts into the conversation what came in from outside since the last model call; the move instead, where a hook ends the run with it. */
export async function takeNews(run: Run): Promise<NextStep | undefined> {
  const { root, state } = run
  if (isTask(root, state)) await root.task?.read(run)
  if (!state.tasks?.length || !root.tasks) return undefined
  const bail = await root.tasks.deliver(run)
  if (bail === undefined) return undefined
  state.text = bail
  return { type: 'finish', reason: 'bailed' }
}
