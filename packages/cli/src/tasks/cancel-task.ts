import { EXIT } from '../exit-codes.ts'
import { taskHasEnded } from './find-task.ts'
import type { FoundTask, TasksOptions } from './found-task.ts'

export interface CancelTaskOptions extends TasksOptions {
  /** The model of the agent that waits for it is told. */
  readonly reason?: string | undefined
}

/** Ends a task that has not ended. Gives the exit code; rejects with `task-ended`. */
export async function cancelTask({ task: { taskId }, app }: FoundTask, options: CancelTaskOptions): Promise<number> {
  const { reason, json, out, err } = options
  if (!(await app.tasks.cancel(taskId, reason))) throw taskHasEnded(await app.tasks.get(taskId))
  if (json) out(`${JSON.stringify({ taskId, cancelled: true }, null, 2)}\n`)
  else err(`The task ${taskId} is cancelled.\n`)
  return EXIT.ok
}
