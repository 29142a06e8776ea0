import type { ApprovalChange, RunFacts, Storage, ThreadKey } from '@retinue/core/storage'

/** How long nobody else may work on a run while it is deleted, in milliseconds. */
const LEASE_MS = 10_000

/** Deletes the runs of a thread that wait for a person, or have ended: they would bring it back. One that somebody works on goes on. */
export async function forgetRuns(storage: Storage, thread: ThreadKey): Promise<void> {
  let cursor: string | undefined
  do {
    const page = await storage.runs.list({ ...thread, ...(cursor === undefined ? {} : { cursor }) })
    for (const run of page.items) await forgetRun(storage, run)
    cursor = page.next
  } while (cursor !== undefined)
}

async function forgetRun(storage: Storage, { runId }: RunFacts): Promise<void> {
  const at = Date.now()
  const taken = await storage.runs.acquire({ runId, holder: crypto.randomUUID(), until: at + LEASE_MS, at })
  if (!taken) return
  const { items } = await storage.approvals.list({ runId, status: 'pending', limit: 1000 })
  const moves = items.map(({ toolCallId, round }): ApprovalChange => {
    return { runId, toolCallId, round, from: ['pending'], to: 'cancelled', at }
  })
  await storage.runs.remove({ runId, expectedVersion: taken.version, moves, at })
}
