import { runBusy } from '../approvals/approval-errors.ts'
import type { Storage } from '../storage/storage.ts'
import { directEffects } from './direct-effects.ts'
import { HeldLease } from './held-lease.ts'
import { liveRuns } from './live-runs.ts'
import { removeRun } from './remove-run.ts'

/**
 * Ends a run that waits, or that this process works on. False for one that has ended, whose result is kept, or that is of another agent
 * than `agentId`. Rejects with `run-busy` if another process works on it, `run-not-found` if it is not stored.
 */
export async function callOff(storage: Storage, runId: string, reason: string, agentId?: string): Promise<boolean> {
  const live = liveRuns(storage).get(runId)
  if (live?.working && (agentId === undefined || live.agentId === agentId)) {
    live.abort(reason)
    await live.working
    // It may have been about to wait when it was called off.
    if (!liveRuns(storage).has(runId)) return true
  }
  const lease = new HeldLease(storage, runId)
  const stored = await storage.runs.acquire({ runId, ...lease.terms(), at: directEffects.now() })
  if (!stored) throw runBusy(runId)
  if (stored.status === 'ended' || (agentId !== undefined && stored.agentId !== agentId)) {
    await lease.release()
    return false
  }
  await removeRun(storage, stored)
  return true
}
