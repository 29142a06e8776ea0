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
  /**
   * There if the same agent has another place in this tree: what it delegates to is told there, and `agents` is empty here. Code can hand an
   * agent to several others, and make cycles of them.
   */
  readonly repeated?: true
}

export interface TreeDescription {
  readonly agents: readonly AgentDescription[]
}

/** Agents that stand beside each other, and where they are told. */
interface Level {
  readonly plans: readonly AgentPlan[]
  readonly coded: readonly AgentEntryFact[]
  readonly into: AgentDescription[]
}

/**
 * What the plans will be assembled to, with the agents of the application that an `index.ts` exports; the
 * plans are of folders that none of these wins over. Agents that could not be loaded are there, with what is known of them.
 */
export function describeTree(plans: readonly AgentPlan[], coded: readonly AgentEntryFact[]): TreeDescription {
  const byDir = plansByDir(plans)
  // An agent that stands in several places is told at its folder, else where it stands highest.
  const told = new Set(plans.flatMap(({ fact }) => (fact?.kind === 'agent' ? [fact.agent.identity] : [])))
  const agents: AgentDescription[] = []
  const levels: Level[] = [{ plans: plans.filter(({ agent }) => isTopLevel(agent)), coded, into: agents }]
  for (const { plans, coded, into } of levels) {
    for (const plan of plans) {
      const below: AgentDescription[] = []
      into.push(describePlan(plan, below))
      if (plan.fact?.kind === 'agent') {
        levels.push({ plans: [], coded: plan.fact.agent.agents, into: below })
      } else {
        const children = plan.subagents.flatMap(({ dir }) => byDir.get(dir) ?? [])
        levels.push({ plans: children, coded: plan.coded, into: below })
      }
    }
    for (const { key, agent } of coded) {
      const below: AgentDescription[] = []
      const repeated = agent !== undefined && told.has(agent.identity)
      into.push({ ...describeAgent(key, agent, below), inCode: true, ...(repeated ? { repeated } : {}) })
      if (agent === undefined || repeated) continue
      told.add(agent.identity)
      levels.push({ plans: [], coded: agent.agents, into: below })
    }
  }
  return { agents }
}

/** How many agents there are, each once. */
export function countAgents(agents: readonly AgentDescription[]): number {
  const each = agents.filter(({ repeated }) => !repeated)
  return each.reduce((count, { agents: below }) => count + 1 + countAgents(below), 0)
}

function describePlan(plan: AgentPlan, agents: readonly AgentDescription[]): AgentDescription {
  const { key } = plan.agent
  if (plan.fact?.kind === 'agent') return describeAgent(key, plan.fact.agent, agents)
  const config = typeof plan.config === 'object' ? plan.config : undefined
  return {
    key,
    id: idOf(plan),
    name: textOf(config, 'name') ?? key,
    ...optional('description', textOf(config, 'description')),
    ...optional('model', config?.model.form === 'given' ? config.model.label : undefined),
    tools: plan.tools.map((tool) => tool.key),
    agents,
  }
}

function describeAgent(
  key: string,
  agent: AgentFact | undefined,
  agents: readonly AgentDescription[],
): AgentDescription {
  return {
    key,
    id: agent?.id ?? key,
    name: agent?.name ?? key,
    ...optional('description', agent?.description),
    ...optional('model', agent?.model.form === 'given' ? agent.model.label : undefined),
    tools: agent?.tools ?? [],
    agents,
  }
}

function textOf(config: ConfigFact | undefined, field: 'name' | 'description'): string | undefined {
  const fact = config?.[field]
  return fact?.form === 'text' ? fact.text : undefined
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: string })
}
