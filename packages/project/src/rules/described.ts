import type { AgentPlan } from '../plan.ts'
import { configPlace } from './places.ts'
import type { Place, RuleContext } from './rule.ts'

/** A subagent as its parent's model sees it. */
export interface Described {
  readonly key: string
  readonly names: readonly string[]
  readonly description: string
  readonly place: Place
  readonly agentPath: readonly string[]
}

/** The subagents of an agent that have a description, folders first. One without has a finding of its own. */
export function describedSubagents(
  context: RuleContext,
  plan: AgentPlan,
  byDir: ReadonlyMap<string, AgentPlan>,
): Described[] {
  const folders = plan.subagents.flatMap(({ dir }) => {
    const child = byDir.get(dir)
    return child === undefined ? [] : folder(context, child)
  })
  const coded = plan.coded.flatMap(({ key, agent }): Described[] => {
    const { description = '', name } = agent ?? { name: key }
    const place = configPlace(context, plan.agent, ['agents', key], 'key')
    return description.trim() === ''
      ? []
      : [{ key, names: [key, name], description, place, agentPath: plan.agent.path }]
  })
  return [...folders, ...coded]
}

function folder(context: RuleContext, { agent, config, fact }: AgentPlan): Described[] {
  const { key, path } = agent
  const place = configPlace(context, agent, ['description'], 'value')
  const coded = fact?.kind === 'agent' ? fact.agent : undefined
  const own = typeof config === 'object' ? config : undefined
  const description = coded?.description ?? (own?.description.form === 'text' ? own.description.text : '')
  const name = coded?.name ?? (own?.name.form === 'text' ? own.name.text : key)
  return description.trim() === '' ? [] : [{ key, names: [key, name], description, place, agentPath: path }]
}
