import type { ErrorInfo } from '../errors/retinue-error.ts'
import { emit } from '../loop/run.ts'
import { type CallsEnd, callOffStep, runToolCalls } from '../loop/run-tool-calls.ts'
import { callOf, type LiveTask, referenceTo } from './live-task.ts'
import { taskTimedOut } from './task-outcome.ts'

/** What the work on a task needs of its manager. */
export interface Workplace {
  /** Waits for a place to work in; false if the task was called off meanwhile. */
  enter(task: LiveTask): Promise<boolean>
  /** Gives the place back: the task waits. */
  leave(task: LiveTask): void
  /** Writes down that an attempt begins. False if the task has been ended by somebody. */
  begun(task: LiveTask): Promise<boolean>
}

/** How long the first wait before another attempt is, and the longest, in milliseconds. */
const BACKOFF_MS = { first: 1_000, most: 30_000 } as const

/**
 * Does the work of a task, attempt by attempt: as a step of its parent that has this one call. `waiting` above 0: it waits for a person.
 */
export async function work(task: LiveTask, place: Workplace): Promise<CallsEnd> {
  const { run, turn } = task
  const call = callOf(task)
  const isDelegation = call.delegation !== undefined
  const again = (error: ErrorInfo): Promise<boolean> => tryAgain(task, place, error)
  if (isDelegation) call.again = again
  for (;;) {
    startClock(task)
    const end = await runToolCalls(run, turn)
    task.stopClock?.()
    const { outcome } = call
    if (isDelegation || outcome?.kind !== 'error' || !isWorthRetrying(outcome.error)) return end
    // What a person let start is started once.
    if (call.allowed === 'started') return end
    if (!(await again(outcome.error))) return end
    delete call.outcome
    turn.step.toolResults.length = 0
    run.state.messages.length = 0
  }
}

/** Ends a task that was called off before it had a place: its hooks are told. */
export async function callOff({ run, turn }: LiveTask): Promise<void> {
  await callOffStep(run, turn)
}

/** What was decided, or can't be mended by trying, is not tried again. */
function isWorthRetrying({ code }: ErrorInfo): boolean {
  return code === 'tool-failed' || code === 'tool-timed-out' || code === 'tool-output-invalid'
}

/** Makes another attempt, after a while, if there is one left. */
async function tryAgain(task: LiveTask, place: Workplace, error: ErrorInfo): Promise<boolean> {
  const { run, terms } = task
  if (task.attempts > terms.maxRetries || run.abort.aborted || error.code === 'budget-spent') return false
  task.stopClock?.()
  place.leave(task)
  const delayMs = Math.min(BACKOFF_MS.first * 2 ** (task.attempts - 1), BACKOFF_MS.most)
  emit(run, 'background-task-retrying', { ...referenceTo(task), attempt: task.attempts + 1, error, delayMs })
  if (!(await waited(task, delayMs)) || !(await place.enter(task)) || !(await place.begun(task))) return false
  run.begunAt = run.root.effects.now()
  startClock(task)
  return true
}

function waited({ run }: LiveTask, delayMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = run.root.effects.startTimer(delayMs, () => {
      release()
      resolve(true)
    })
    const release = run.abort.onAbort(() => {
      stop()
      resolve(false)
    })
  })
}

/** Ends an attempt that takes too long; what it worked before it waited for a person counts. */
function startClock(task: LiveTask): void {
  const { run, terms } = task
  task.stopClock?.()
  task.stopClock = undefined
  if (terms.timeoutMs === undefined) return
  const { effects } = run.root
  const left = Math.max(0, terms.timeoutMs - (effects.now() - run.begunAt))
  const { timeoutMs } = terms
  task.stopClock = effects.startTimer(left, () => run.abort.abort(taskTimedOut(callOf(task).toolName, timeoutMs)))
}
