import { SKILL_TOOL } from '@retinue/core/skills'
import {
  type AgentDir,
  addedModules,
  isConfiguredByAgentFile,
  type Note,
  type SkillFile,
  type SlotModule,
  scheduleModules,
} from './discover/agent-dir.ts'
import type { AgentEntryFact, ConfigFact, HookFact, ModuleFact } from './facts/facts.ts'
import { DATA_DIR } from './layout.ts'
import { WORKSPACE_TOOLS } from './workspace/tool-names.ts'

/** Where an agent's instructions come from; `body` is that of its `agent.md`. */
export type Source = 'config' | 'module' | 'markdown' | 'body'

/** A tool that the agent will have. `file` is where it stands: its own module, the config, or the folder that brings it. */
export interface PlannedTool {
  readonly key: string
  readonly from: 'file' | 'config' | 'workspace' | 'skills'
  readonly file: string
}

/** A skill that a file makes. `text` is undefined for that of a module. */
export interface PlannedSkill {
  readonly name: string
  readonly file: string
  readonly text: SkillFile | undefined
}

/** Where an agent's workspace is, and what makes it. Paths are relative to the project. */
export interface PlannedWorkspace {
  /** The folder of its own, in which its files are unless `workspace.ts` gives another. */
  readonly home: string
  /** The folder of its files; absolute only where `workspace.ts` says so. */
  readonly root: string
  readonly isRootGiven: boolean
  readonly readOnly: boolean
  readonly seeds: string | undefined
  /** `workspace.ts`. */
  readonly module: SlotModule | undefined
  /** The module exports a whole workspace. Known once it is loaded. */
  readonly isMade: boolean
  /** Whether it is known which tools it brings. */
  readonly isKnown: boolean
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
  /** What its `workspace.ts` says is in it once that is loaded. */
  readonly workspace: PlannedWorkspace | undefined
  /** `memory.ts`, where it is what the agent remembers with. */
  readonly memory: SlotModule | undefined
  /** Skills that files make beside those of the config. Complete once their modules are loaded. */
  readonly skills: readonly PlannedSkill[]
  /** Scorers that files make beside those of the config. */
  readonly scorers: readonly SlotModule[]
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

/** The id that the agent will have, as far as it is known before it runs. */
export function idOf({ agent, config, fact }: AgentPlan): string {
  const id = isConfig(config) && config.id.form === 'text' ? config.id.text : ''
  return (fact?.kind === 'agent' ? fact.agent.id : id) || agent.key
}

/** What discovery saw in the agent's folder. Beside an Agent, a finding of its own says of everything that it is ignored. */
export function notesOf({ agent, config }: AgentPlan): readonly Note[] {
  return config === 'agent' ? [] : agent.notes
}

export function plansByDir(plans: readonly AgentPlan[]): ReadonlyMap<string, AgentPlan> {
  return new Map(plans.map((plan) => [plan.agent.dir, plan]))
}

/** Decides what an agent is made of from its files and what its config exports. */
export function planAgent(agent: AgentDir, fact: ModuleFact | undefined): AgentPlan {
  if (fact?.kind === 'agent') return takenAsItIs(agent, fact)
  const config = agent.config === undefined ? 'none' : fact?.kind === 'config' ? fact.config : 'unknown'
  const losses = frontmatterLosses(agent)
  const instructions = planInstructions(agent, config, losses)
  const tools = planTools(agent, config, losses)
  const workspace = planWorkspace(agent, config, losses)
  tools.push(...planWorkspaceTools(agent, config, workspace))
  tools.push(...planSkillTool(agent, config))
  const scorers = planScorers(agent, config, losses)
  const memory = planMemory(agent, config, losses)
  const files = new Set(tools.map(({ file }) => file))
  const modules = agent.tools.filter(({ file }) => files.has(file))
  // A config that can't be read may hold a function that wins: then it is not known whether the module takes part.
  if (agent.instructions !== undefined && (instructions === 'module' || instructions === 'unknown')) {
    modules.push(agent.instructions)
  }
  if (agent.hooks !== undefined) modules.push(agent.hooks)
  if (workspace?.module !== undefined) modules.push(workspace.module)
  if (memory !== undefined) modules.push(memory)
  modules.push(...addedModules({ ...agent, scorers }), ...scheduleModules(agent))
  const parts = {
    instructions,
    tools,
    workspace,
    memory,
    skills: [],
    scorers,
    hooks: undefined,
    ...planSubagents(agent, config),
  }
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

/**
 * The same plan once the modules of skills are loaded: only then it is known what all of them are called. The config's skills win;
 * where a function gives them, that is decided when the agent runs.
 */
export function withSkills(plan: AgentPlan, facts: ReadonlyMap<string, ModuleFact>): AgentPlan {
  const { agent, config } = plan
  if (config === 'agent') return plan
  const all: PlannedSkill[] = agent.skills.map((text) => ({ name: nameOf(text), file: text.file, text }))
  for (const { file } of agent.skillModules) {
    const fact = facts.get(file)
    if (fact?.kind === 'skill') all.push({ name: fact.name, file, text: undefined })
  }
  const own = new Set(isConfig(config) ? config.skills.names : [])
  const losses = all
    .filter(({ name }) => own.has(name))
    .map(({ name, file: loser }): Loss => {
      return { what: `skill "${name}"`, loser, winner: agent.config?.file ?? '', property: ['skills'] }
    })
  return { ...plan, skills: all.filter(({ name }) => !own.has(name)), losses: [...plan.losses, ...losses] }
}

/** The same plan once its `workspace.ts` is loaded. A whole workspace brings files of its own: it wins over seeds. */
export function withWorkspace(plan: AgentPlan, facts: ReadonlyMap<string, ModuleFact>): AgentPlan {
  const { workspace } = plan
  const fact = workspace?.module && facts.get(workspace.module.file)
  if (workspace?.module === undefined || fact?.kind !== 'workspace') return plan
  const { file } = workspace.module
  const { isMade, readOnly, root = workspace.root } = fact
  const tools = fact.tools.map((key): PlannedTool => ({ key, from: 'workspace', file }))
  const loser = isMade ? workspace.seeds : undefined
  const isKnown = fact.problems.length === 0
  return {
    ...plan,
    tools: [...plan.tools, ...tools],
    workspace: { ...workspace, isMade, readOnly, root, isRootGiven: fact.root !== undefined, isKnown },
    losses: loser === undefined ? plan.losses : [...plan.losses, { what: 'workspace', loser, winner: file }],
  }
}

/** What is no text has a finding of its own, and takes part under the name of its file. */
function nameOf({ key, fields }: SkillFile): string {
  return typeof fields['name'] === 'string' ? fields['name'] : key
}

type KnownConfig = ConfigFact | 'none' | 'unknown'

function takenAsItIs(agent: AgentDir, fact: ModuleFact): AgentPlan {
  const noParts = { tools: [], skills: [], scorers: [], losses: [], modules: [] }
  const noSlots = { workspace: undefined, memory: undefined, hooks: undefined }
  return { agent, config: 'agent', fact, instructions: 'config', ...noParts, ...noSlots, ...NO_SUBAGENTS }
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

/** B1.5: the tool that loads skills is built in; a function may give some, so its name is taken then, too. */
function planSkillTool({ skills, skillModules, config: own, dir }: AgentDir, config: KnownConfig): PlannedTool[] {
  const tool = { key: SKILL_TOOL, from: 'skills' } as const
  if (skills.length + skillModules.length > 0) return [{ ...tool, file: `${dir}/skills` }]
  const isGiven = isConfig(config) && config.skills.form !== 'absent'
  return isGiven ? [{ ...tool, file: own?.file ?? '' }] : []
}

function planScorers({ scorers, config: own }: AgentDir, config: KnownConfig, losses: Loss[]): readonly SlotModule[] {
  const taken = new Set(isConfig(config) ? config.scorers : [])
  const winner = own?.file ?? ''
  for (const { key, file: loser } of scorers) {
    if (taken.has(key)) losses.push({ what: `scorer "${key}"`, loser, winner, property: ['scorers', key] })
  }
  return scorers.filter(({ key }) => !taken.has(key))
}

function planWorkspace(agent: AgentDir, config: KnownConfig, losses: Loss[]): PlannedWorkspace | undefined {
  const { workspace: seeds, workspaceModule: module } = agent
  if (isConfig(config) && config.workspace.form !== 'absent') {
    for (const loser of [module?.file, seeds]) {
      const winner = agent.config?.file ?? ''
      if (loser !== undefined) losses.push({ what: 'workspace', loser, winner, property: ['workspace'] })
    }
    return undefined
  }
  if (seeds === undefined && module === undefined) return undefined
  // B11.9: never inside the parent's. As its sources are, an agent's folder stands in its parent's, and the files in one beside it.
  const home = `${DATA_DIR}/workspaces/${agent.path.join('/subagents/')}`
  const isKnown = module === undefined
  return { home, root: `${home}/files`, isRootGiven: false, readOnly: false, seeds, module, isMade: false, isKnown }
}

/** What the config says wins, also if it says that there is none. */
function planMemory({ memory, config: own }: AgentDir, config: KnownConfig, losses: Loss[]): SlotModule | undefined {
  if (memory === undefined || !isConfig(config) || config.memory === 'absent') return memory
  losses.push({ what: 'memory', loser: memory.file, winner: own?.file ?? '', property: ['memory'] })
  return undefined
}

/** Those of a `workspace.ts` are known once it is loaded. */
function planWorkspaceTools(
  { config: own }: AgentDir,
  config: KnownConfig,
  workspace: PlannedWorkspace | undefined,
): PlannedTool[] {
  const isSeeded = workspace?.seeds !== undefined && workspace.module === undefined
  const keys = isSeeded ? WORKSPACE_TOOLS : isConfig(config) ? config.workspace.tools : []
  const file = (isSeeded ? workspace.seeds : own?.file) ?? ''
  return keys.map((key) => ({ key, from: 'workspace', file }))
}

type PlannedSubagents = Pick<AgentPlan, 'subagents' | 'overridden' | 'ignored' | 'coded'>

const NO_SUBAGENTS: PlannedSubagents = { subagents: [], overridden: [], ignored: [], coded: [] }

function planSubagents({ subagents }: AgentDir, config: KnownConfig): PlannedSubagents {
  if (!isConfig(config)) return { ...NO_SUBAGENTS, subagents }
  if (config.agents.form === 'function') return { ...NO_SUBAGENTS, ignored: subagents }
  const coded = config.agents.entries
  const keys = new Set(coded.map(({ key }) => key))
  return {
    subagents: subagents.filter(({ key }) => !keys.has(key)),
    overridden: subagents.filter(({ key }) => keys.has(key)),
    ignored: [],
    coded,
  }
}
