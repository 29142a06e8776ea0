import type { PendingCall } from '../loop/pending-call.ts'
import type { RootRun, Run } from '../loop/run.ts'
import type { CallingTurn } from '../loop/run-tool-calls.ts'
import type { AbortScope } from '../shared/abort.ts'
import type { StoredTerms } from './stored-terms.ts'
import type { TaskLog } from './task-log.ts'

/** A task that this process works on, or will when there is room. */
export interface LiveTask {
  readonly taskId: string
  readonly terms: StoredTerms
  readonly run: Run
  readonly turn: CallingTurn
  /** The run that made the call, while this process has it. */
  readonly parent: Run | undefined
  readonly log: TaskLog
  attempts: number
  /** How long the attempt had worked when this process got it. */
  readonly workedMs: number
  /** Runs in it that wait for tasks. */
  readonly idle: Set<Run>
  /** Settles when it has a place again. */
  entering: Promise<void> | undefined
  /** Gives its place back; undefined while it has none. */
  release: (() => void) | undefined
  /** Stops the clock of the attempt. */
  stopClock: (() => void) | undefined
  /** Lets go of what the task is linked to. `ended`: it is over, and does not only wait. */
  readonly unlink: (ended: boolean) => void
  /** Settles when this process has nothing more to do with it. */
  readonly left: Promise<void>
  readonly leave: () => void
}

/** The call that a task is. */
export function callOf({ turn }: LiveTask): PendingCall {
  return turn.calls[0] as PendingCall
}

/** Whether something in a tree works, and does not only wait: for a person, or for tasks. */
export function isAtWork(run: Run, idle: ReadonlySet<Run>): boolean {
  if (idle.has(run)) return false
  if (!run.calls) return run.state.finishReason === undefined
  return run.calls.some(({ outcome, question, delegation }) => {
    if (outcome) return false
    return delegation?.child ? isAtWork(delegation.child, idle) : question === undefined
  })
}

/** Which task, for whoever is told of it. */
export function referenceTo(task: LiveTask): { taskId: string; toolCallId: string; toolName: string } {
  const { toolCallId, toolName } = callOf(task)
  return { taskId: task.taskId, toolCallId, toolName }
}

/** Ties a task to the root run that it is called off with, also when that has ended. */
export function linkTo(root: RootRun | undefined, scope: AbortScope): () => void {
  if (root) root.linked += 1
  return () => {
    scope.dispose()
    if (!root) return
    root.linked -= 1
    if (root.linked === 0 && root.isClosed) root.abort.dispose()
  }
}
