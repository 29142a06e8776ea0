import type { ModelFact } from '../facts/facts.ts'
import { configPlace } from './places.ts'
import type { Place, RuleContext } from './rule.ts'

/** A model that a project names, and where. */
interface NamedModel {
  readonly model: ModelFact
  readonly place: Place
  readonly agentPath: readonly string[]
}

/** The models of all agents that take part: of configs, of Agents, and of the entries of `config.agents`. */
export function* namedModels(context: RuleContext): Iterable<NamedModel> {
  for (const { agent, config, fact, coded } of context.plans) {
    const model = fact?.kind === 'agent' ? fact.agent.model : typeof config === 'object' ? config.model : undefined
    const agentPath = agent.path
    if (model !== undefined) yield { model, place: configPlace(context, agent, ['model'], 'value'), agentPath }
    for (const { key, agent: entry } of coded) {
      if (entry !== undefined)
        yield { model: entry.model, place: configPlace(context, agent, ['agents', key], 'key'), agentPath }
    }
  }
}

/**
 * The names of the providers that configs register for their runs. Delegations run under the providers of the root's call, so one that
 * is registered anywhere may be meant.
 */
export function registeredProviders({ plans }: RuleContext): ReadonlySet<string> {
  return new Set(plans.flatMap(({ config }) => (typeof config === 'object' ? config.providers : [])))
}
