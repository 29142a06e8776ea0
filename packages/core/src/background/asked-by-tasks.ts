import type { PendingToolCall } from '../approvals/question.ts'
import type { Approval } from '../storage/approvals.ts'
import type { Storage } from '../storage/storage.ts'

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
