import type { Retinue } from '@retinue/core'
import type { TaskQuestion } from '@retinue/core/agent'
import type { TaskFacts, TaskQuery, TaskStatus } from '@retinue/core/storage'
import { EXIT } from '../exit-codes.ts'
import { renderTable, timeText } from '../table.ts'
import { allTasks, OPEN } from './find-task.ts'
import type { TasksOptions } from './found-task.ts'

export interface ListTasksOptions extends TasksOptions {
  /** Also those that have ended. */
  readonly all?: boolean
  /** Only those that stand so. Default: those that have not ended. */
  readonly status?: TaskStatus | undefined
  /** Only those of a conversation. */
  readonly threadId?: string | undefined
  /** Only those of somebody's conversations. */
  readonly resourceId?: string | undefined
}

/** Prints the background tasks of a project, those that were begun first first. Gives the exit code. */
export async function listTasks(app: Retinue, options: ListTasksOptions): Promise<number> {
  const { json, out, err } = options
  const scope = scopeOf(options)
  const tasks = await allTasks(app, { ...scope, ...statusOf(options) })
  if (json) out(`${JSON.stringify({ tasks, total: tasks.length }, null, 2)}\n`)
  else if (tasks.length === 0) err(none(options))
  else out(tasksTable(tasks, await app.tasks.questions(scope)))
  return EXIT.ok
}

function scopeOf({ threadId, resourceId }: ListTasksOptions): Pick<TaskQuery, 'threadId' | 'resourceId'> {
  return { ...(threadId === undefined ? {} : { threadId }), ...(resourceId === undefined ? {} : { resourceId }) }
}

function statusOf({ all, status }: ListTasksOptions): Pick<TaskQuery, 'status'> {
  if (status !== undefined) return { status }
  return all ? {} : { status: OPEN }
}

function none({ all, status }: ListTasksOptions): string {
  if (status !== undefined || all) return 'There is no such background task.\n'
  return 'Nothing goes on in the background. "retinue tasks --all" lists what has ended, too.\n'
}

/** A line for each task, with what it waits for, or why it did not complete. */
function tasksTable(tasks: readonly TaskFacts[], questions: readonly TaskQuestion[]): string {
  const rows = tasks.map((task) => {
    const { taskId, status, createdAt, path, toolName, attempts, threadId = '' } = task
    return [
      taskId,
      timeText(createdAt),
      status,
      path.join(' › '),
      toolName,
      String(attempts),
      threadId,
      noteOf(task, questions),
    ]
  })
  return renderTable(['TASK', 'BEGUN', 'IS', 'BY', 'RUNS', 'TRIES', 'THREAD', 'NOTE'], rows)
}

function noteOf({ taskId, error, endedAt }: TaskFacts, questions: readonly TaskQuestion[]): string {
  if (error) return error.message
  if (endedAt !== undefined) return `at ${timeText(endedAt)}`
  const asked = questions.filter((question) => question.taskId === taskId)
  return asked.map(({ toolName, args }) => `asks: ${toolName} ${JSON.stringify(args) ?? ''}`).join('; ')
}
