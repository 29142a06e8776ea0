import type { Retinue } from '@retinue/core'
import type { Schedule } from '@retinue/core/schedules'
import { assemble } from './assemble.ts'
import { assembleApplication, type ProjectDefaults } from './assemble-application.ts'
import type { AgentBlueprint, ProjectBlueprint } from './blueprint.ts'
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

/** A schedule, and the agent that it is one of. */
export interface OwnedSchedule {
  /** The key of the agent in the application. */
  readonly agent: string
  readonly key: string
  readonly schedule: Schedule
}

export interface AssembledProject {
  readonly app: Retinue
  /** What its agents do by themselves, in the order of their folders. */
  readonly schedules: readonly OwnedSchedule[]
  /** What `server.ts` exports; undefined if there is none. */
  readonly server: Readonly<Record<string, unknown>> | undefined
  /** Waits for what memories do after runs, then closes the storage of `storage.ts`. */
  close(): Promise<void>
}

/** Makes a project of its blueprint and of what its modules export: the last step of loading, and the first of a build that starts. */
export async function assembleProject(parts: ProjectParts): Promise<AssembledProject> {
  const { blueprint, root, sources, defaults } = parts
  const values = new SlotValues(parts.values)
  const agents = assemble(blueprint.agents, { root, sources, values })
  const application = await assembleApplication({ agents, shared: blueprint.shared, values, defaults })
  return { ...application, schedules: blueprint.agents.flatMap((agent) => schedulesOf(agent, values)) }
}

function schedulesOf({ key: agent, schedules }: AgentBlueprint, values: SlotValues): OwnedSchedule[] {
  return schedules.map((found) => {
    // What of a text is no schedule is an error of `check`.
    const schedule = 'file' in found ? values.of('schedule', found.file) : (found.fields as unknown as Schedule)
    return { agent, key: found.key, schedule }
  })
}
