import type { Retinue } from '@retinue/core'
import type { BackgroundTask } from '@retinue/core/agent'
import { isRetinueError, RetinueError } from '@retinue/core/errors'
import type { TaskFacts, TaskQuery, TaskStatus } from '@retinue/core/storage'
import { safeLine } from '../safe-text.ts'

/** The states in which a task has not ended. */
export const OPEN: readonly TaskStatus[] = ['pending', 'running', 'suspended']

/** Every state, for people who ask for some. */
export const STATES: readonly TaskStatus[] = [...OPEN, 'completed', 'failed', 'cancelled', 'timed-out']

/** A task by its id, or by a beginning of it that no other has. Throws `task-not-found` or `task-ambiguous`. */
export async function findTask({ tasks }: Pick<Retinue, 'tasks'>, given: string): Promise<BackgroundTask> {
  // Of one task, every id would begin with nothing.
  if (given === '') throw notFound(given)
  try {
    return await tasks.get(given)
  } catch (error) {
    if (!isRetinueError(error, 'task-not-found')) throw error
  }
  const found = (await allTasks({ tasks }, {})).filter(({ taskId }) => taskId.startsWith(given))
  const [only, ...others] = found
  if (!only) throw notFound(given)
  if (others.length > 0) throw ambiguous(given, found)
  return tasks.get(only.taskId)
}

/** The tasks that a query is for, on all pages. */
export async function allTasks({ tasks }: Pick<Retinue, 'tasks'>, query: TaskQuery): Promise<TaskFacts[]> {
  const all: TaskFacts[] = []
  let cursor: string | undefined
  do {
    const page = await tasks.list({ ...query, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

/** That nothing can be done with a task any more. */
export function taskHasEnded({ taskId, status }: Pick<TaskFacts, 'taskId' | 'status'>): RetinueError {
  return new RetinueError({
    code: 'task-ended',
    message: `The background task "${taskId}" has ended: it is ${status}.`,
    hint: `"retinue tasks show ${taskId}" says what came of it.`,
    data: { taskId, status },
  })
}

function notFound(given: string): RetinueError {
  return new RetinueError({
    code: 'task-not-found',
    message: `No background task of this project is called "${safeLine(given)}", or begins with it.`,
    hint: '"retinue tasks --all" lists them, also those that have ended.',
    data: { taskId: given },
  })
}

function ambiguous(given: string, found: readonly TaskFacts[]): RetinueError {
  const ids = found.map(({ taskId }) => taskId)
  return new RetinueError({
    code: 'task-ambiguous',
    message: `${found.length} background tasks begin with "${safeLine(given)}": ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ' …' : '.'}`,
    hint: 'Give more of the id.',
    data: { given, taskIds: ids },
  })
}
