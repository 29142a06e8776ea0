import { EXIT } from '../exit-codes.ts'
import { taskHasEnded } from './find-task.ts'
import type { FoundTask, TasksOptions } from './found-task.ts'

export interface SendToTaskOptions extends TasksOptions {
  readonly text: string
}

/**
 * Says something to a task: its agent reads it before its next model call, in whichever process. Gives the exit code; rejects with
 * `task-ended`, or with `option-invalid` for a text that says nothing.
 */
export async function sendToTask({ task, app }: FoundTask, options: SendToTaskOptions): Promise<number> {
  const { text, json, out, err } = options
  const { taskId } = task
  if (task.endedAt !== undefined) throw taskHasEnded(task)
  await app.tasks.send(taskId, text)
  if (json) out(`${JSON.stringify({ taskId, sent: true }, null, 2)}\n`)
  else err(`Sent. The task ${taskId} reads it before its next model call.\n`)
  return EXIT.ok
}
