/**
 * What rules need to know of the values that modules export, as plain JSON: it is the same whether a value was loaded in this
 * process or in another, so both give the same findings.
 */

import type { SettingsProblem } from '../workspace/settings-problems.ts'

/** What a value is, in the words of a finding: `list`, `promise`, `null`, `agent`, `tool`, else what `typeof` says. */
export type ValueKind = string

/** A field that should be text. */
export type TextFact =
  | { readonly form: 'absent' }
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'wrong'; readonly kind: ValueKind }

export interface ModelFact {
  readonly form: 'absent' | 'given' | 'wrong'
  /** `provider/model`, or what is known before the agent runs. */
  readonly label: string
  readonly kind: ValueKind
  /** The names among it, as written, that are no `provider/model`. */
  readonly malformed: readonly string[]
  /** The known providers among it. */
  readonly providers: readonly KnownProvider[]
  /** The providers among it that are not known by themselves: an application may have registered them. */
  readonly strangers: readonly StrangeProvider[]
}

export interface KnownProvider {
  readonly name: string
  /** What must be installed for its models, if anything must. */
  readonly package: string | undefined
}

export interface StrangeProvider {
  readonly name: string
  /** All known providers. */
  readonly known: readonly string[]
}

export interface InstructionsFact {
  readonly form: 'absent' | 'text' | 'message' | 'list' | 'function' | 'wrong'
  /** Nothing but white space in it. */
  readonly blank: boolean
  readonly kind: ValueKind
  /** What they say, where that is known before the agent runs. */
  readonly text?: string
}

/** A map of tools or agents. A function is called when the agent runs, so its entries are not known. */
export interface MapFact<Entry> {
  readonly form: 'absent' | 'map' | 'function' | 'wrong'
  readonly kind: ValueKind
  readonly entries: readonly Entry[]
}

/** Why core takes an agent or a tool not. */
export interface Refusal {
  readonly message: string
  readonly hint: string | undefined
  /** The option that is to blame, if one is. */
  readonly option: string | undefined
  /** The way to the part of that option, where it is one of several. */
  readonly members?: readonly string[]
  /** What one entry of the option must be, where core says so. */
  readonly entry?: string
}

export interface ToolEntryFact {
  readonly key: string
  readonly valid: boolean
  readonly kind: ValueKind
  readonly refused: Refusal | undefined
}

export interface AgentEntryFact {
  readonly key: string
  readonly kind: ValueKind
  readonly agent: AgentFact | undefined
}

/** An agent that code made. */
export interface AgentFact {
  /** The same for the same agent, also in what is told of other modules. */
  readonly identity: string
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly model: ModelFact
  /** Keys of its tools. `undefined` if only running it tells. */
  readonly tools: readonly string[] | undefined
  /** Empty, too, where what is told of the module tells them at another place of this agent, which is no deeper. */
  readonly agents: readonly AgentEntryFact[]
}

export interface ConfigFact {
  readonly id: TextFact
  readonly name: TextFact
  readonly description: TextFact
  readonly model: ModelFact
  readonly instructions: InstructionsFact
  readonly tools: MapFact<ToolEntryFact>
  readonly agents: MapFact<AgentEntryFact>
  /** `off`: the config has the key, with no value. */
  readonly workspace: { readonly form: 'absent' | 'off' | 'given'; readonly tools: readonly string[] }
  /** `off`: as for the workspace. */
  readonly memory: 'absent' | 'off' | 'given'
  readonly skills: SkillsFact
  /** Keys of its scorers. */
  readonly scorers: readonly string[]
  /** The delegation options that it sets for its runs. What a function of options sets, only running it tells. */
  readonly delegation: readonly string[]
  /** Names of the providers that it registers for its runs. */
  readonly providers: readonly string[]
  readonly reach: ReachFact
  readonly background: BackgroundFact
  /** What core said of the other options. */
  readonly refusals: readonly Refusal[]
}

