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
  readonly hasMemory: boolean
}

/** Deepest that a tree is described: an agent may hold itself. */
const MAX_DEPTH = 8

export function describeAgent(key: string, agent: Agent, depth = 0): AgentDescription {
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
    ...(typeof agents === 'function' || depth >= MAX_DEPTH
      ? {}
      : { agents: Object.entries(agents ?? {}).map(([name, child]) => childOf(name, child, depth + 1)) }),
    hasMemory: memory !== undefined,
  }
}

function childOf(key: string, child: unknown, depth: number): AgentDescription {
  if (isAgent(child)) return describeAgent(key, child, depth)
  // Somebody else's agent shows what a delegation needs to know of it.
  const { id, description } = child as { readonly id: string; readonly description?: string }
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
