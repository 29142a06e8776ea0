import { isAbsolute, join } from 'node:path'
import {
  Agent,
  type AgentConfig,
  type AgentOptions,
  type DelegationOptions,
  isAgent,
  type RunOptions,
} from '@retinue/core/agent'
import type { Tool } from '@retinue/core/tools'
import type { Workspace, WorkspaceSettings } from '@retinue/core/workspace'
import { addedParts } from './added-parts.ts'
import { isTopLevel } from './discover/agent-dir.ts'
import { type AgentPlan, type PlannedWorkspace, plansByDir } from './plan.ts'
import type { SlotValues } from './slot-values.ts'
import { createLocalWorkspace } from './workspace/local-workspace.ts'

/** What assembling needs beside the plans. */
export interface Assembly {
  /** The project's real path. */
  readonly root: string
  readonly values: SlotValues
}

/**
 * Makes the agents that plans describe, by directory name. It reads no file and decides nothing: it puts together what is there,
 * and throws what core throws for an agent that can't be made.
 */
export function assemble(plans: readonly AgentPlan[], assembly: Assembly): Record<string, Agent> {
  const byDir = plansByDir(plans)
  const agents = emptyRecord<Agent>()
  for (const plan of plans) {
    if (isTopLevel(plan.agent)) agents[plan.agent.key] = assembleAgent(plan, byDir, assembly)
  }
  return agents
}

type Plans = ReadonlyMap<string, AgentPlan>

function assembleAgent(plan: AgentPlan, byDir: Plans, assembly: Assembly): Agent {
  const { agent } = plan
  const value = agent.config === undefined ? {} : assembly.values.of('config', agent.config.file)
  if (isAgent(value)) return value
  const config: AgentConfig = value
  const options: AgentOptions = { ...config, id: config.id ?? agent.key, name: config.name ?? agent.key }
  Object.assign(options, addedParts(plan, config, assembly.values))
  const tools = assembleTools(plan, config, assembly)
  if (tools !== undefined) options.tools = tools
  const agents = assembleSubagents(plan, config, byDir, assembly)
  if (agents !== undefined) options.agents = agents
  const instructions = assembleInstructions(plan, config, assembly)
  if (instructions !== undefined) options.instructions = instructions
  const defaultOptions = assembleDefaults(plan, config, assembly)
  if (defaultOptions !== undefined) options.defaultOptions = defaultOptions
  if (plan.memory !== undefined) options.memory = assembly.values.of('memory', plan.memory.file)
  if (plan.workspace !== undefined) options.workspace = assembleWorkspace(agent.path, plan.workspace, assembly)
  // What is there without a value is as good as absent, and core tells the two apart.
  return new Agent(withoutUndefined(options))
}

function assembleWorkspace(
  path: readonly string[],
  { module, isMade, home, root, isRootGiven, seeds }: PlannedWorkspace,
  { root: project, values }: Assembly,
): Workspace {
  const value = module === undefined ? {} : values.of('workspace', module.file)
  if (isMade) return value as Workspace
  const settings = value as WorkspaceSettings
  // A root that is given may not lead out of the project by a link; the folder of our own may: where it is, is the owner's choice.
  const place = isAbsolute(root) ? { root } : isRootGiven ? { root, within: project } : { root: join(project, root) }
  const from = seeds && { from: join(project, seeds), record: join(project, home, 'seeds.json') }
  const id = `${path.join('/')}/workspace`
  return createLocalWorkspace({ ...settings, ...place, ...(from && { seeds: from }), id })
}

function assembleInstructions(
  { agent, instructions }: AgentPlan,
  config: AgentConfig,
  { values }: Assembly,
): AgentOptions['instructions'] {
  if (instructions === 'module') return values.of('instructions', agent.instructions?.file ?? '')
  if (instructions === 'body') return agent.agentFile?.body ?? ''
  return instructions === 'markdown' ? (agent.markdown?.text ?? '') : config.instructions
}

function assembleTools({ tools }: AgentPlan, config: AgentConfig, { values }: Assembly): AgentOptions['tools'] {
  if (typeof config.tools === 'function') return config.tools
  const merged = emptyRecord<Tool>()
  for (const { key, from, file } of tools) {
    const tool = from === 'file' ? values.of('tool', file) : config.tools?.[key]
    if (tool !== undefined && from !== 'workspace') merged[key] = tool
  }
  return merged
}

function assembleSubagents(
  plan: AgentPlan,
  config: AgentConfig,
  byDir: Plans,
  assembly: Assembly,
): AgentOptions['agents'] {
  if (typeof config.agents === 'function') return config.agents
  const agents = emptyRecord<NonNullable<Exclude<AgentOptions['agents'], (...args: never[]) => unknown>>[string]>()
  for (const { dir, key } of plan.subagents) {
    const child = byDir.get(dir)
    if (child !== undefined) agents[key] = assembleAgent(child, byDir, assembly)
  }
  return Object.assign(agents, config.agents)
}

/** The config's default options over those of `hooks.ts`. */
function assembleDefaults(
  { agent }: AgentPlan,
  config: AgentConfig,
  { values }: Assembly,
): AgentConfig['defaultOptions'] {
  const own = config.defaultOptions
  if (agent.hooks === undefined) return own
  const hooks = values.of('hooks', agent.hooks.file)
  return typeof own === 'function' ? async (context) => overHooks(hooks, await own(context)) : overHooks(hooks, own)
}

/** B11.4, option by option. The plan says who wins where that is known; what a function gives is only known now. */
function overHooks(hooks: DelegationOptions, own: RunOptions | undefined): RunOptions {
  const options: RunOptions = own ?? {}
  const { delegation = {} } = options
  // What is no object is left as it is: core says what is wrong with it.
  if (typeof options !== 'object' || typeof delegation !== 'object' || delegation === null) return options
  const winners = Object.entries(delegation).filter(([, option]) => option !== undefined)
  return { ...options, delegation: { ...hooks, ...Object.fromEntries(winners) } }
}

/** A record without a prototype: `constructor` is a key like others. */
function emptyRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

function withoutUndefined(options: AgentOptions): AgentOptions {
  for (const key of Object.keys(options)) {
    if (Reflect.get(options, key) === undefined) Reflect.deleteProperty(options, key)
  }
  return options
}
