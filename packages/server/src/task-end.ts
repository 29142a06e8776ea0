import type { Chunk } from '@retinue/core/agent'

const ENDS: ReadonlySet<string> = new Set([
  'background-task-completed',
  'background-task-failed',
  'background-task-cancelled',
  'background-task-timed-out',
])

/** Whether a task has ended with an event. It can have tasks of its own, which end before it. */
export function isEndOfTask(taskId: string, { type, payload }: Chunk): boolean {
  return ENDS.has(type) && (payload as { readonly taskId: string }).taskId === taskId
}
