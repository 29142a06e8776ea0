import { runNotFound } from '../errors/request-errors.ts'
import type { KnownRun } from '../http/known-run.ts'
import { agentOf, type Services } from '../http/services.ts'

/** Ends a run that goes on, or that waits. Rejects with `run-not-found` for one that has ended, `run-busy` for another process's. */
export async function cancelRun(services: Services, { runId, agentId, tracked, isTask }: KnownRun): Promise<void> {
  if (isTask) {
    if (!(await services.app.tasks.cancel(runId, CANCELLED))) throw runNotFound(runId)
    return
  }
  if (!tracked?.stream) return agentOf(services, agentId).cancelRun(runId)
  const { result } = tracked.stream
  tracked.stream.abort(CANCELLED)
  const { finishReason } = await result
  // It was about to wait when it was called off.
  if (finishReason === 'suspended') await agentOf(services, agentId).cancelRun(runId)
}

const CANCELLED = 'the run was cancelled'