/** What a config says of background tasks. */
export interface BackgroundFact {
  /** The names of tools and subagents of which it says how they are run there. */
  readonly named: readonly string[]
  /** Those among them that are run there. */
  readonly turnedOn: readonly string[]
  /** A call may bring tools of which no file tells. */
  readonly mayBringTools: boolean
}

/** The options that decide which subagents the agent's model can call. */
export interface ReachFact {
  /** The names of the only tools that the model sees. Absent: all. */
  readonly activeTools?: readonly string[]
  /** The model may call no tool, or must call the named one. Absent: it chooses. */
  readonly toolChoice?: 'none' | { readonly tool: string }
  /** A function chooses anew before each model call. */
  readonly isPrepared: boolean
  /** How many levels of delegation the whole tree of runs below this agent may have. */
  readonly maxDepth?: number
}

/** The skills of a config. Those that a function gives are not known. */
export interface SkillsFact {
  readonly form: 'absent' | 'given' | 'function'
  readonly names: readonly string[]
}

/** A field of a skill that core does not take. */
export type FieldRefusal =
  /** `wanted`: what it must be, in words. */
  | { readonly field: string; readonly state: 'missing' | 'blank' | 'wrong'; readonly wanted: string }
  /** `known`: the fields that a skill can have. */
  | { readonly field: string; readonly state: 'unknown'; readonly known: readonly string[] }

/** A member of what `hooks.ts` exports. */
export interface HookFact {
  readonly name: string
  readonly kind: ValueKind
  /** The value, if it is text. */
  readonly text: string | undefined
}

/** A field of a schedule that can't be what it is. `message` goes on from "the schedule". */
export interface ScheduleProblem {
  readonly field: string
  readonly message: string
  readonly fix: string
}

/** What a module exports. */
export type ModuleFact =
  | { readonly kind: 'config'; readonly config: ConfigFact }
  | { readonly kind: 'agent'; readonly agent: AgentFact }
  | { readonly kind: 'tool'; readonly refused: Refusal | undefined }
  | { readonly kind: 'instructions'; readonly instructions: InstructionsFact }
  /** `named`: exports that have the name of a hook and are no members of the default export. */
  | { readonly kind: 'hooks'; readonly members: readonly HookFact[]; readonly named: readonly string[] }
  | { readonly kind: 'skill'; readonly name: string; readonly refusals: readonly FieldRefusal[] }
  /** `methods`: those that a list of processors could call. `strays`: others that are called as if they were some. */
  | {
      readonly kind: 'processor'
      readonly id: string | undefined
      readonly isPlain: boolean
      readonly methods: readonly string[]
      readonly strays: readonly string[]
    }
  | { readonly kind: 'schedule'; readonly problems: readonly ScheduleProblem[] }
  /** `settings`: what it is made of beside its agents, by the names of the options. */
  | { readonly kind: 'application'; readonly agents: readonly AgentEntryFact[]; readonly settings: readonly string[] }
  | { readonly kind: 'scorer'; readonly refused: Refusal | undefined }
  /** `isMade`: it exports a whole workspace; else settings. `tools`: their names, where nothing is wrong. */
  | {
      readonly kind: 'workspace'
      readonly isMade: boolean
      readonly tools: readonly string[]
      readonly root: string | undefined
      readonly readOnly: boolean
      readonly problems: readonly SettingsProblem[]
    }
  /** `enabled`: undefined where it does not say. */
  | {
      readonly kind: 'background-tasks'
      readonly enabled: boolean | undefined
      readonly refusals: readonly Refusal[]
    }
  /** An object that could be one, with what it lacks to be one. */
  | { readonly kind: 'memory' | 'storage' | 'logger'; readonly missing: readonly string[] }
  /** Settings of a server. `unknown`: those that no server has. `problems`: of the values of the others. */
  | {
      readonly kind: 'server'
      readonly unknown: readonly string[]
      readonly known: readonly string[]
      readonly problems: readonly SettingsProblem[]
    }
  /** Not what the slot takes. `exported` names what the module exports instead, if there is no default. */
  | { readonly kind: 'invalid'; readonly found: ValueKind; readonly exported: readonly string[] }
