import { isTopLevel } from './discover/agent-dir.ts'
import type { AgentEntryFact, AgentFact, ConfigFact } from './facts/facts.ts'
import { type AgentPlan, idOf, plansByDir } from './plan.ts'

/** An agent and those that it delegates to, as `retinue tree` shows them. */
export interface AgentDescription {
  /** The directory's name, or the key in `config.agents`. */
  readonly key: string
  readonly id: string
  readonly name: string
  readonly description?: string
  /** `provider/model`, or what is known of it before the agent runs. Absent if there is none. */
  readonly model?: string
  /** The names of its tools, built-in ones included. */
  readonly tools: readonly string[]
  readonly agents: readonly AgentDescription[]
  /** There if code made it, and no folder: an `index.ts`, or an entry of some agent's `agents`. */
  readonly inCode?: true
}

export interface TreeDescription {
  readonly agents: readonly AgentDescription[]
}

/**
 * What the plans will be assembled to, with the agents of the application that an `index.ts` exports; the
 * plans are of folders that none of these wins over. Agents that could not be loaded are there, with what is known of them.
 */
export function describeTree(plans: readonly AgentPlan[], coded: readonly AgentEntryFact[]): TreeDescription {
  const byDir = plansByDir(plans)
  const describe = (plan: AgentPlan): AgentDescription => {
    const { key } = plan.agent
    if (plan.fact?.kind === 'agent') return describeAgent(key, plan.fact.agent)
    const config = typeof plan.config === 'object' ? plan.config : undefined
    const children = plan.subagents.flatMap(({ dir }) => byDir.get(dir) ?? [])
    return {
      key,
      id: idOf(plan),
      name: textOf(config, 'name') ?? key,
      ...optional('description', textOf(config, 'description')),
      ...optional('model', config?.model.form === 'given' ? config.model.label : undefined),
      tools: plan.tools.map((tool) => tool.key),
      agents: [...children.map(describe), ...plan.coded.map(describeEntry)],
    }
  }
  const folders = plans.filter(({ agent }) => isTopLevel(agent))
  return { agents: [...folders.map(describe), ...coded.map(describeEntry)] }
}

/** How many agents there are. Code can make cycles of agents: one that stands above itself is one. */
export function countAgents(agents: readonly AgentDescription[], above: readonly string[] = []): number {
  const others = agents.filter(({ id, inCode }) => !(inCode && above.includes(id)))
  return others.reduce((count, { id, agents: below }) => count + 1 + countAgents(below, [...above, id]), 0)
}

function describeEntry({ key, agent }: AgentEntryFact): AgentDescription {
  return { ...describeAgent(key, agent), inCode: true }
}

function describeAgent(key: string, agent: AgentFact | undefined): AgentDescription {
  return {
    key,
    id: agent?.id ?? key,
    name: agent?.name ?? key,
    ...optional('description', agent?.description),
    ...optional('model', agent?.model.form === 'given' ? agent.model.label : undefined),
    tools: agent?.tools ?? [],
    agents: agent?.agents.map(describeEntry) ?? [],
  }
}

function textOf(config: ConfigFact | undefined, field: 'name' | 'description'): string | undefined {
  const fact = config?.[field]
  return fact?.form === 'text' ? fact.text : undefined
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: string })
}
