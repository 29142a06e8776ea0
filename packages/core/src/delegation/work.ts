import type { Run } from '../loop/run.ts'
import { ABORTED } from '../shared/abort.ts'
import { checkedResult } from './checked-result.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from './delegate-target.ts'
import { cancelledResult, failedResult } from './settle.ts'

/** The child's work. A child that throws, or gives something that is no result, has failed. */
export async function work(
  run: Run,
  key: string,
  target: DelegateTarget,
  request: DelegatedRequest,
): Promise<DelegatedResult> {
  const working = attempt(key, target, request)
  const result = await run.scope.race(working)
  if (result !== ABORTED) return result
  // A run of this package ends by itself, with what it did so far. What else may ignore the signal is not waited for.
  return run.root.begun.has(request.runId) ? working : cancelledResult()
}

async function attempt(key: string, target: DelegateTarget, request: DelegatedRequest): Promise<DelegatedResult> {
  try {
    return checkedResult(await target.runDelegated(request), key)
  } catch (thrown) {
    return request.abortSignal.aborted ? cancelledResult() : failedResult(thrown, key)
  }
}
