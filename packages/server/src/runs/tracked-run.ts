import type { FinishReason, RunResult, RunStream } from '@retinue/core/agent'
import type { LogWriter } from './log-writer.ts'
import { RunLog } from './run-log.ts'

/** Whose a run is, and where it belongs. */
export interface RunPlace {
  /** The root agent's id. */
  readonly agentId: string
  readonly threadId?: string | undefined
  readonly resourceId?: string | undefined
  /** It is a background task that was gone on with: it needs no reader, and is nobody's current run. */
  readonly isTask?: boolean
}

/** A run that this process works on, or worked on a while ago. */
export class TrackedRun implements RunPlace {
  readonly runId: string
  readonly agentId: string
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
  readonly isTask: boolean
  readonly createdAt: number
  updatedAt: number
  readonly log: RunLog = new RunLog()
  /** The last result; undefined before there is one. */
  result: RunResult | undefined
  /** What the last leg of it comes to. It does not reject. */
  leg: Promise<RunResult> | undefined
  /** While this process works on it. */
  stream: RunStream | undefined
  /** Writes its events into the storage, where it is kept there. */
  writer: LogWriter | undefined
  /** Readers that have not left. */
  readers = 0
  /** Ends it when nobody has read it for too long. */
  detachTimer: ReturnType<typeof setTimeout> | undefined

  constructor(runId: string, { agentId, threadId, resourceId, isTask = false }: RunPlace, at: number) {
    this.runId = runId
    this.agentId = agentId
    this.threadId = threadId
    this.resourceId = resourceId
    this.isTask = isTask
    this.createdAt = at
    this.updatedAt = at
  }

  get status(): 'running' | 'suspended' | 'ended' {
    if (this.stream) return 'running'
    return this.finishReason === 'suspended' ? 'suspended' : 'ended'
  }

  get finishReason(): FinishReason | undefined {
    return this.stream ? undefined : this.result?.finishReason
  }
}
