import { isRetinue } from '@retinue/core'
import type { AgentIdentities } from './agent-identities.ts'
import { describeEntries } from './describe-agent.ts'
import type { ModuleFact } from './facts.ts'

/** What rules need to know of the application that an `index.ts` exports. */
export function describeApplication(value: unknown, identities: AgentIdentities): ModuleFact | undefined {
  if (!isRetinue(value)) return undefined
  const { agents, ...settings } = value.options
  const given = Object.entries(settings).filter(([, setting]) => setting !== undefined)
  return { kind: 'application', agents: describeEntries(agents, identities), settings: given.map(([name]) => name) }
}
