import type { Storage } from '../../storage/storage.ts'
import type { NewTask, TaskChange, TaskStatus, TaskStorage } from '../../storage/tasks.ts'

/** A new task of the run `r1`, whose thread is told of it. */
export function task(taskId: string, changed: Partial<NewTask> = {}): NewTask {
  const run = { rootRunId: 'r1', parentTree: 'r1', parentRunId: 'r1', agentId: 'sup' }
  const call = { path: ['sup'], toolName: 'writer', toolCallId: `call-${taskId}`, tells: 'thread' as const }
  return { taskId, ...run, ...call, args: { prompt: taskId }, terms: { timeoutMs: 5 }, at: 100, ...changed }
}

/** A move of a task. */
export function taskMove(
  taskId: string,
  [from, to]: readonly [readonly TaskStatus[], TaskStatus],
  changed: Partial<TaskChange> = {},
): TaskChange {
  return { taskId, from, to, at: 200, ...changed }
}

/** Tasks that have ended: `completed`, with their ids as outcomes. */
export async function endedTasks(
  { tasks }: Storage,
  taskIds: readonly string[],
  changed: Partial<NewTask> = {},
): Promise<void> {
  for (const taskId of taskIds) {
    await tasks.create(task(taskId, changed))
    await tasks.change(taskMove(taskId, [['pending'], 'completed'], { outcome: taskId }))
  }
}

/** The ids of the tasks that somebody gets who claims them. */
export async function claimed(
  tasks: TaskStorage,
  by: string,
  { taskIds, at = 300, until = at + 100 }: { taskIds: readonly string[]; at?: number; until?: number },
): Promise<string[]> {
  return (await tasks.claim({ taskIds, by, until, at })).map(({ taskId }) => taskId)
}
