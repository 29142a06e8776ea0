import { isAgent } from '@retinue/core/agent'
import { modelFact } from './describe-model.ts'
import type { AgentEntryFact, AgentFact } from './facts.ts'
import { isRecord, kindOfValue } from './value-kind.ts'

/** Deeper than any run delegates; code can make cycles of agents, and a description must end. */
const MAX_DEPTH = 8

/** What can be told of an agent that code made. Functions are not called: they want a request context. */
export function describeAgent(agent: object, depth: number = 0): AgentFact {
  const read = (field: string): unknown => Reflect.get(agent, field)
  const [id, name, description, options] = ['id', 'name', 'description', 'options'].map(read)
  const { model, tools, agents } = isRecord(options) ? options : {}
  const own = typeof id === 'string' ? id : ''
  return {
    id: own,
    name: typeof name === 'string' ? name : own,
    description: typeof description === 'string' ? description : undefined,
    model: modelFact(model),
    tools: isRecord(tools) ? Object.keys(tools) : undefined,
    agents: isRecord(agents) && depth < MAX_DEPTH ? describeEntries(agents, depth + 1) : [],
  }
}

export function describeEntries(agents: Readonly<Record<string, unknown>>, depth: number): AgentEntryFact[] {
  return Object.entries(agents).map(([key, agent]) => {
    const described = isDelegate(agent) ? describeAgent(agent, depth) : undefined
    return { key, kind: kindOfValue(agent), agent: described }
  })
}

/** An agent, or something else that can be delegated to: a remote agent has no brand. */
function isDelegate(value: unknown): value is object {
  return (
    isAgent(value) ||
    (isRecord(value) && typeof value['id'] === 'string' && typeof value['runDelegated'] === 'function')
  )
}
