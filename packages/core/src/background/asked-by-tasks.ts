import type { PendingToolCall } from '../approvals/question.ts'
import type { Storage } from '../storage/storage.ts'
import type { OpenTask } from '../tools/outcome.ts'

/** What people are asked by tasks that wait. */
export async function askedByTasks(storage: Storage, tasks: readonly OpenTask[]): Promise<PendingToolCall[]> {
  const all: PendingToolCall[] = []
  for (const { taskId } of tasks) {
    const { items } = await storage.approvals.list({ runId: taskId, status: 'pending', limit: 1_000 })
    for (const { toolCallId, toolName, args, path, kind, payload, expiresAt } of items)
      all.push({
        toolCallId,
        toolName,
        args,
        path,
        requiresApproval: kind === 'approval',
        ...(payload === undefined ? {} : { suspendPayload: payload }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
  }
  return all
}
