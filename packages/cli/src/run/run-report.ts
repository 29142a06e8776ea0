import type { Chunk, ModelUse, PendingToolCall, RunResult, Usage } from '@retinue/core/agent'
import { isEnvelope, isPlaceholder } from './envelope.ts'
import { isTaskChunk, type TaskChunk } from './task-text.ts'

/** What `retinue run --json` prints, and a decision of `retinue approvals`. */
export interface RunReport {
  runId: string
  agent: string
  /** Left out where the run was begun by another command. */
  request?: string
  finishReason: string
  text: string
  object?: unknown
  error?: { code: string; message: string; hint?: string }
  /** What it waits for, where it is suspended. */
  pendingCalls?: readonly PendingToolCall[]
  usage: Usage
  totalUsage: Usage
  /** Which model answered for each agent that ran. */
  models: ({ path: readonly string[] } & ModelUse)[]
  /** The agent's own tool calls, without its delegations. */
  toolCalls: ToolCallReport[]
  delegations: DelegationReport[]
  /** What went on in the background; a delegation that did stands in `delegations`, too. Left out where nothing did. */
  tasks?: TaskReport[]
}

export interface TaskReport {
  taskId: string
  /** The path of the agent that made the call. */
  path: readonly string[]
  toolName: string
  /** `started` until it works; else its last state. */
  status: string
  error?: { code: string; message: string }
}

export interface ToolCallReport {
  toolName: string
  args: unknown
  result?: unknown
  error?: unknown
  /** Why a person declined it. */
  declined?: string
}

export interface DelegationReport {
  /** The path of the child's run. */
  path: readonly string[]
  prompt: string
  status: string
  /** What it cost, with everything below it; absent while it runs. */
  usage?: Usage
  toolCalls: ToolCallReport[]
}

/** Collects, from a run's events, what its report tells beside the result. */
export class ReportCollector {
  readonly #models = new Map<string, { path: readonly string[] } & ModelUse>()
  readonly #delegations = new Map<string, DelegationReport>()
  readonly #own: ToolCallReport[] = []
  readonly #tasks = new Map<string, TaskReport>()

  add(chunk: Chunk): void {
    if (isTaskChunk(chunk)) this.#addTask(chunk)
    else this.#addCall(chunk)
  }

  #addCall(chunk: Chunk): void {
    switch (chunk.type) {
      case 'step-start':
        this.#models.set(chunk.path.join('/'), { path: chunk.path, ...chunk.payload.model })
        return
      case 'delegation-start': {
        const { runId, key, prompt } = chunk.payload
        // One that goes on has begun before.
        if (this.#delegations.has(runId)) return
        const path = [...chunk.path, key]
        this.#delegations.set(runId, { path, prompt, status: 'running', toolCalls: [] })
        return
      }
      case 'delegation-end': {
        const delegation = this.#delegations.get(chunk.payload.runId)
        if (delegation) Object.assign(delegation, { status: chunk.payload.status, usage: chunk.payload.usage })
        return
      }
      case 'tool-result': {
        const { toolName, args, result } = chunk.payload
        if (!isEnvelope(result) && !isPlaceholder(result)) this.#callsOf(chunk)?.push({ toolName, args, result })
        return
      }
      case 'tool-error': {
        const { toolName, args, error } = chunk.payload
        this.#callsOf(chunk)?.push({ toolName, args, error })
        return
      }
      case 'tool-output-denied': {
        const { toolName, args, reason = '' } = chunk.payload
        this.#callsOf(chunk)?.push({ toolName, args, declined: reason })
        return
      }
      default:
        return
    }
  }

  #addTask({ type, path, payload }: TaskChunk): void {
    const { taskId, toolName } = payload
    const error = 'error' in payload ? { error: { code: payload.error.code, message: payload.error.message } } : {}
    const status = type.slice('background-task-'.length)
    this.#tasks.set(taskId, { taskId, path, toolName, status, ...error })
  }

  #callsOf({ runId, path }: Chunk): ToolCallReport[] | undefined {
    return path.length === 1 ? this.#own : this.#delegations.get(runId)?.toolCalls
  }

  report(agent: string, request: string | undefined, result: RunResult): RunReport {
    const { runId, finishReason, text, object, error, pendingCalls, usage, totalUsage } = result
    return {
      runId,
      agent,
      ...(request === undefined ? {} : { request }),
      finishReason,
      text,
      ...(object === undefined ? {} : { object }),
      ...(error ? { error: error.toJSON() } : {}),
      ...(pendingCalls ? { pendingCalls } : {}),
      usage,
      totalUsage,
      models: [...this.#models.values()],
      toolCalls: this.#own,
      delegations: [...this.#delegations.values()],
      ...(this.#tasks.size === 0 ? {} : { tasks: [...this.#tasks.values()] }),
    }
  }
}
