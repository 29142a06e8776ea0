import type { SlotModule } from './discover/agent-dir.ts'
import type { Application } from './discover/application.ts'
import { findFiles } from './discover/discover.ts'
import type { ModuleIndex } from './discover/module-index.ts'
import type { AgentEntryFact } from './facts/facts.ts'
import { countFindings, type DetailedFinding } from './findings/finding.ts'
import { loadTree } from './load/load-tree.ts'
import type { ModuleLoader } from './load/module-loader.ts'
import type { AgentPlan } from './plan.ts'
import { applicationAgents } from './rules/application-agents.ts'
import type { SourceTree } from './tree/source-tree.ts'
import { countAgents, describeTree, type TreeDescription } from './tree-description.ts'
import { validate } from './validate.ts'

export { followedFiles } from './followed-files.ts'
export { DiskTree } from './tree/disk-tree.ts'

/** All that is found out about a project before agents are made of it. */
export interface Examination {
  readonly application: Application
  readonly plans: readonly AgentPlan[]
  /** The agents of the application that an `index.ts` exports. */
  readonly coded: readonly AgentEntryFact[]
  /** The modules of what the application's agents share. */
  readonly shared: readonly SlotModule[]
  readonly findings: readonly DetailedFinding[]
  /** The modules that were read, helpers of the agents among them. */
  readonly modules: ModuleIndex
}

/** Discover, load, validate: the way that `check`, `tree` and `loadProject` share. They differ in the loader. */
export async function examine(tree: SourceTree, loader: ModuleLoader, dir?: string): Promise<Examination> {
  const { discovered, loaded } = await loadTree(findFiles(tree, dir), loader)
  const findings = validate(discovered, loaded)
  const { application, shared, modules } = discovered
  const { entries: coded } = applicationAgents({ discovered, loaded })
  return { application, plans: loaded.plans, coded, shared, findings, modules }
}

export interface CheckResult {
  /** All findings, sorted by file, line, column and code. */
  readonly findings: readonly DetailedFinding[]
  readonly errors: number
  readonly warnings: number
  /** How many agents there are, subagents and those made by code among them. */
  readonly agents: number
  /** The agents as far as they could be read, whether there are findings or not. */
  readonly tree: TreeDescription
}

/** What is told of an examination. */
export function resultOf({ plans, coded, findings }: Examination): CheckResult {
  const tree = describeTree(plans, coded)
  return { findings, ...countFindings(findings), agents: countAgents(tree.agents), tree }
}
