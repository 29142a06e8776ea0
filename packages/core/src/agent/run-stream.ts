import type { PendingToolCall } from '../approvals/question.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { Chunk } from '../events/chunk.ts'
import type { CompletionCheck } from '../events/completion-check.ts'
import type { EventLog } from '../events/event-log.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import { nest } from '../events/nest.ts'
import { partialObjects } from '../events/partial-objects.ts'
import { ReplayStream } from '../events/replay-stream.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import { type UiResponseOptions, uiMessageResponse } from '../events/ui-message-response.ts'
import type { Usage } from '../events/usage.ts'
import type { Run } from '../loop/run.ts'
import type { Step } from '../loop/run-state.ts'
import type { LiveScore } from '../scorers/live-score.ts'
import type { RunResponse, RunResult } from './run-result.ts'

/**
 * A run in progress. It goes on whether or not anybody reads; every reader gets everything from the start; the promises never
 * reject: how the run ended is in `finishReason` and `error`.
 */
export class RunStream {
  /** The root run's id, known at once. */
  readonly runId: string
  readonly #run: Run
  readonly #log: EventLog
  readonly #result: Promise<RunResult>

  constructor(run: Run, log: EventLog, result: Promise<RunResult>) {
    this.runId = run.state.runId
    this.#run = run
    this.#log = log
    this.#result = result
  }

  /** Whether the run is kept in the storage from its beginning: it survives a crash. */
  get isKept(): boolean {
    return this.#run.root.keeper?.isDurable ?? false
  }

  /** The background task of which the stream is; undefined for that of a run. */
  get taskId(): string | undefined {
    const { root } = this.#run
    return root.task && root.runId
  }

  /** Every chunk, a child's inside a `tool-output` of its parent's, once for each level. */
  get fullStream(): ReplayStream<Chunk> {
    return new ReplayStream(() => this.#log.read((chunk) => nest(chunk, this.#log)))
  }

  /** Every chunk of every run of the tree, flat, each with its path. */
  get events(): ReplayStream<Chunk> {
    return new ReplayStream(() => this.#log.read())
  }

  /** The root agent's own text. */
  get textStream(): ReplayStream<string> {
    return new ReplayStream(() =>
      this.#log.read((chunk) =>
        chunk.type === 'text-delta' && chunk.runId === this.runId ? chunk.payload.text : undefined,
      ),
    )
  }

  /**
   * The root agent's answer as an object, where it has a schema, more complete with each item. The last is the checked answer. Empty
   * for a run without a schema.
   */
  get objectStream(): ReplayStream<unknown> {
    return new ReplayStream(() =>
      this.#run.answer ? partialObjects(this.#log, this.runId) : this.#log.read(() => undefined),
    )
  }

  /** Ends the run and everything that it delegated to. */
  abort(reason?: unknown): void {
    this.#run.root.abort.abort(reason)
  }

  /** The whole result, as `generate` gives it, whatever the finish reason. */
  get result(): Promise<RunResult> {
    return this.#result
  }

  get text(): Promise<string> {
    return this.#pick('text')
  }

  get object(): Promise<unknown> {
    return this.#pick('object')
  }

  get finishReason(): Promise<FinishReason> {
    return this.#pick('finishReason')
  }

  get completion(): Promise<CompletionCheck | undefined> {
    return this.#pick('completion')
  }

  get error(): Promise<RetinueError | undefined> {
    return this.#pick('error')
  }

  get usage(): Promise<Usage> {
    return this.#pick('usage')
  }

  get totalUsage(): Promise<Usage> {
    return this.#pick('totalUsage')
  }

  get steps(): Promise<readonly Step[]> {
    return this.#pick('steps')
  }

  get toolCalls(): Promise<readonly ToolCallRecord[]> {
    return this.#pick('toolCalls')
  }

  get toolResults(): Promise<readonly ToolResultRecord[]> {
    return this.#pick('toolResults')
  }

  /** What the run waits for, where its finish reason is `suspended`; else none. */
  get pendingCalls(): Promise<readonly PendingToolCall[]> {
    return this.#result.then(({ pendingCalls }) => pendingCalls ?? [])
  }

  /** What the scorers say of the answers; none where there are no scorers. */
  get scores(): Promise<readonly LiveScore[]> {
    return this.#result.then(({ scores }) => scores ?? [])
  }

  get response(): Promise<RunResponse> {
    return this.#pick('response')
  }

  /** The answer of a web route: an AI SDK UI message stream, as `useChat` reads it. */
  toUIMessageStreamResponse(options?: UiResponseOptions): Response {
    return uiMessageResponse(this.#log, this.runId, options)
  }

  async #pick<K extends keyof RunResult>(key: K): Promise<RunResult[K]> {
    return (await this.#result)[key]
  }
}
