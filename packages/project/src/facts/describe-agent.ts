import { isAgent } from '@retinue/core/agent'
import type { AgentIdentities } from './agent-identities.ts'
import { modelFact } from './describe-model.ts'
import type { AgentEntryFact, AgentFact } from './facts.ts'
import { isRecord, kindOfValue } from './value-kind.ts'

/** What can be told of an agent that code made. Functions are not called: they want a request context. */
export function describeAgent(agent: object, identities: AgentIdentities): AgentFact {
  const below: AgentEntryFact[] = []
  const told = new Set([sameOf(agent)])
  describeBelow([{ agents: agentsOf(agent), into: below }], told, identities)
  return factOf(agent, below, identities)
}

/** What can be told of a map of agents. */
export function describeEntries(
  agents: Readonly<Record<string, unknown>>,
  identities: AgentIdentities,
): AgentEntryFact[] {
  const entries: AgentEntryFact[] = []
  describeBelow([{ agents, into: entries }], new Set(), identities)
  return entries
}

interface Level {
  readonly agents: Readonly<Record<string, unknown>>
  readonly into: AgentEntryFact[]
}

/**
 * Level by level: code can hand an agent to many others, and make cycles of them. Those below it are told once, where it stands highest.
 */
function describeBelow(levels: Level[], told: Set<object>, identities: AgentIdentities): void {
  for (const { agents, into } of levels) {
    for (const [key, agent] of Object.entries(agents)) {
      const below: AgentEntryFact[] = []
      const isKnown = isDelegate(agent)
      into.push({ key, kind: kindOfValue(agent), agent: isKnown ? factOf(agent, below, identities) : undefined })
      if (!isKnown || told.has(sameOf(agent))) continue
      told.add(sameOf(agent))
      levels.push({ agents: agentsOf(agent), into: below })
    }
  }
}

function factOf(agent: object, agents: readonly AgentEntryFact[], identities: AgentIdentities): AgentFact {
  const read = (field: string): unknown => Reflect.get(agent, field)
  const [id, name, description, options] = ['id', 'name', 'description', 'options'].map(read)
  const { model, tools } = isRecord(options) ? options : {}
  const own = typeof id === 'string' ? id : ''
  return {
    identity: identities.of(sameOf(agent)),
    id: own,
    name: typeof name === 'string' ? name : own,
    description: typeof description === 'string' ? description : undefined,
    model: modelFact(model),
    tools: isRecord(tools) ? Object.keys(tools) : undefined,
    agents,
  }
}

/** What is the same for an agent as it was made and as an application runs it. */
function sameOf(agent: object): object {
  const options: unknown = Reflect.get(agent, 'options')
  return isRecord(options) ? options : agent
}

function agentsOf(agent: object): Readonly<Record<string, unknown>> {
  const options: unknown = Reflect.get(agent, 'options')
  const agents = isRecord(options) ? options['agents'] : undefined
  return isRecord(agents) ? agents : {}
}

/** An agent, or something else that can be delegated to: a remote agent has no brand. */
function isDelegate(value: unknown): value is object {
  return (
    isAgent(value) ||
    (isRecord(value) && typeof value['id'] === 'string' && typeof value['runDelegated'] === 'function')
  )
}
