import type { ModuleSlot } from '../layout.ts'
import type { Unread } from '../tree/read-text.ts'
import type { Frontmatter } from './frontmatter.ts'

/** A module that stands in a slot. */
export interface SlotModule {
  readonly slot: ModuleSlot
  /** The file's name without its extension: the key of a tool. */
  readonly key: string
  readonly file: string
}

/** `instructions.md` as it will be used: without byte order mark, with `\n`. */
export interface MarkdownFile {
  readonly file: string
  readonly text: string | undefined
  readonly unread?: Unread
}

/** `agent.md`: its frontmatter is a config, its body instructions. Both stand below the files of their own. */
export interface AgentFile {
  readonly file: string
  readonly hasFrontmatter: boolean
  readonly body: string
  /** Where the body begins, from 1. */
  readonly bodyLine: number
  /** Why it could not be read. */
  readonly unread?: Unread
}

/** A skill that is written as text: `skills/<name>/SKILL.md`, or `skills/<name>.md`. */
export interface SkillFile {
  /** The name of its folder, or of the file without `.md`: its name, if the frontmatter gives no other. */
  readonly key: string
  readonly file: string
  /** The folder that is the skill's own; undefined for a flat file. */
  readonly folder: string | undefined
  readonly head: Frontmatter
  readonly body: string
  /** The skill as core takes it, as far as it is written. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What else there is to read, by path from the skill's folder. */
  readonly references: readonly SkillReference[]
  /** Why it could not be read. */
  readonly unread?: Unread
}

/** A text file in the folder of a skill. */
export interface SkillReference extends MarkdownFile {
  readonly path: string
}

/** A schedule: a module, or a Markdown file, whose frontmatter says when, and whose text is the prompt. */
export interface ScheduleFile {
  /** `daily`, or `reports/daily` for one in a folder. */
  readonly key: string
  readonly file: string
  /** What a Markdown file says; undefined for a module. */
  readonly text: ScheduleText | undefined
}

export interface ScheduleText {
  readonly head: Frontmatter
  /** The schedule as core takes it, as far as it is written. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Why it could not be read. */
  readonly unread?: Unread
}

/** A directory that is an agent, as its files stand. Nothing of it was run. */
export interface AgentDir {
  readonly key: string
  readonly dir: string
  /** Directory names from the top-level agent down to this one. */
  readonly path: readonly string[]
  /** The config module, else `agent.md`. */
  readonly config: SlotModule | undefined
  readonly instructions: SlotModule | undefined
  readonly markdown: MarkdownFile | undefined
  readonly agentFile: AgentFile | undefined
  readonly tools: readonly SlotModule[]
  readonly skills: readonly SkillFile[]
  /** Skills that are modules; what they are called, only loading them tells. */
  readonly skillModules: readonly SlotModule[]
  /** In the order in which they are called: that of their names. */
  readonly inputProcessors: readonly SlotModule[]
  readonly outputProcessors: readonly SlotModule[]
  readonly scorers: readonly SlotModule[]
  /** The module of delegation hooks. */
  readonly hooks: SlotModule | undefined
  /** What it does by itself at certain times; only for top-level agents. */
  readonly schedules: readonly ScheduleFile[]
  /** The folder of schedules, where it is one of a subagent: nothing in it runs. */
  readonly ignoredSchedules: string | undefined
  /** The folder of seeds: what the agent's workspace holds at first. */
  readonly workspace: string | undefined
  /** The module of the workspace's settings. */
  readonly workspaceModule: SlotModule | undefined
  /** The module of what the agent remembers with. */
  readonly memory: SlotModule | undefined
  readonly subagents: readonly AgentDir[]
  /** The folders and files of the slots that are there, by name, for whoever must say that they are not read. */
  readonly slots: readonly string[]
  /** What discovery saw here and could not use. */
  readonly notes: readonly Note[]
}

/** Something that is there and is not read. Rules turn notes into findings; none is dropped. */
export type Note =
  /** An entry that means nothing here; `meant` is the slot that it nearly is. */
  | {
      readonly kind: 'ignored'
      readonly path: string
      readonly what: string
      readonly because: string
      readonly fix: string
      readonly meant?: string
    }
  /** A slot of the convention that this version does not read. */
  | { readonly kind: 'unsupported'; readonly path: string; readonly slot: string }
  /** Two modules of one name: the loser is not read. */
  | { readonly kind: 'shadowed'; readonly slot: ModuleSlot; readonly loser: string; readonly winner: string }
  /** Two tools of one key. */
  | { readonly kind: 'same-tool'; readonly key: string; readonly files: readonly [string, string] }
  /** A `subagents/` folder below the deepest level. */
  | { readonly kind: 'too-deep'; readonly path: string; readonly names: readonly string[] }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }

/** The file that stands for an agent where nothing better is known: what a person opens first. */
export function mainFile(agent: AgentDir): string {
  return agent.config?.file ?? agent.markdown?.file ?? agent.instructions?.file ?? agent.dir
}

export function isTopLevel({ path }: AgentDir): boolean {
  return path.length === 1
}

/** Whether it is `agent.md` that says what the agent is. */
export function isConfiguredByAgentFile({ config }: AgentDir): boolean {
  return config?.slot === 'frontmatter'
}

/** All modules in slots of an agent. */
export function slotModules(agent: AgentDir): SlotModule[] {
  const { config, instructions, hooks, workspaceModule, memory } = agent
  const one = [config, instructions, hooks, workspaceModule, memory].filter((module) => module !== undefined)
  return [...one, ...agent.tools, ...addedModules(agent), ...scheduleModules(agent)]
}

/** The modules of skills, processors and scorers. */
export function addedModules({
  skillModules,
  inputProcessors,
  outputProcessors,
  scorers,
}: AgentDir): readonly SlotModule[] {
  return [...skillModules, ...inputProcessors, ...outputProcessors, ...scorers]
}

/** The modules of schedules. */
export function scheduleModules({ schedules }: AgentDir): readonly SlotModule[] {
  return schedules.flatMap(({ key, file, text }) => (text === undefined ? [{ slot: 'schedule', key, file }] : []))
}
