import type { DelegationStatus } from '@retinue/core/agent'
import { type Delegation, delegationsOf, type ScorerRun } from '@retinue/core/evals'
import {
  assertCheckOptions,
  assertCount,
  assertName,
  type Check,
  type CheckOptions,
  createCheck,
  idOf,
} from './create-check.ts'
import { toolResultsOf } from './run-data.ts'
import { quoted } from './words.ts'

/** Options of the checks of delegations. */
export interface DelegationCheckOptions extends CheckOptions {
  /** How a delegation must have ended to count; `any` for all ways. Default: 'completed'. */
  readonly status?: DelegationStatus | readonly DelegationStatus[] | 'any'
}

/** Options of `delegatedTo`. */
export interface DelegatedToOptions extends DelegationCheckOptions {
  /** Exactly so often. Default: at least once. */
  readonly times?: number
}

/**
 * The agent delegated to this subagent. `subagent` is its key, or the end of the path to it: `'writer'` is one of that key, the agent's own
 * or one that a subagent delegated to, and `'researcher/writer'` only the researcher's. An envelope shows what its child delegated, and
 * nothing below: deeper delegations are not seen.
 */
export function delegatedTo(subagent: string, options: DelegatedToOptions = {}): Check {
  assertCheckOptions('delegatedTo', options, ['times', 'status'])
  assertCount('delegatedTo', 'times', options.times)
  assertName('delegatedTo', subagent)
  const { times } = options
  const id = idOf('delegated-to', options, subagent, ...(times === undefined ? [] : [String(times)]))
  return createCheck({
    id,
    description: `There was a delegation to "${subagent}".`,
    look(run) {
      const all = allDelegations(run, id).filter((delegation) => leadsTo(delegation, subagent))
      const found = all.filter((delegation) => counts(delegation, options)).length
      const ok = times === undefined ? found > 0 : found === times
      const to = `to ${quoted([subagent])}`
      const what = `There ${found === 1 ? 'was 1 delegation' : `were ${found} delegations`} ${to}${statusWords(options)}`
      if (ok) return { ok, reason: `${what}.` }
      const must = times === undefined ? 'Delegate to it.' : `There must be exactly ${times}.`
      if (all.length === 0) return { ok, reason: `There was no delegation ${to}. ${must}` }
      const ends = all.map(({ envelope }) => envelope.status).join(', ')
      return { ok, reason: `${what}; how they ended: ${ends}. ${must}` }
    },
  })
}

/** All delegations of a run, however they ended. */
export function allDelegations(run: ScorerRun, check: string): readonly Delegation[] {
  toolResultsOf(run, check)
  return delegationsOf(run) ?? []
}

/** Whether a delegation's path ends with these keys. */
export function leadsTo({ path }: Delegation, subagent: string): boolean {
  const keys = subagent.split('/')
  return keys.length <= path.length && keys.every((key, index) => path[path.length - keys.length + index] === key)
}

/** Whether a delegation ended in a way that counts. */
export function counts({ envelope }: Delegation, { status = 'completed' }: DelegationCheckOptions): boolean {
  return status === 'any' || [status].flat().includes(envelope.status)
}

function statusWords({ status = 'completed' }: DelegationCheckOptions): string {
  return status === 'any' ? '' : ` that ended as ${[status].flat().join(' or ')}`
}
