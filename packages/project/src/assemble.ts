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
import type { AgentBlueprint, WorkspaceBlueprint } from './blueprint.ts'
import type { SlotValues } from './slot-values.ts'
import { createLocalWorkspace } from './workspace/local-workspace.ts'

/** What assembling needs beside the blueprints. */
export interface Assembly {
  /** Where workspaces are, and what the paths in `workspace.ts` are relative to: the project's real path. */
  readonly root: string
  /** Where the files of the sources are, seeds among them: the project itself, or what a build kept of it. */
  readonly sources: string
  readonly values: SlotValues
}

/**
 * Makes the agents of blueprints, by directory name. It reads no file and decides nothing: it puts together what is there, and
 * throws what core throws for an agent that can't be made.
 */
export function assemble(agents: readonly AgentBlueprint[], assembly: Assembly): Record<string, Agent> {
  const made = emptyRecord<Agent>()
  for (const agent of agents) made[agent.key] = assembleAgent(agent, assembly)
  return made
}

function assembleAgent(blueprint: AgentBlueprint, assembly: Assembly): Agent {
  const { key, path, memory, workspace } = blueprint
  const { values } = assembly
  const value = configOf(blueprint, values)
  if (isAgent(value)) return value
  const config: AgentConfig = value
  const options: AgentOptions = { ...config, id: config.id ?? key, name: config.name ?? key }
  Object.assign(options, addedParts(blueprint, config, values))
  const tools = assembleTools(blueprint, config, values)
  if (tools !== undefined) options.tools = tools
  const agents = assembleSubagents(blueprint, config, assembly)
  if (agents !== undefined) options.agents = agents
  const instructions = assembleInstructions(blueprint, config, values)
  if (instructions !== undefined) options.instructions = instructions
  const defaultOptions = assembleDefaults(blueprint, config, values)
  if (defaultOptions !== undefined) options.defaultOptions = defaultOptions
  if (memory !== undefined) options.memory = values.of('memory', memory)
  if (workspace !== undefined) options.workspace = assembleWorkspace(path, workspace, assembly)
  // What is there without a value is as good as absent, and core tells the two apart.
  return new Agent(withoutUndefined(options))
}

function configOf({ config }: AgentBlueprint, values: SlotValues): Agent | AgentConfig {
  if (config === undefined) return {}
  // What in a frontmatter is no config is an error of `check`.
  return 'file' in config ? values.of('config', config.file) : (config.values as AgentConfig)
}

function assembleWorkspace(
  path: readonly string[],
  { module, isMade, home, seeds }: WorkspaceBlueprint,
  { root: project, sources, values }: Assembly,
): Workspace {
  const value = module === undefined ? {} : values.of('workspace', module)
  if (isMade) return value as Workspace
  const settings = value as WorkspaceSettings
  const { root } = settings
  // A root that is given may not lead out of the project by a link; the folder of our own may: where it is, is the owner's choice.
  const own = { root: join(project, home, 'files') }
  const place = root === undefined ? own : isAbsolute(root) ? { root } : { root, within: project }
  const from = seeds && { from: join(sources, seeds), record: join(project, home, 'seeds.json') }
  const id = `${path.join('/')}/workspace`
  return createLocalWorkspace({ ...settings, ...place, ...(from && { seeds: from }), id })
}

function assembleInstructions(
  { instructions }: AgentBlueprint,
  config: AgentConfig,
  values: SlotValues,
): AgentOptions['instructions'] {
  if (instructions === undefined) return config.instructions
  return 'file' in instructions ? values.of('instructions', instructions.file) : instructions.text
}

function assembleTools({ tools }: AgentBlueprint, config: AgentConfig, values: SlotValues): AgentOptions['tools'] {
  if (typeof config.tools === 'function') return config.tools
  const merged = emptyRecord<Tool>()
  for (const { key, file } of tools) {
    const tool = file === undefined ? config.tools?.[key] : values.of('tool', file)
    if (tool !== undefined) merged[key] = tool
  }
  return merged
}

function assembleSubagents(
  { subagents }: AgentBlueprint,
  config: AgentConfig,
  assembly: Assembly,
): AgentOptions['agents'] {
  if (typeof config.agents === 'function') return config.agents
  const agents = emptyRecord<NonNullable<Exclude<AgentOptions['agents'], (...args: never[]) => unknown>>[string]>()
  for (const child of subagents) agents[child.key] = assembleAgent(child, assembly)
  return Object.assign(agents, config.agents)
}

/** The config's default options over those of `hooks.ts`. */
function assembleDefaults(
  { hooks: file }: AgentBlueprint,
  config: AgentConfig,
  values: SlotValues,
): AgentConfig['defaultOptions'] {
  const own = config.defaultOptions
  if (file === undefined) return own
  const hooks = values.of('hooks', file)
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
