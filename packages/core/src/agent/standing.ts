import type { Approval } from '../storage/approvals.ts'
import type { Storage } from '../storage/storage.ts'

/** The last round of each call that a run was asked about. */
export async function standingOf(storage: Storage, runId: string): Promise<Approval[]> {
  const latest = new Map<string, Approval>()
  let cursor: string | undefined
  do {
    const page = await storage.approvals.list({ runId, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    for (const approval of page.items) latest.set(approval.toolCallId, approval)
    cursor = page.next
  } while (cursor !== undefined)
  return [...latest.values()]
}
