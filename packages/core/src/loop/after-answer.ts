import type { FinishReason } from '../events/finish-reason.ts'
import type { NextStep } from './next-step.ts'
import type { Run } from './run.ts'
import type { RunProcessors } from './run-processors.ts'
import type { AfterAnswer } from './run-tasks.ts'

/** Whether something is to be done before a run may end. */
export function hasAfterwork({ processors, state }: Run): boolean {
  return processors !== undefined || (state.tasks !== undefined && state.tasks.length > 0)
}

/** What is done before a run may end: its output processors have the last word, and its open tasks are waited for, where it has to. */
export async function afterAnswer(run: Run, reason: NonNullable<Run['state']['idle']>): Promise<AfterAnswer> {
  const { state, processors, root } = run
  // One that waited when its tree stopped has answered before.
  if (processors && state.idle === undefined && isAnswer(run, reason)) await answered(run, processors)
  if (!state.tasks?.length || !root.tasks || run.abort.aborted) return 'end'
  const then = await root.tasks.afterAnswer(run, reason)
  if (then === 'continue') nextAnswer(run)
  return then
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
  if (root.task?.depth === state.path.length) await root.task.read(run)
  if (!state.tasks?.length || !root.tasks) return undefined
  const bail = await root.tasks.deliver(run)
  if (bail === undefined) return undefined
  state.text = bail
  return { type: 'finish', reason: 'bailed' }
}
