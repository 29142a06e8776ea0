import type { Retinue } from '@retinue/core'
import { assemble } from './assemble.ts'
import { assembleApplication, type ProjectDefaults } from './assemble-application.ts'
import type { ProjectBlueprint } from './blueprint.ts'
import { SlotValues } from './slot-values.ts'

export interface ProjectParts {
  readonly blueprint: ProjectBlueprint
  /** What modules export as their defaults, by file. */
  readonly values: ReadonlyMap<string, unknown>
  /** Where workspaces are, and what the paths in `workspace.ts` are relative to: a real path. */
  readonly root: string
  /** Where the files of the sources are, seeds among them. */
  readonly sources: string
  readonly defaults: ProjectDefaults
}

export interface AssembledProject {
  readonly app: Retinue
  /** Waits for what memories do after runs, then closes the storage of `storage.ts`. */
  close(): Promise<void>
}

/** Makes a project of its blueprint and of what its modules export: the last step of loading, and the first of a build that starts. */
export async function assembleProject(parts: ProjectParts): Promise<AssembledProject> {
  const { blueprint, root, sources, defaults } = parts
  const values = new SlotValues(parts.values)
  const agents = assemble(blueprint.agents, { root, sources, values })
  return assembleApplication({ agents, shared: blueprint.shared, values, defaults })
}
