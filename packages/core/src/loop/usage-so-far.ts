import { addUsage, noUsage, type Usage } from '../events/usage.ts'
import type { Run } from './run.ts'

/** What a run and everything below it has used, the delegations that have not ended included. */
export function usageSoFar({ state, calls }: Run): Usage {
  const sum = noUsage()
  addUsage(sum, state.totalUsage)
  for (const { outcome, delegation } of calls ?? [])
    if (!outcome && delegation?.child) addUsage(sum, usageSoFar(delegation.child))
  return sum
}
