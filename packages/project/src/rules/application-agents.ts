import type { AgentEntryFact } from '../facts/facts.ts'
import type { RuleContext } from './rule.ts'

/** The agents of the application that an `index.ts` exports, and where it stands. None where there is none. */
export function applicationAgents({ discovered, loaded }: Pick<RuleContext, 'discovered' | 'loaded'>): {
  readonly file: string
  readonly entries: readonly AgentEntryFact[]
  readonly settings: readonly string[]
} {
  const file = discovered.shared.find(({ slot }) => slot === 'index')?.file ?? ''
  const fact = loaded.facts.get(file)
  return fact?.kind === 'application'
    ? { file, entries: fact.agents, settings: fact.settings }
    : { file, entries: [], settings: [] }
}
