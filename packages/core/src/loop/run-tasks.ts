import type { FinishReason } from '../events/finish-reason.ts'
import type { UserMessage } from '../messages/message.ts'
import type { OpenTask, Outcome } from '../tools/outcome.ts'
import type { Tool } from '../tools/tool.ts'
import type { PendingCall } from './pending-call.ts'
import type { Run } from './run.ts'

/** How a tool of an agent is run in the background. */
export interface TaskTerms {
  /** Of one attempt, without the time that it waits. Undefined: it may take as long as it needs. */
  readonly timeoutMs: number | undefined
  /** Attempts after one that failed. */
  readonly maxRetries: number
  /** Whether it goes on when the run that began it is aborted. */
  readonly detached: boolean
  /** Who answers the questions of the subagent, where it may ask. */
  readonly ask: 'parent' | 'person' | undefined
  /** Whether the model says in each call if it is run in the background. */
  readonly modelMayChoose: boolean
}

/** The terms of what is said of a tool, with the defaults. */
export function taskTerms(said: Partial<TaskTerms>): TaskTerms {
  return {
    timeoutMs: said.timeoutMs,
    maxRetries: said.maxRetries ?? 0,
    detached: said.detached ?? false,
    ask: said.ask,
    modelMayChoose: said.modelMayChoose ?? false,
  }
}

/** What becomes of a run that has answered while tasks of it are open. */
export type AfterAnswer =
  /** It goes on: there is something that its model has to be told. */
  | 'continue'
  /** Whatever is left waits for a person. */
  | 'suspend'
  | 'end'

/** Where a call is run that can be run in the background. */
export type Admission =
  /** `release`: gives back the place that it has already, if it is not begun after all. */
  | { readonly type: 'background'; readonly release: (() => void) | undefined }
  | { readonly type: 'foreground' }
  | { readonly type: 'end'; readonly outcome: Outcome }

/** How long a root run stays open for its tasks: `true` or without `maxIdleMs`, until nothing is left to wait for. */
export type UntilIdle = boolean | { readonly maxIdleMs?: number }

/**
 * The port to background tasks. The loop says when a call begins in the background, when there is room for news in a conversation, and
 * when a run could end; where tasks are run and kept is not its business.
 */
export interface RunTasks {
  /** Decides where a call is run, before anything of it is done. */
  admit(run: Run, call: PendingCall): Admission | Promise<Admission>
  /** Begins a task for a call, of which `begin` was done: what its model reads at once. `release`: of its admission. */
  start(run: Run, call: PendingCall, terms: TaskTerms, release: (() => void) | undefined): Promise<Outcome>
  /**
   * What the next run on a thread takes over: a message that tells of what has ended since, and the tasks that have not. What it tells of
   * is claimed, and to be confirmed.
   */
  ofThread(request: ThreadRequest): Promise<ThreadTasks>
  /** A run has tasks that it did not begin itself: it is told from now on what happens in them, and those that nobody works on go on. */
  attach(run: Run): Promise<void>
  /**
   * Puts into the conversation what came of tasks since the last time, all of it together, and `run.told` says of which. The text that the
   * run ends with, where a hook said so.
   */
  deliver(run: Run): Promise<string | undefined>
  /** What was put into the conversation is written down: nobody else has to be told. */
  confirm(run: Run): Promise<void>
  /** What was put into the conversation could not be kept: somebody else is to be told. */
  release(run: Run): Promise<void>
  /** Whether a run that ends an answer stays open for its tasks: then it is not its last. */
  waits(run: Run): boolean
  /** Waits until no task of a run works any more. */
  drain(run: Run): Promise<void>
  /** Called when a run has answered and tasks of it are open: waits, where the run has to, until its model can be told something. */
  afterAnswer(run: Run, reason: NonNullable<Run['state']['idle']>): Promise<AfterAnswer>
  /** Answers what a task of the run asks it; what its model reads of that. */
  answer(run: Run, taskId: string, answer: string): Promise<Outcome>
  /** A tree waits stored, and maybe for tasks alone: those that went on just before let it go on. */
  stopped(run: Run): void
  /** A run that could begin tasks has ended. */
  closed(run: Run): void
  /** The run ends, and tasks of it are open: what nobody could be told of, or was called off with it, is cancelled. */
  ended(run: Run, reason: FinishReason): Promise<void>
}

/** Who takes over the tasks of which thread. */
export interface ThreadRequest {
  readonly threadId: string
  readonly resourceId: string
  readonly runId: string
  /** Runs whose turns are gone from the thread: nobody is told of their tasks any more. Default: none. */
  readonly without?: ReadonlySet<string> | undefined
  /** Whether the thread tells of a task already: somebody may have died after he wrote that down, and before he could say so. */
  wasTold(taskId: string): Promise<boolean>
}

export interface ThreadTasks {
  readonly notes: readonly UserMessage[]
  readonly told: readonly string[]
  readonly open: readonly OpenTask[]
}

/** What the run of a task has beside what its agent has. */
export interface TaskSide {
  /** The length of its path: runs below it have nothing of this. */
  readonly depth: number
  readonly tools: Readonly<Record<string, Tool>>
  /** Whether something was said to it that it has not read. */
  isSpokenTo(run: Run): Promise<boolean>
  /** Adds what was said to it since the last time to its conversation. */
  read(run: Run): Promise<void>
}

/** A task that a run began and has not been told the end of. */
export type { OpenTask }
