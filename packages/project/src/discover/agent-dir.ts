import type { ModuleSlot } from '../layout.ts'

/** A module that stands in a slot. */
export interface SlotModule {
  readonly slot: ModuleSlot
  /** The file's name without its extension: the key of a tool. */
  readonly key: string
  readonly file: string
}

/** `instructions.md` as it will be used: without byte order mark, with `\n`. `reason` says why it could not be read. */
export interface MarkdownFile {
  readonly file: string
  readonly text: string | undefined
  readonly reason?: string
}

/** `agent.md`: its frontmatter is a config, its body instructions. Both stand below the files of their own. */
export interface AgentFile {
  readonly file: string
  readonly hasFrontmatter: boolean
  readonly body: string
  /** Where the body begins, from 1. */
  readonly bodyLine: number
  /** Why it could not be read. */
  readonly reason?: string
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
  /** The module of delegation hooks. */
  readonly hooks: SlotModule | undefined
  /** The folder whose files the agent may read, if it has one. */
  readonly workspace: string | undefined
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

/** Whether it is `agent.md` that says what the agent is. */
export function isConfiguredByAgentFile({ config }: AgentDir): boolean {
  return config?.slot === 'frontmatter'
}

/** All modules in slots of an agent. */
export function slotModules(agent: AgentDir): SlotModule[] {
  return [agent.config, agent.instructions, agent.hooks, ...agent.tools].filter((module) => module !== undefined)
}
