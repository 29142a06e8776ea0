import { EXIT } from '../exit-codes.ts'
import { taskHasEnded } from './find-task.ts'
import { onTask, type TaskOptions } from './on-task.ts'

export interface SendToTaskOptions extends TaskOptions {
  readonly text: string
}

/** Says something to a task: its agent reads it before its next model call, in whichever process. Gives the exit code. */
export function sendToTask(options: SendToTaskOptions): Promise<number> {
  const { text, json, out, err } = options
  return onTask(options, async ({ task, app }) => {
    if (task.endedAt !== undefined) throw taskHasEnded(task)
    const { taskId } = task
    await app.tasks.send(taskId, text)
    if (json) out(`${JSON.stringify({ taskId, sent: true }, null, 2)}\n`)
    else err(`Sent. The task ${taskId} reads it before its next model call.\n`)
    return EXIT.ok
  })
}
