import type { Chunk, ModelUse, RunResult, Usage } from '@retinue/core/agent'

/** What `retinue run --json` prints. */
export interface RunReport {
  runId: string
  agent: string
  request: string
  finishReason: string
  text: string
  object?: unknown
  error?: { code: string; message: string; hint?: string }
  usage: Usage
  totalUsage: Usage
  /** Which model answered for each agent that ran. */
  models: ({ path: readonly string[] } & ModelUse)[]
  delegations: DelegationReport[]
}

export interface DelegationReport {
  /** The path of the child's run. */
  path: readonly string[]
  prompt: string
  status: string
  /** What it cost, with everything below it; absent while it runs. */
  usage?: Usage
  toolCalls: { toolName: string; args: unknown; result?: unknown; error?: unknown }[]
}

/** Collects, from a run's events, what its report tells beside the result. */
export class ReportCollector {
  readonly #models = new Map<string, { path: readonly string[] } & ModelUse>()
  readonly #delegations = new Map<string, DelegationReport>()

  add(chunk: Chunk): void {
    switch (chunk.type) {
      case 'step-start':
        this.#models.set(chunk.path.join('/'), { path: chunk.path, ...chunk.payload.model })
        return
      case 'delegation-start': {
        const { runId, key, prompt } = chunk.payload
        this.#delegations.set(runId, {
          path: [...chunk.path, key],
          prompt,
          status: 'running',
          toolCalls: [],
        })
        return
      }
      case 'delegation-end': {
        const delegation = this.#delegations.get(chunk.payload.runId)
        if (delegation) Object.assign(delegation, { status: chunk.payload.status, usage: chunk.payload.usage })
        return
      }
      case 'tool-result':
        this.#delegations
          .get(chunk.runId)
          ?.toolCalls.push({ toolName: chunk.payload.toolName, args: chunk.payload.args, result: chunk.payload.result })
        return
      case 'tool-error':
        this.#delegations
          .get(chunk.runId)
          ?.toolCalls.push({ toolName: chunk.payload.toolName, args: chunk.payload.args, error: chunk.payload.error })
        return
      default:
        return
    }
  }

  report(agent: string, request: string, result: RunResult): RunReport {
    const { runId, finishReason, text, object, error, usage, totalUsage } = result
    return {
      runId,
      agent,
      request,
      finishReason,
      text,
      ...(object === undefined ? {} : { object }),
      ...(error ? { error: error.toJSON() } : {}),
      usage,
      totalUsage,
      models: [...this.#models.values()],
      delegations: [...this.#delegations.values()],
    }
  }
}
