import { type AgentDir, isConfiguredByAgentFile, type SlotModule } from './discover/agent-dir.ts'
import type { AgentEntryFact, ConfigFact, HookFact, ModuleFact } from './facts/facts.ts'
import { WORKSPACE_TOOLS } from './workspace/tool-names.ts'

/** Where an agent's instructions come from; `body` is that of its `agent.md`. */
export type Source = 'config' | 'module' | 'markdown' | 'body'

/** A tool that the agent will have. `file` is where it stands: its own module, the config, or the seed folder. */
export interface PlannedTool {
  readonly key: string
  readonly from: 'file' | 'config' | 'workspace'
  readonly file: string
}

/** A source that another one wins over. `property` is the config's property that wins, if one does. */
export interface Loss {
  readonly what: string
  readonly loser: string
  readonly winner: string
  readonly property?: readonly string[]
  /** The member of the loser's default export that loses, where it is not the whole file. */
  readonly member?: string
  /** The part of the loser that loses, and the line on which it begins, where it is not the whole file. */
  readonly part?: { readonly name: string; readonly line: number }
}

/**
 * What an agent is made of, once every source has had its say (B11.4, B11.7). Rules judge it, assembly follows it, `tree` prints
 * it: none of them decides again who wins.
 */
export interface AgentPlan {
  readonly agent: AgentDir
  /** `unknown`: there is a config and it could not be loaded, so nothing is said about what it might hold. */
  readonly config: ConfigFact | 'none' | 'unknown' | 'agent'
  /** What the config module exports, if it was loaded. */
  readonly fact: ModuleFact | undefined
  readonly instructions: Source | 'unknown' | undefined
  readonly tools: readonly PlannedTool[]
  readonly workspace: string | undefined
  /** What `hooks.ts` adds to the config's delegation options. `undefined` until it is loaded. */
  readonly hooks: readonly HookFact[] | undefined
  /** Directories that become subagents. */
  readonly subagents: readonly AgentDir[]
  /** Directories that an entry of `config.agents` stands for. */
  readonly overridden: readonly AgentDir[]
  /** Directories that are ignored, because `config.agents` is a function. */
  readonly ignored: readonly AgentDir[]
  /** Entries of `config.agents`. */
  readonly coded: readonly AgentEntryFact[]
  readonly losses: readonly Loss[]
  /** Modules beside the config that take part, and so must load. */
  readonly modules: readonly SlotModule[]
}

/** Decides what an agent is made of from its files and what its config exports. */
export function planAgent(agent: AgentDir, fact: ModuleFact | undefined): AgentPlan {
  if (fact?.kind === 'agent') return takenAsItIs(agent, fact)
  const config = agent.config === undefined ? 'none' : fact?.kind === 'config' ? fact.config : 'unknown'
  const losses = frontmatterLosses(agent)
  const instructions = planInstructions(agent, config, losses)
  const tools = planTools(agent, config, losses)
  const workspace = planWorkspace(agent, config, losses)
  if (workspace !== undefined) {
    tools.push(...WORKSPACE_TOOLS.map((key): PlannedTool => ({ key, from: 'workspace', file: workspace })))
  }
  const files = new Set(tools.map(({ file }) => file))
  const modules = agent.tools.filter(({ file }) => files.has(file))
  // A config that can't be read may hold a function that wins: then it is not known whether the module takes part.
  if (agent.instructions !== undefined && (instructions === 'module' || instructions === 'unknown')) {
    modules.push(agent.instructions)
  }
  if (agent.hooks !== undefined) modules.push(agent.hooks)
  const parts = { instructions, tools, workspace, hooks: undefined, ...planSubagents(agent, config) }
  return { agent, config, fact, ...parts, losses, modules }
}

/**
 * The same plan once its `hooks.ts` is loaded: the config's options win, one by one. Where the config's default options are a
 * function, what wins is only known when the agent runs, so nothing is said of it.
 */
export function withHooks(plan: AgentPlan, fact: ModuleFact | undefined): AgentPlan {
  const { agent, config } = plan
  if (agent.hooks === undefined || fact?.kind !== 'hooks') return plan
  const loser = agent.hooks.file
  const own = new Set(isConfig(config) ? config.delegation : [])
  const losses = fact.members
    // As in the config, a member without a value says nothing.
    .filter(({ name, kind }) => own.has(name) && kind !== 'undefined')
    .map(({ name, kind }): Loss => {
      const what = `${kind === 'function' ? 'hook' : 'option'} "${name}"`
      const property = ['defaultOptions', 'delegation', name]
      return { what, loser, winner: agent.config?.file ?? '', property, member: name }
    })
  return { ...plan, hooks: fact.members.filter(({ name }) => !own.has(name)), losses: [...plan.losses, ...losses] }
}

