import { Retinue } from '@retinue/core'
import { type Agent, isAgent } from '@retinue/core/agent'
import type { AgentMemory, Logger } from '@retinue/core/memory'
import type { Storage } from '@retinue/core/storage'
import type { SharedModule } from './blueprint.ts'
import type { ModuleSlot } from './layout.ts'
import type { SlotValues } from './slot-values.ts'

/** What an application has where its folder says nothing. */
export interface ProjectDefaults {
  /** Makes the storage, if there is no `storage.ts`; else it is not called. Who makes one closes it. */
  storage?: () => Storage | Promise<Storage>
  /** What top-level agents without a memory of their own remember with, if there is no `memory.ts` beside `agents/`. */
  memory?: AgentMemory
  /** Where warnings of runs go, if there is no `logger.ts`. */
  logger?: Logger | false
}

/** What an application is made of. */
export interface ApplicationParts {
  readonly agents: Readonly<Record<string, Agent>>
  /** The modules of what the agents share. */
  readonly shared: readonly SharedModule[]
  readonly values: SlotValues
  readonly defaults: ProjectDefaults
}

export interface AssembledApplication {
  readonly app: Retinue
  /** What `server.ts` exports; undefined if there is none. */
  readonly server: Readonly<Record<string, unknown>> | undefined
  /** Waits for what memories do after runs, then closes the storage of `storage.ts`, or that of `index.ts`. */
  close(): Promise<void>
}

/**
 * Makes the application of agents and of what they share. Where code made one, its settings hold, its agents among them. Throws what
 * making the default storage throws.
 */
export async function assembleApplication(parts: ApplicationParts): Promise<AssembledApplication> {
  const { agents, shared, values, defaults } = parts
  const sharedValue = <S extends ModuleSlot>(slot: S): ReturnType<typeof values.of<S>> | undefined => {
    const file = shared.find((module) => module.slot === slot)?.file
    return file === undefined ? undefined : values.of(slot, file)
  }
  const coded = sharedValue('index')?.options
  const own = coded?.storage ?? sharedValue('storage')
  const storage = own ?? (await defaults.storage?.())
  const logger = coded?.logger ?? sharedValue('logger') ?? defaults.logger
  const ownMemory = coded?.memory ?? sharedValue('memory')
  const memory = ownMemory ?? defaults.memory
  const all: Record<string, Agent> = Object.assign(Object.create(null), agents, coded?.agents)
  const backgroundTasks = coded?.backgroundTasks ?? sharedValue('backgroundTasks')
  const app: Retinue = new Retinue({
    ...coded,
    agents: all,
    ...(storage === undefined ? {} : { storage }),
    ...(memory === undefined ? {} : { memory }),
    ...(logger === undefined ? {} : { logger }),
    ...(backgroundTasks === undefined ? {} : { backgroundTasks }),
  })
  const memories = [...Object.values(all).flatMap(memoriesOf), ...(ownMemory === undefined ? [] : [ownMemory])]
  return { app, server: sharedValue('server'), close: () => closeAll(memories, own) }
}

/** A memory that may do something after a run, while nobody waits for it; that of `@retinue/memory` does. */
type SettlingMemory = AgentMemory & { settled?(): Promise<void> }

async function closeAll(memories: readonly SettlingMemory[], storage: Storage | undefined): Promise<void> {
  const settling = memories.map((memory) => memory.settled?.())
  // What a memory could not do it has told itself: it keeps no storage open.
  await Promise.allSettled(settling)
  await storage?.close()
}

/** The memories of an agent and of those that it delegates to. Those that a function gives only runs know. */
function memoriesOf(agent: unknown): readonly SettlingMemory[] {
  if (!isAgent(agent)) return []
  const { memory, agents } = agent.options
  const below = typeof agents === 'object' ? Object.values(agents).flatMap(memoriesOf) : []
  return typeof memory === 'object' ? [memory, ...below] : below
}
