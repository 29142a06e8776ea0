import { warn } from '../shared/warn.ts'
import type { Storage } from '../storage/storage.ts'
import type { AgentMemory } from './agent-memory.ts'

/** What the agents of an application share, as a run knows it. Empty where an agent is used by itself. */
export interface Application {
  readonly storage?: Storage | undefined
  /** Of agents that the application holds and that have none of their own; not of their subagents. */
  readonly memory?: AgentMemory | undefined
  /** Runs survive a crash, where neither the call nor the agent says otherwise. */
  readonly durable?: boolean | undefined
  /** Background tasks, where they are turned on. */
  readonly background?: ApplicationTasks | undefined
  /** Where runs are kept in this process, where there is no storage; made with the first that has to be. */
  readonly inProcess?: { storage: Storage | undefined } | undefined
  /** Where warnings go; `false`: nowhere. */
  readonly logger?: Logger | false | undefined
}

/** How an application's calls are run in the background; see `RetinueOptions.backgroundTasks`. */
export interface BackgroundTaskOptions {
  /** Default: false, and every call is run in the foreground. */
  readonly enabled?: boolean
  /** How many tasks work at the same time in this process. Those that wait, for a person or for others, do not count. Default: 10. */
  readonly globalConcurrency?: number
  /**
   * How many tasks of one agent work at the same time: of a delegation the subagent's, of a tool those of the agent that called it.
   * Default: 5.
   */
  readonly perAgentConcurrency?: number
  /**
   * What becomes of a call when there is no room: it waits for its turn (`queue`), its model reads that it was not started (`reject`), or
   * it is run in the foreground (`run`). Default: `queue`.
   */
  readonly onLimit?: 'queue' | 'reject' | 'run'
}

/** Background tasks of an application: how they are bounded, and what runs them, made when the first run begins. */
export interface ApplicationTasks {
  readonly options: BackgroundTaskOptions
  /** The agent of the application with an id; undefined if there is none. */
  readonly agentOf: (id: string) => object | undefined
  manager: Promise<object> | undefined
}

/** Where an application wants its warnings. `console` is one. */
export interface Logger {
  warn(message: string, ...details: unknown[]): void
}

/** Tells an application of something that is not wrong enough to stop a run. */
export function warnIn({ logger }: Application, code: string, message: string): void {
  if (logger === undefined) warn(code, message)
  else if (logger) logger.warn(`[${code}] ${message}`)
}
