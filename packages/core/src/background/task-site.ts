import type { RootRun, Run } from '../loop/run.ts'
import type { Message } from '../messages/message.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredTask, TaskFacts } from '../storage/tasks.ts'

/** What background tasks need of those who open runs: where they are kept, and how the tree of one is opened again. */
export interface TaskSite {
  /** Where an application's tasks are kept. */
  readonly storage: Storage
  /** Whether what is kept there is there after the process. */
  readonly survives: boolean
  /**
   * Says how the tree of a new task is kept: as part of what `parent` is. `inherited`: what its subagent was handed, where that is stored
   * elsewhere.
   */
  keepable(standIn: Run, parent: RootRun, inherited: readonly Message[] | undefined): void
  /**
   * Opens the tree of a stored task where it stopped, under its lease. Rejects with `run-busy` while somebody works on it, and with the
   * errors of a resume. `by`: a run with whose code it goes on, if it is of the same agent.
   */
  reopen(task: StoredTask, by: RootRun | undefined): Promise<Run>
  /** Answers a question of a task, and opens its tree; else as `reopen`. */
  answer(task: StoredTask, by: RootRun, toolCallId: string, data: string): Promise<Run>
  /** Whether the tree of a task is stored. */
  isStored(taskId: string): Promise<boolean>
  /**
   * Something has become of a task: whoever waits for it stored, and is in nobody's hands, goes on. It does not reject.
   */
  wake(task: TaskFacts): Promise<void>
  /** Deletes what is stored of a task that nobody works on and that has ended. */
  forget(taskId: string): Promise<void>
  /** Deletes the tree of a task that was ended, also where another process works on it, which stops soon after. */
  takeAway(taskId: string): Promise<void>
  /** Has the answers graded that were given in a task. */
  score(root: RootRun): Promise<void>
}
