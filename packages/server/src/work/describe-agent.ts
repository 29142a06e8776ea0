import { type Agent, isAgent } from '@retinue/core/agent'
import { isObject } from '../is-object.ts'

/** An agent as a client sees it: what it is for, and what it can use; nothing of its instructions. */
export interface AgentDescription {
  readonly id: string
  /** The name of the tool that its parent delegates to it with; of a top-level agent, its key in the application. */
  readonly key: string
  readonly name: string
  readonly description?: string
  /** The declared models, the first choice first; absent where a function decides. */
  readonly models?: readonly string[]
  /** Absent where a function decides. */
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly isClients?: true }[]
  /** Absent where a function decides. */
  readonly agents?: readonly AgentDescription[]
  /** There if the same agent has another place in this answer: what it delegates to is told there, and `agents` is empty here. */
  readonly repeated?: true
  readonly hasMemory: boolean
}

type Agents = Readonly<Record<string, unknown>>

/**
 * Agents by their keys, each with those that it delegates to. Level by level: an agent that stands in several places, or above itself, is
 * told where it stands highest.
 */
export function describeAgents(agents: Readonly<Record<string, Agent>>): readonly AgentDescription[] {
  const told = new Set<unknown>()
  const described: AgentDescription[] = []
  const levels: { readonly agents: Agents; readonly into: AgentDescription[] }[] = [{ agents, into: described }]
  for (const { agents, into } of levels) {
    for (const [key, agent] of Object.entries(agents)) {
      const below: AgentDescription[] = []
      if (!isAgent(agent)) {
        into.push(describeOther(key, agent))
        continue
      }
      // What an application runs is another object than what its agents were given, of the same options.
      const { options } = agent
      const repeated = told.has(options)
      into.push({ ...describeOne(key, agent, below), ...(repeated ? { repeated } : {}) })
      if (repeated) continue
      told.add(options)
      const own = options.agents
      if (typeof own === 'object') levels.push({ agents: own, into: below })
    }
  }
  return described
}

function describeOne(key: string, agent: Agent, below: readonly AgentDescription[]): AgentDescription {
  const { model, tools, agents, memory, description } = agent.options
  const models = modelNames(model)
  return {
    id: agent.id,
    key,
    name: agent.name,
    ...(description === undefined ? {} : { description }),
    ...(models ? { models } : {}),
    ...(typeof tools === 'function'
      ? {}
      : { tools: Object.entries(tools ?? {}).map(([name, tool]) => toolOf(name, tool)) }),
    ...(typeof agents === 'function' ? {} : { agents: below }),
    hasMemory: memory !== undefined,
  }
}

/** Somebody else's agent shows what a delegation needs to know of it. */
function describeOther(key: string, agent: unknown): AgentDescription {
  const { id, description } = agent as { readonly id: string; readonly description?: string }
  return { id, key, name: id, ...(description === undefined ? {} : { description }), hasMemory: false }
}

function toolOf(name: string, { description, execute }: { readonly description?: string; readonly execute?: unknown }) {
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(execute === undefined ? { isClients: true as const } : {}),
  }
}

function modelNames(model: unknown): string[] | undefined {
  if (model === undefined || typeof model === 'function') return undefined
  return (Array.isArray(model) ? model : [model]).map((each: unknown) => {
    if (typeof each === 'string') return each
    return isObject(each) ? `${String(each['provider'])}/${String(each['modelId'])}` : 'unknown'
  })
}