type KnownConfig = ConfigFact | 'none' | 'unknown'

function takenAsItIs(agent: AgentDir, fact: ModuleFact): AgentPlan {
  return {
    agent,
    config: 'agent',
    fact,
    instructions: 'config',
    tools: [],
    workspace: undefined,
    hooks: undefined,
    subagents: [],
    overridden: [],
    ignored: [],
    coded: [],
    losses: [],
    modules: [],
  }
}

function isConfig(config: AgentPlan['config']): config is ConfigFact {
  return typeof config === 'object'
}

function planInstructions(agent: AgentDir, config: KnownConfig, losses: Loss[]): AgentPlan['instructions'] {
  const module = agent.instructions?.file
  const markdown = agent.markdown?.file
  const own = agent.config?.file ?? ''
  const form = isConfig(config) ? config.instructions.form : 'absent'
  const lose = (loser: string, winner: string, property?: readonly string[]): void => {
    losses.push({ what: 'instructions', loser, winner, ...(property === undefined ? {} : { property }) })
  }
  if (form === 'function') {
    for (const file of [module, markdown]) if (file !== undefined) lose(file, own, ['instructions'])
    const body = bodyOf(agent)
    if (body !== undefined) losses.push({ ...body, winner: own, property: ['instructions'] })
    return 'config'
  }
  const winner = module ?? markdown
  if (winner !== undefined && form !== 'absent') lose(own, winner)
  if (module !== undefined && markdown !== undefined) lose(markdown, module)
  const body = bodyOf(agent)
  const better = winner ?? (form === 'absent' ? undefined : own)
  if (better !== undefined) {
    if (body !== undefined) losses.push({ ...body, winner: better })
    if (config === 'unknown' && module !== undefined) return 'unknown'
    return winner === undefined ? 'config' : module === undefined ? 'markdown' : 'module'
  }
  if (config === 'unknown') return 'unknown'
  return body === undefined ? undefined : 'body'
}

/** A frontmatter beside a config module, or a file with nothing in it: a config has one source. */
function frontmatterLosses(agent: AgentDir): Loss[] {
  const { agentFile, config } = agent
  if (agentFile === undefined || config === undefined || isConfiguredByAgentFile(agent)) return []
  if (!agentFile.hasFrontmatter && agentFile.body.trim() !== '') return []
  const part = { name: agentFile.hasFrontmatter ? 'the frontmatter' : 'the empty text', line: 1 }
  return [{ what: 'config', loser: agentFile.file, winner: config.file, part }]
}

/** The instructions below a frontmatter, as they would lose. */
function bodyOf({ agentFile }: AgentDir): Omit<Loss, 'winner'> | undefined {
  if (agentFile === undefined || agentFile.body.trim() === '') return undefined
  return { what: 'instructions', loser: agentFile.file, part: { name: 'the text', line: agentFile.bodyLine } }
}

function planTools(agent: AgentDir, config: KnownConfig, losses: Loss[]): PlannedTool[] {
  const own = agent.config?.file ?? ''
  const tools = new Map<string, PlannedTool>()
  for (const { key, file } of agent.tools) tools.set(key, { key, from: 'file', file })
  if (!isConfig(config)) return [...tools.values()]
  if (config.tools.form === 'function') {
    for (const { file } of agent.tools) losses.push({ what: 'tools', loser: file, winner: own, property: ['tools'] })
    return []
  }
  for (const { key } of config.tools.entries) {
    const loser = tools.get(key)?.file
    if (loser !== undefined) losses.push({ what: `tool "${key}"`, loser, winner: own, property: ['tools', key] })
    tools.set(key, { key, from: 'config', file: own })
  }
  return [...tools.values()]
}

function planWorkspace(agent: AgentDir, config: KnownConfig, losses: Loss[]): string | undefined {
  if (agent.workspace === undefined || !isConfig(config) || config.workspace.form === 'absent') return agent.workspace
  losses.push({ what: 'workspace', loser: agent.workspace, winner: agent.config?.file ?? '', property: ['workspace'] })
  return undefined
}

type PlannedSubagents = Pick<AgentPlan, 'subagents' | 'overridden' | 'ignored' | 'coded'>

function planSubagents({ subagents }: AgentDir, config: KnownConfig): PlannedSubagents {
  if (!isConfig(config)) return { subagents, overridden: [], ignored: [], coded: [] }
  if (config.agents.form === 'function') return { subagents: [], overridden: [], ignored: subagents, coded: [] }
  const coded = config.agents.entries
  const keys = new Set(coded.map(({ key }) => key))
  return {
    subagents: subagents.filter(({ key }) => !keys.has(key)),
    overridden: subagents.filter(({ key }) => keys.has(key)),
    ignored: [],
    coded,
  }
}
