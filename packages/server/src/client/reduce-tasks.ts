import type { Chunk } from '@retinue/core/agent'
import type { RootView, TaskView, ToolView } from './view.ts'

type TaskChunk = Extract<Chunk, { type: `background-task-${string}` }>

export function isTaskChunk(chunk: Chunk): chunk is TaskChunk {
  return chunk.type.startsWith('background-task-')
}

/** The tasks of a view after a chunk that tells of one. */
export function withTask(view: RootView, chunk: TaskChunk): RootView {
  const { taskId, toolCallId, toolName } = chunk.payload
  const index = view.tasks.findIndex((task) => task.taskId === taskId)
  const before = view.tasks[index]
  const known = before ?? { taskId, toolCallId, toolName, path: chunk.path, status: 'pending', attempt: 0 }
  const task = taskAfter(known, chunk)
  const tasks = before ? view.tasks.with(index, task) : [...view.tasks, task]
  const changed = { ...view, tasks }
  return isOpen(task) ? changed : { ...changed, pending: stillAsked(changed, task) }
}

function taskAfter({ error: _, ...task }: TaskView, chunk: TaskChunk): TaskView {
  switch (chunk.type) {
    case 'background-task-started':
      return task
    case 'background-task-running':
      return { ...task, status: 'running', attempt: chunk.payload.attempt }
    case 'background-task-suspended':
      return { ...task, status: 'suspended' }
    case 'background-task-retrying':
      return { ...task, status: 'retrying', attempt: chunk.payload.attempt, error: chunk.payload.error }
    case 'background-task-completed':
      return { ...task, status: 'completed', result: chunk.payload.result }
    case 'background-task-failed': {
      const { error, result } = chunk.payload
      return { ...task, status: 'failed', error, ...(result === undefined ? {} : { result }) }
    }
    case 'background-task-cancelled': {
      const { reason } = chunk.payload
      return { ...task, status: 'cancelled', ...(reason === undefined ? {} : { reason }) }
    }
    case 'background-task-timed-out':
      return { ...task, status: 'timed-out', error: chunk.payload.error }
    default:
      return task
  }
}

function isOpen({ status }: TaskView): boolean {
  return status === 'pending' || status === 'running' || status === 'suspended' || status === 'retrying'
}

/** What is asked still when a task has ended: nothing of its own, unless another one like it may be the one that asks. */
function stillAsked({ tasks, pending }: RootView, ended: TaskView): RootView['pending'] {
  if (tasks.some((task) => isOpen(task) && placeOf(task) === placeOf(ended))) return pending
  const place = placeOf(ended)
  return pending.filter(({ path, toolCallId }) => {
    return toolCallId !== ended.toolCallId && !`${path.join('/')}/`.startsWith(place)
  })
}

/** The path of what works on a task. */
function placeOf({ path, toolName }: TaskView): string {
  return `${[...path, toolName].join('/')}/`
}

/** The call that goes on in the background: it is done, or has failed, when the task has ended. */
export function callAfter(tool: ToolView, chunk: TaskChunk): ToolView {
  const { taskId } = chunk.payload
  switch (chunk.type) {
    case 'background-task-completed':
      return { ...tool, taskId, state: 'done', result: chunk.payload.result }
    case 'background-task-failed':
    case 'background-task-timed-out':
      return { ...tool, taskId, state: 'failed', error: chunk.payload.error }
    case 'background-task-cancelled': {
      const { reason } = chunk.payload
      return { ...tool, taskId, state: 'failed', ...(reason === undefined ? {} : { reason }) }
    }
    case 'background-task-suspended':
      return { ...tool, taskId, state: 'waiting' }
    case 'background-task-started':
    case 'background-task-running':
    case 'background-task-retrying':
      return { ...tool, taskId, state: 'running' }
    default:
      return tool
  }
}
