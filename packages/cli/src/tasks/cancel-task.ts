import { EXIT } from '../exit-codes.ts'
import { taskHasEnded } from './find-task.ts'
import { onTask, type TaskOptions } from './on-task.ts'

export interface CancelTaskOptions extends TaskOptions {
  /** The model of the agent that waits for it is told. */
  readonly reason?: string | undefined
}

/** Ends a task that has not ended. Gives the exit code. */
export function cancelTask(options: CancelTaskOptions): Promise<number> {
  const { reason, json, out, err } = options
  return onTask(options, async ({ task: { taskId }, app }) => {
    if (!(await app.tasks.cancel(taskId, reason))) throw taskHasEnded(await app.tasks.get(taskId))
    if (json) out(`${JSON.stringify({ taskId, cancelled: true }, null, 2)}\n`)
    else err(`The task ${taskId} is cancelled.\n`)
    return EXIT.ok
  })
}
