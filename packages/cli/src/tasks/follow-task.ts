import type { BackgroundTask } from '@retinue/core/agent'
import { EXIT } from '../exit-codes.ts'
import { pendingText } from '../run/pending-text.ts'
import { RunView } from '../run/run-view.ts'
import { safeText } from '../safe-text.ts'
import type { FoundTask, TasksOptions } from './found-task.ts'
import { resultText } from './task-result.ts'

export interface FollowTaskOptions extends TasksOptions {
  /** Ends the following, and not the task. */
  readonly signal: AbortSignal
}

/**
 * Shows what happens in a task until it has ended, then what it gave. Of a task that another process works on, its states. Gives the
 * exit code, which is that of the task's end.
 */
export async function followTask(found: FoundTask, options: FollowTaskOptions): Promise<number> {
  // Waiting for what another process does keeps no process alive.
  const awake = setInterval(() => {}, A_WHILE_MS)
  await show(found, options).finally(() => clearInterval(awake))
  const task = await found.app.tasks.get(found.task.taskId)
  if (task.endedAt === undefined) return left(task, options)
  const text = resultText(task)
  if (!options.json && text !== undefined && text.trim() !== '') options.out(`${safeText(text).trimEnd()}\n`)
  return task.status === 'completed' ? EXIT.ok : EXIT.failed
}

const A_WHILE_MS = 60_000

async function show({ task: { taskId }, app }: FoundTask, options: FollowTaskOptions): Promise<void> {
  const { json, color, dir, signal, out, err } = options
  const view = new RunView({ print: (line) => err(`${line}\n`), now: () => performance.now(), color })
  for await (const chunk of app.tasks.watch(taskId, { signal })) {
    if (json) out(`${JSON.stringify(chunk)}\n`)
    else view.show(chunk)
    if (json || chunk.type !== 'background-task-suspended') continue
    const asked = (await app.tasks.questions()).filter((question) => question.taskId === taskId)
    if (asked.length > 0) err(pendingText(taskId, asked, { dir }))
  }
}

function left({ taskId }: BackgroundTask, { err }: FollowTaskOptions): number {
  err(`The task goes on without you: "retinue tasks follow ${taskId}" shows it again.\n`)
  return EXIT.interrupted
}
