import { type DelegateTarget, isDelegateTarget } from '../delegation/delegate-target.ts'
import { delegationTool } from '../delegation/delegation-tool.ts'
import { agentInvalid } from '../errors/option-errors.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import { loopTool } from '../loop/loop-tool.ts'
import type { LoopTool, ToolSet } from '../loop/run.ts'
import { isObject } from '../shared/records.ts'
import { warn } from '../shared/warn.ts'
import { mayHaveSkills, SKILL_TOOL } from '../skills/skill.ts'
import { compileTool } from '../tools/compile-tool.ts'
import { isTool, type Tool } from '../tools/tool.ts'
import { assertToolName } from '../tools/tool-name.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** Where an agent's tools come from. */
export interface ToolSources {
  readonly tools: Readonly<Record<string, Tool>> | undefined
  readonly agents: Readonly<Record<string, DelegateTarget>> | undefined
  readonly workspace: Workspace | undefined
  /** They have a tool of their own, made when the agent first runs: its name is taken. */
  readonly skills: unknown
}

export const NO_TOOLS: ToolSet = { byName: new Map(), definitions: [] }

/**
 * Compiles an agent's tools: its own, its workspace's, and one for each subagent. Throws `name-invalid`, `name-collision`,
 * `tool-invalid`, `agent-invalid` or `schema-unsupported`, naming the agent and the key.
 */
export function compileTools(agentId: string, { tools, agents, workspace, skills }: ToolSources): ToolSet {
  const byName = new Map<string, LoopTool>()
  addTools(byName, tools, agentId, 'tools')
  addTools(byName, workspace?.tools, agentId, 'workspace.tools')
  for (const [key, target] of entries(agents, agentId, 'agents')) {
    assertToolName(key, `The agent "${agentId}" has a subagent whose key`)
    if (!isDelegateTarget(target)) throw notAnAgent(agentId, key)
    if (!target.description?.trim()) warn('subagent-description-missing', noDescription(agentId, key))
    if (byName.has(key)) throw collision(agentId, key, 'subagent')
    byName.set(key, delegationTool(key, target))
  }
  if (mayHaveSkills(skills) && byName.has(SKILL_TOOL))
    throw collision(agentId, SKILL_TOOL, 'tool that loads its skills')
  return toolSet(byName)
}

/** Adds compiled tools. `from`: where they come from, as errors say it. */
function addTools(byName: Map<string, LoopTool>, record: unknown, agentId: string, from: string): void {
  for (const [name, tool] of entries(record, agentId, from)) {
    assertToolName(name, `The agent "${agentId}" has a tool whose key`)
    if (!isTool(tool)) throw notATool(agentId, name)
    if (byName.has(name)) throw collision(agentId, name, `tool of its ${from}`)
    byName.set(name, loopTool(compileTool(name, tool)))
  }
}

/** An agent's tools and those that a call brings. Throws as `compileTools` does, also where a name is taken. */
export function withToolsets(
  agentId: string,
  { byName }: ToolSet,
  toolsets: Readonly<Record<string, Readonly<Record<string, Tool>>>>,
): ToolSet {
  const all = new Map(byName)
  for (const [set, tools] of entries(toolsets, agentId, 'toolsets')) addTools(all, tools, agentId, `toolsets.${set}`)
  return toolSet(all)
}

/** The same tools, with a field for earlier results on each delegation. Throws `schema-unsupported`. */
export function withReferences({ byName }: ToolSet): ToolSet {
  return toolSet(new Map([...byName].map(([name, tool]) => [name, tool.withReferences?.() ?? tool])))
}

export function toolSet(byName: ReadonlyMap<string, LoopTool>): ToolSet {
  return { byName, definitions: [...byName.values()].map((tool) => tool.definition) }
}

function entries(record: unknown, agentId: string, what: string): [string, unknown][] {
  if (record === undefined) return []
  if (isObject(record)) {
    const prototype: unknown = Object.getPrototypeOf(record)
    // `{ __proto__: tool }` sets a prototype instead of a key: nobody means that.
    if (isTool(prototype) || isDelegateTarget(prototype))
      assertToolName('__proto__', `The agent "${agentId}" has in its ${what} a key that`)
    return Object.entries(record)
  }
  throw agentInvalid(
    `The ${what} of the agent "${agentId}" are ${Array.isArray(record) ? 'a list' : String(record)}.`,
    `Pass an object: ${what}: { key: … }`,
  )
}

function noDescription(agentId: string, key: string): string {
  return `The subagent "${key}" of the agent "${agentId}" has no description: the model can't tell when to delegate to it.`
}

function collision(agentId: string, name: string, what: string): RetinueError {
  return new RetinueError({
    code: 'name-collision',
    message: `The agent "${agentId}" has two tools called "${name}"; the second is a ${what}.`,
    hint: 'A subagent is a tool named after its key: rename one of the two.',
    data: { agentId, name },
  })
}

function notATool(agentId: string, name: string): RetinueError {
  return new RetinueError({
    code: 'tool-invalid',
    message: `"${name}" in the tools of the agent "${agentId}" is no tool.`,
    hint: 'Make it with createTool({ id, description, inputSchema, execute }).',
    data: { agentId, name },
  })
}

function notAnAgent(agentId: string, key: string): RetinueError {
  return agentInvalid(
    `"${key}" in the agents of the agent "${agentId}" is no agent.`,
    'Pass an Agent, or an object with { id, description, runDelegated(request) }.',
    { agentId, key },
  )
}
