import type { PendingCall } from '../loop/pending-call.ts'
import type { Run } from '../loop/run.ts'
import type { CallingTurn } from '../loop/run-tool-calls.ts'
import type { Value } from '../storage/values.ts'
import type { InheritedPart } from './inherited.ts'
import type { TaskLog } from './task-log.ts'

/** How a task is run, as it is stored with it. */
export interface StoredTerms {
  readonly timeoutMs?: number
  readonly maxRetries: number
  readonly detached: boolean
  readonly ask?: 'parent' | 'person'
  /** What its subagent was handed, where that stands in a list. */
  readonly inherits?: InheritedPart
  /** The agent that does the work, of which only so many work at a time. */
  readonly worker: string
}

/** A task that this process works on, or will when there is room. */
export interface LiveTask {
  readonly taskId: string
  readonly terms: StoredTerms
  readonly run: Run
  readonly turn: CallingTurn
  readonly log: TaskLog
  attempts: number
  /** How long the attempt had worked when this process got it. */
  readonly workedMs: number
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

/** Which task, for whoever is told of it. */
export function referenceTo(task: LiveTask): { taskId: string; toolCallId: string; toolName: string } {
  const { toolCallId, toolName } = callOf(task)
  return { taskId: task.taskId, toolCallId, toolName }
}

export function storedTerms(terms: StoredTerms): Value {
  return { ...terms } as unknown as Value
}
