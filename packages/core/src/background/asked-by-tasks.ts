import type { PendingToolCall } from '../approvals/question.ts'
import type { Approval } from '../storage/approvals.ts'
import type { Storage } from '../storage/storage.ts'
import { OPEN } from './open-states.ts'

/** What people are asked by tasks that wait. */
export async function askedByTasks(
  storage: Storage,
  tasks: readonly { readonly taskId: string }[],
): Promise<PendingToolCall[]> {
  const all: PendingToolCall[] = []
  for (const { taskId } of tasks) {
    const { items } = await storage.approvals.list({ runId: taskId, status: 'pending', limit: 1_000 })
    all.push(...items.map(pendingToolCall))
  }
  return all
}

/** What people are asked by tasks that a run waits for, and by the tasks of those. */
export async function askedBelow(
  storage: Storage,
  rootRunId: string,
  tasks: readonly { readonly taskId: string }[],
): Promise<PendingToolCall[]> {
  const below = new Set(tasks.map(({ taskId }) => taskId))
  let cursor: string | undefined
  do {
    const page = await storage.tasks.list({ rootRunId, status: OPEN, ...(cursor === undefined ? {} : { cursor }) })
    // Whoever began a task was begun before it.
    for (const { taskId, parentTree } of page.items) if (below.has(parentTree)) below.add(taskId)
    cursor = page.next
  } while (cursor !== undefined)
  return askedByTasks(
    storage,
    [...below].map((taskId) => ({ taskId })),
  )
}

/** A question of the ledger, as people are asked it. */
export function pendingToolCall({
  toolCallId,
  toolName,
  args,
  path,
  kind,
  payload,
  expiresAt,
}: Approval): PendingToolCall {
  return {
    toolCallId,
    toolName,
    args,
    path,
    requiresApproval: kind === 'approval',
    ...(payload === undefined ? {} : { suspendPayload: payload }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}
