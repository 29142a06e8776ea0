import type { AgentDir, SlotModule } from '../discover/agent-dir.ts'
import { type Discovered, type FoundFiles, settleFiles } from '../discover/discover.ts'
import type { ModuleFact } from '../facts/facts.ts'
import { moduleName } from '../layout.ts'
import { type AgentPlan, planAgent, withHooks, withSkills, withWorkspace } from '../plan.ts'
import type { LoadFailure, LoadResult, ModuleLoader } from './module-loader.ts'

/** What loading gave: every agent that takes part, parents before their subagents, and what each module turned out to be. */
export interface LoadedTree {
  readonly plans: readonly AgentPlan[]
  readonly facts: ReadonlyMap<string, ModuleFact>
  readonly failures: readonly FailedModule[]
}

export interface FailedModule {
  readonly file: string
  readonly agentPath: readonly string[]
  readonly failure: LoadFailure
}

/**
 * Loads level by level, configs first: what a config overrides or ignores is never run. Modules that can't parse, or that import
 * one that can't, are not loaded; the syntax error says it all. Discovery ends while the first of them are loading: where that is in
 * another process, neither waits for the other.
 */
export async function loadTree(
  found: FoundFiles,
  loader: ModuleLoader,
): Promise<{ readonly discovered: Discovered; readonly loaded: LoadedTree }> {
  const facts = new Map<string, ModuleFact>()
  const failures: FailedModule[] = []
  const plans: AgentPlan[] = []
  const load = async (wanted: readonly Wanted[]): Promise<void> => {
    const fit = wanted.filter(({ module }) => parses(found, module.file))
    const results = await loader.load(fit.map(({ module: { file, slot } }) => ({ file, slot })))
    for (const [index, one] of fit.entries()) keep(results[index], one)
  }
  const keep = (result: LoadResult | undefined, { module: { file }, agentPath }: Wanted): void => {
    if (result?.ok) facts.set(file, result.fact)
    else if (result !== undefined) failures.push({ file, agentPath, failure: result.failure })
  }
  const shared = found.shared.map((module): Wanted => ({ module, agentPath: [] }))
  // The agents of an application that code made win over folders, which are not looked at then.
  const index = found.shared.find(({ slot }) => slot === 'index')
  const first = load(index === undefined ? [...shared, ...configsOf(found.agents)] : shared)
  const discovered = settleFiles(found)
  await first
  let level = discovered.agents
  if (index !== undefined) {
    const coded = codedKeys(facts.get(index.file))
    level = level.filter(({ key }) => !coded.has(key))
    await load(configsOf(level))
  }
  while (level.length > 0) {
    const planned = level.map((agent) => planAgent(agent, agent.config && facts.get(agent.config.file)))
    level = planned.flatMap(({ subagents }) => subagents)
    const modules = planned.flatMap(({ agent, modules }) =>
      modules.map((module): Wanted => ({ module, agentPath: agent.path })),
    )
    await load([...modules, ...configsOf(level)])
    const whole = planned.map((plan) => withHooks(plan, plan.agent.hooks && facts.get(plan.agent.hooks.file)))
    plans.push(...whole.map((plan) => withWorkspace(withSkills(plan, facts), facts)))
  }
  for (const { file, failure } of loader.strays()) failures.push({ file, agentPath: ownerOf(plans, file), failure })
  return { discovered, loaded: { plans, facts, failures } }
}

interface Wanted {
  readonly module: SlotModule
  /** Empty for the application's own. */
  readonly agentPath: readonly string[]
}

function codedKeys(fact: ModuleFact | undefined): ReadonlySet<string> {
  return new Set(fact?.kind === 'application' ? fact.agents.map(({ key }) => key) : [])
}

function configsOf(agents: readonly AgentDir[]): Wanted[] {
  return agents.flatMap((agent) =>
    agent.config === undefined ? [] : [{ module: agent.config, agentPath: agent.path }],
  )
}

function parses({ modules }: FoundFiles, file: string): boolean {
  for (const member of modules.closure([file])) {
    // Of what is no module only an agent.md is itself loaded; a text that a module reads is its own affair.
    if (moduleName(member) === undefined && member !== file) continue
    const read = modules.read(member)
    if (!read.ok || read.shape.errors.length > 0) return false
  }
  return true
}

/** The path of the agent that a file belongs to; empty for a helper outside every agent. */
function ownerOf(plans: readonly AgentPlan[], file: string): readonly string[] {
  const owners = plans.map(({ agent }) => agent).filter(({ dir }) => file.startsWith(`${dir}/`))
  return owners.sort((a, b) => b.dir.length - a.dir.length)[0]?.path ?? []
}
