import type { SlotModule } from './discover/agent-dir.ts'
import type { Application } from './discover/application.ts'
import { findFiles } from './discover/discover.ts'
import type { ModuleIndex } from './discover/module-index.ts'
import type { DetailedFinding } from './findings/finding.ts'
import { loadTree } from './load/load-tree.ts'
import type { ModuleLoader } from './load/module-loader.ts'
import type { AgentPlan } from './plan.ts'
import type { SourceTree } from './tree/source-tree.ts'
import { validate } from './validate.ts'

export { followedFiles } from './followed-files.ts'
export { DiskTree } from './tree/disk-tree.ts'
export { describeTree } from './tree-description.ts'

/** All that is found out about a project before agents are made of it. */
export interface Examination {
  readonly application: Application
  readonly plans: readonly AgentPlan[]
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
  return { application, plans: loaded.plans, shared, findings, modules }
}
