import type { Page, PageRequest } from './page.ts'
import type { Value } from './values.ts'

/**
 * Where a background task stands. `pending`: it waits for a place to run in. `running`: somebody works on it, or died over it.
 * `suspended`: it waits for a person, or for an answer. The others are final and never change again. `timed-out` took too long, which is
 * no success whatever it had done by then.
 */
export type TaskStatus = 'pending' | 'running' | 'suspended' | EndedTaskStatus

export type EndedTaskStatus = 'completed' | 'failed' | 'cancelled' | 'timed-out'

/** A background task without what it was given and what came of it. */
export interface TaskFacts {
  /** Also the id of the stored run that works on it. */
  readonly taskId: string
  /** The run that the application started. */
  readonly rootRunId: string
  /** The stored run that holds the run which made the call: `rootRunId`, or another task. */
  readonly parentTree: string
  /** The run that made the call. */
  readonly parentRunId: string
  /** Who is told how it ended: the run that made the call, or also, when that has ended, the next run on its thread. */
  readonly tells: 'run' | 'thread'
  /** The root agent's id. */
  readonly agentId: string
  /** The root agent's id, then the keys that lead to the agent that made the call. */
  readonly path: readonly string[]
  /** The tool that was called; of a delegation, the subagent's key. */
  readonly toolName: string
  readonly toolCallId: string
  /** The conversation of the root run, where it has one. */
  readonly threadId?: string
  /** Whose the root run is, where that is known. */
  readonly resourceId?: string
  readonly status: TaskStatus
  /** Attempts begun: more than 1 where it was tried again. */
  readonly attempts: number
  readonly createdAt: number
  /** When its first attempt began. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** Why it did not complete. */
  readonly error?: { readonly code: string; readonly message: string }
  /** When whoever waited for it was told how it ended. */
  readonly deliveredAt?: number
}

/** A background task, whole. */
export interface StoredTask extends TaskFacts {
  readonly args: Value
  /** How it is to be run: what its worker needs beside the stored run. */
  readonly terms: Value
  /** How often somebody claimed it: more than once means that one who did may have died over it. */
  readonly claims: number
  /** What came of it, once it has ended. */
  readonly outcome?: Value
}

export interface NewTask
  extends Omit<TaskFacts, 'status' | 'attempts' | 'createdAt' | 'startedAt' | 'endedAt' | 'error' | 'deliveredAt'> {
  readonly args: Value
  readonly terms: Value
  readonly at: number
}

/** One move of the state machine: made if the task stands where the mover has seen it, and not at all otherwise. */
export interface TaskChange {
  readonly taskId: string
  /** Final states are none to move from: `option-invalid`. */
  readonly from: readonly TaskStatus[]
  readonly to: TaskStatus
  /** Left out: it stays. */
  readonly attempts?: number
  /** Left out: it stays. With a state that is not final: `option-invalid`, and so is an `error`. */
  readonly outcome?: Value
  readonly error?: { readonly code: string; readonly message: string }
  /** The first move to `running` sets `startedAt`, one to a final state `endedAt`. */
  readonly at: number
}

export interface TaskQuery extends PageRequest {
  readonly rootRunId?: string
  readonly parentRunId?: string
  readonly agentId?: string
  readonly threadId?: string
  readonly resourceId?: string
  /** One state, or one of several. */
  readonly status?: TaskStatus | readonly TaskStatus[]
  /** Only those that have ended, tell their thread, and have not been delivered. */
  readonly undelivered?: true
}

/** Who takes which tasks, to tell somebody of them. */
export interface TaskClaim extends TaskDelivery {
  /** Until when nobody else may take them. */
  readonly until: number
}

export interface TaskDelivery {
  readonly taskIds: readonly string[]
  /** Unguessable, and new for each run that tells of tasks. */
  readonly by: string
  readonly at: number
}

/** Something that was said to a task while it ran. */
export interface TaskMessage {
  /** From 1, in the order in which they were sent. */
  readonly sequence: number
  readonly text: string
  readonly at: number
}

export interface NewTaskMessage {
  readonly taskId: string
  readonly text: string
  readonly at: number
}

export interface TaskMessageQuery {
  readonly taskId: string
  /** 0: from the first on. */
  readonly after: number
}

/** Items of a list that stand from position `from` (0 is the first) on. */
export interface SharedItems {
  readonly listId: string
  readonly from: number
  readonly items: readonly Value[]
}

export interface SharedQuery {
  readonly listId: string
  readonly count: number
}

/** Background tasks, what is said to them while they run, and what they were handed together. */
export interface TaskStorage {
  /** Writes a new task, which is `pending`. `storage-conflict` if the id is taken. */
  create(task: NewTask): Promise<void>
  /** `task-not-found` if it is not there. */
  get(taskId: string): Promise<StoredTask>
  /** In the order in which they were made. */
  list(query: TaskQuery): Promise<Page<TaskFacts>>
  /**
   * Makes a move. Of movers that come at once one wins. Undefined, and nothing written, if the task does not stand at `from`, or is gone.
   */
  change(change: TaskChange): Promise<StoredTask | undefined>
  /**
   * Takes ended tasks to tell somebody of them, in one transaction: gives those that have ended, were not delivered, and are not claimed
   * by another one whose time is not over (`until` after `at`). Who has claimed one may claim it again. In the order of `taskIds`,
   * each once. `storage-row-unreadable` if one of them is damaged: then none of them is claimed.
   */
  claim(claim: TaskClaim): Promise<readonly StoredTask[]>
  /** Says that those which `by` was the last to claim were told; others stay as they are, and so do those that were told before. */
  deliver(delivery: TaskDelivery): Promise<void>
  /** Deletes a task with what was said to it. Harmless if it is gone. */
  remove(taskId: string): Promise<void>
  /** Says something to a task, and gives the sequence of it. `task-not-found`; `task-ended` if it is in a final state. */
  send(message: NewTaskMessage): Promise<number>
  /** What was said to a task after a sequence, in order; nothing if it is gone. */
  messages(query: TaskMessageQuery): Promise<readonly TaskMessage[]>
  /**
   * Adds to a list that tasks of one run refer to by its first so many items, so that what they were all handed is stored once. What
   * stands at a position already stays.
   */
  share(list: SharedItems): Promise<void>
  /** The first `count` items of a list. `storage-row-unreadable` if there are fewer. */
  shared(query: SharedQuery): Promise<readonly Value[]>
  /** Deletes a list. Harmless if it is gone. */
  unshare(listId: string): Promise<void>
}
