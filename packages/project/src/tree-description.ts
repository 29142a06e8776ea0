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
   * agent to several others, and make cycles of them, and several folders can export one.
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
  const whole = wholeAgents(plans, coded)
  // An agent that stands in several places is told at its folder, the first one if it has several, else where it stands highest.
  const homes = homesOf(plans)
  const told = new Set(homes.keys())
  const agents: AgentDescription[] = []
  const levels: Level[] = [{ plans: plans.filter(({ agent }) => isTopLevel(agent)), coded, into: agents }]
  for (const { plans, coded, into } of levels) {
    for (const plan of plans) {
      const below: AgentDescription[] = []
      if (plan.fact?.kind !== 'agent') {
        into.push(describePlan(plan, below))
        const children = plan.subagents.flatMap(({ dir }) => byDir.get(dir) ?? [])
        levels.push({ plans: children, coded: plan.coded, into: below })
        continue
      }
      const { agent } = plan.fact
      const isHome = homes.get(agent.identity) === plan
      into.push({ ...describeAgent(plan.agent.key, agent, below), ...(isHome ? {} : { repeated: true }) })
      if (isHome) levels.push({ plans: [], coded: whole.get(agent.identity) ?? [], into: below })
    }
    for (const { key, agent } of coded) {
      const below: AgentDescription[] = []
      const repeated = agent !== undefined && told.has(agent.identity)
      into.push({ ...describeAgent(key, agent, below), inCode: true, ...(repeated ? { repeated } : {}) })
      if (agent === undefined || repeated) continue
      told.add(agent.identity)
      levels.push({ plans: [], coded: whole.get(agent.identity) ?? [], into: below })
    }
  }
  return { agents }
}

/** The folder of each agent that a folder's config exports, by identity. Plans come with parents first, so it is one of the highest. */
function homesOf(plans: readonly AgentPlan[]): ReadonlyMap<string, AgentPlan> {
  const homes = new Map<string, AgentPlan>()
  for (const plan of plans) {
    if (plan.fact?.kind === 'agent' && !homes.has(plan.fact.agent.identity)) homes.set(plan.fact.agent.identity, plan)
  }
  return homes
}

/**
 * All that each agent of code delegates to, by identity. What is told of a module leaves it out at all places of an agent but one,
 * and the tree may tell the agent at another, of another module.
 */
function wholeAgents(
  plans: readonly AgentPlan[],
  coded: readonly AgentEntryFact[],
): ReadonlyMap<string, readonly AgentEntryFact[]> {
  const whole = new Map<string, readonly AgentEntryFact[]>()
  const see = ({ identity, agents }: AgentFact): void => {
    if (agents.length >= (whole.get(identity)?.length ?? 0)) whole.set(identity, agents)
    if (agents.length > 0) lists.push(agents)
  }
  const lists = [coded, ...plans.map((plan) => plan.coded)]
  for (const { fact } of plans) if (fact?.kind === 'agent') see(fact.agent)
  for (const list of lists) for (const { agent } of list) if (agent !== undefined) see(agent)
  return whole
}

/** How many agents there are, each once. */
export function countAgents(agents: readonly AgentDescription[]): number {
  const each = agents.filter(({ repeated }) => !repeated)
  return each.reduce((count, { agents: below }) => count + 1 + countAgents(below), 0)
}

/** Of a folder whose config exports no Agent. */
function describePlan(plan: AgentPlan, agents: readonly AgentDescription[]): AgentDescription {
  const { key } = plan.agent
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
