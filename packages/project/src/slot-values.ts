import type { Retinue } from '@retinue/core'
import type { Agent, AgentConfig, AgentOptions, DelegationOptions, Scorers } from '@retinue/core/agent'
import type { AgentMemory, BackgroundTaskOptions, Logger } from '@retinue/core/memory'
import type { Processor } from '@retinue/core/processors'
import type { Schedule } from '@retinue/core/schedules'
import type { Skill } from '@retinue/core/skills'
import type { Storage } from '@retinue/core/storage'
import type { Tool } from '@retinue/core/tools'
import type { Workspace, WorkspaceSettings } from '@retinue/core/workspace'
import type { ModuleSlot } from './layout.ts'

/** What a module in a slot exports as its default. */
interface SlotValue {
  config: Agent | AgentConfig
  frontmatter: AgentConfig
  instructions: NonNullable<AgentOptions['instructions']>
  tool: Tool
  hooks: DelegationOptions
  workspace: Workspace | WorkspaceSettings
  memory: AgentMemory
  storage: Storage
  logger: Logger | false
  backgroundTasks: BackgroundTaskOptions
  server: Readonly<Record<string, unknown>>
  /** The file's name is its name, where it says no other. */
  skill: Omit<Skill, 'name'> & Partial<Pick<Skill, 'name'>>
  'input-processor': Processor
  'output-processor': Processor
  scorer: Scorers[string]
  schedule: Schedule
  index: Retinue
}

/** The values that modules export as their defaults, by file. */
export class SlotValues {
  readonly #values: ReadonlyMap<string, unknown>

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values
  }

  /**
   * The value of the module in a file; of the slot, only its type counts. That the value is what the slot takes, the rules have seen:
   * nothing is assembled where there are errors.
   */
  of<S extends ModuleSlot>(_slot: S, file: string): SlotValue[S] {
    return this.#values.get(file) as SlotValue[S]
  }
}
