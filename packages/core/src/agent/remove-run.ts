import type { ApprovalChange } from '../storage/approvals.ts'
import type { RunFacts } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { directEffects } from './direct-effects.ts'
import { liveRuns } from './live-runs.ts'
import { standingOf } from './standing.ts'

/** Deletes a run whose lease was taken, with what this process knows of it: nobody needs to decide anything of it any more. */
export async function removeRun(storage: Storage, { runId, version }: RunFacts): Promise<void> {
  const at = directEffects.now()
  // What was started by somebody who died, or waits for something below, ends here: what it did nobody knows.
  const moves = (await standingOf(storage, runId)).flatMap(({ toolCallId, round, status }): ApprovalChange[] => {
    if (status !== 'pending' && status !== 'approved' && status !== 'started') return []
    return [{ runId, toolCallId, round, from: [status], to: status === 'started' ? 'unknown' : 'cancelled', at }]
  })
  await storage.runs.remove({ runId, expectedVersion: version, moves, at })
  liveRuns(storage).get(runId)?.stopClock?.()
  liveRuns(storage).delete(runId)
}
