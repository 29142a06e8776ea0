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
  /** Where warnings go; `false`: nowhere. */
  readonly logger?: Logger | false | undefined
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
