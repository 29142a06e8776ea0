import type { ModuleSlot } from './layout.ts'

/**
 * What a project is made of once every source has had its say, as plain JSON: modules by their files, texts as they stand. It is all
 * that assembling needs, so a build writes it down and leaves discovery, loading and rules behind.
 */
export interface ProjectBlueprint {
  /** The top-level agents. */
  readonly agents: readonly AgentBlueprint[]
  /** The modules of what the agents share. */
  readonly shared: readonly SharedModule[]
}

/** A module of the application's own folder. */
export interface SharedModule {
  readonly slot: ModuleSlot
  readonly file: string
}

/** Files are relative to the project's root. */
export interface AgentBlueprint {
  /** The directory's name. */
  readonly key: string
  /** Directory names from the top-level agent down to this one. */
  readonly path: readonly string[]
  /** A module, or what the frontmatter of an `agent.md` says. Absent: it has no config. */
  readonly config?: { readonly file: string } | { readonly values: Readonly<Record<string, unknown>> }
  /** Absent: those of the config. */
  readonly instructions?: { readonly file: string } | { readonly text: string }
  /** In their order; without a file it is the config's. */
  readonly tools: readonly KeyedModule[]
  readonly skills: readonly SkillBlueprint[]
  readonly inputProcessors: readonly string[]
  readonly outputProcessors: readonly string[]
  readonly scorers: readonly (KeyedModule & { readonly file: string })[]
  readonly hooks?: string
  readonly memory?: string
  readonly workspace?: WorkspaceBlueprint
  /** Of top-level agents. */
  readonly schedules: readonly ScheduleBlueprint[]
  readonly subagents: readonly AgentBlueprint[]
}

/** Something under a key, and the module that makes it. */
export interface KeyedModule {
  readonly key: string
  readonly file?: string
}

/** A skill: a module, called as its file is where it says no other name, or the fields of a text. */
export type SkillBlueprint =
  | { readonly name: string; readonly file: string }
  | { readonly fields: Readonly<Record<string, unknown>> }

/** A schedule: a module, or the fields of a text. */
export type ScheduleBlueprint = { readonly key: string } & (
  | { readonly file: string }
  | { readonly fields: Readonly<Record<string, unknown>> }
)

/** Where an agent's workspace is, and what makes it. */
export interface WorkspaceBlueprint {
  /** The folder of its own, in which its files are unless `workspace.ts` gives another. */
  readonly home: string
  /** The folder of seeds. */
  readonly seeds?: string
  /** `workspace.ts`. */
  readonly module?: string
  /** The module exports a whole workspace. */
  readonly isMade: boolean
}

/** An agent and all below it. */
export function withSubagents(agent: AgentBlueprint): readonly AgentBlueprint[] {
  return [agent, ...agent.subagents.flatMap(withSubagents)]
}

/** The files of all modules that a project is made of, each once, in an order that its files alone decide. */
export function modulesOf({ agents, shared }: ProjectBlueprint): readonly string[] {
  const own = agents.flatMap(withSubagents).flatMap((agent) => {
    const { config, instructions, tools, skills, scorers, schedules, hooks, memory, workspace } = agent
    const fileOf = (part: object | undefined): string | undefined =>
      part !== undefined && 'file' in part ? (part.file as string | undefined) : undefined
    const keyed = [...tools, ...skills, ...scorers, ...schedules].map(fileOf)
    const { inputProcessors, outputProcessors } = agent
    const files = [fileOf(config), fileOf(instructions), ...keyed, ...inputProcessors, ...outputProcessors]
    return [...files, hooks, memory, workspace?.module].filter((file) => file !== undefined)
  })
  return [...new Set([...shared.map(({ file }) => file), ...own])]
}
