import { RequestContext, type RequestContextLike } from '../context/request-context.ts'
import type { DelegatedRequest, DelegatedResult, DelegateTarget } from '../delegation/delegate-target.ts'
import { errorInfo, type RetinueError } from '../errors/retinue-error.ts'
import { noUsage } from '../events/usage.ts'
import type { DelegateNames } from '../loop/delegation-settings.ts'
import type { Run } from '../loop/run.ts'
import { runLoop } from '../loop/run-loop.ts'
import type { TaskTerms } from '../loop/run-tasks.ts'
import type { AgentMemory } from '../memory/agent-memory.ts'
import type { Application } from '../memory/application.ts'
import type { AgentInput } from '../messages/from-input.ts'
import { ABORTED } from '../shared/abort.ts'
import { isObject } from '../shared/records.ts'
import type { Schema } from '../tools/schema.ts'
import { type AgentOptions, assertAgentOptions, type Subagents } from './agent-config.ts'
import { AgentParts, PARTS } from './agent-parts.ts'
import { drive, gradeLater, streamed } from './drive-run.ts'
import { notBegun, openChild, openRoot } from './open-run.ts'
import { RunDecisions } from './run-decisions.ts'
import type { RunOptions } from './run-options.ts'
import { type RunResult, resultOf } from './run-result.ts'
import type { RunStream } from './run-stream.ts'
import type { Site } from './take-run.ts'

const BRAND: unique symbol = Symbol.for('retinue.agent')

interface Within {
  readonly parts: AgentParts
  readonly application: Application
}

/** An agent that no application holds. */
const ALONE: Application = {}

/**
 * An agent: instructions, a model, tools, and subagents that it can delegate to. Making one checks it: bad names, collisions and
 * schemas that no model can be told are typed errors here, not in the first run.
 */
export class Agent<const Id extends string = string, const A extends Subagents = Subagents>
  extends RunDecisions
  implements DelegateTarget
{
  readonly id: Id
  readonly name: string
  /** What a parent's model reads to decide when to delegate. */
  readonly description: string | undefined
  /** The arguments of a delegation to this agent; without it, `{ prompt }`. */
  readonly inputSchema: Schema | undefined
  readonly relay: boolean | undefined
  readonly delegation: AgentOptions['delegation']
  /** The options that the agent was made with. */
  readonly options: Readonly<AgentOptions<Id, A>>
  readonly #parts: AgentParts
  readonly #application: Application

  constructor(options: AgentOptions<Id, A>)
  constructor(options: AgentOptions<Id, A>, within?: Within) {
    super()
    if (!within) assertAgentOptions(options)
    this.id = options.id
    this.name = options.name ?? options.id
    this.description = options.description
    this.inputSchema = options.inputSchema
    this.relay = options.relay
    this.delegation = options.delegation
    this.options = options
    this.#parts = within?.parts ?? new AgentParts(options as unknown as AgentOptions, this)
    this.#application = within?.application ?? ALONE
    Object.defineProperty(this, BRAND, { value: true })
    Object.defineProperty(this, PARTS, { value: this.#parts })
  }

  /**
   * Runs the agent on an input and gives the whole result. Rejects with a typed error if the run ends with finish reason `error`, or
   * could not begin.
   */
  async generate(input: AgentInput, options?: RunOptions<DelegateNames<A>>): Promise<RunResult> {
    const result = await drive(await openRoot(this.#parts, input, options, false, this.#application))
    if (result.finishReason === 'error') throw result.error
    return result
  }

  /** Starts the agent on an input. Rejects only if the run can't begin; once it has begun, how it ends is in the stream. */
  async stream(input: AgentInput, options?: RunOptions<DelegateNames<A>>): Promise<RunStream> {
    return streamed(await openRoot(this.#parts, input, options, true, this.#application))
  }

  /** `stream` with `untilIdle`: open until its background tasks are done and answered. */
  async streamUntilIdle(input: AgentInput, options?: RunOptions<DelegateNames<A>>): Promise<RunStream> {
    return this.stream(input, { ...options, untilIdle: options?.untilIdle || true })
  }

  /** How a parent that does not say so itself runs the agent in the background; see `DelegateTarget`. */
  backgroundTerms(): TaskTerms | undefined {
    return this.#parts.backgroundTerms()
  }

  /** The agent as an application runs it: the same agent, with what the application shares. */
  within(application: Application): Agent<Id, A> {
    const Bound = Agent as new (options: AgentOptions<Id, A>, within: Within) => Agent<Id, A>
    return new Bound(this.options, { parts: this.#parts, application })
  }

  /** What the agent remembers with; undefined if it has no memory. `requestContext`: for a memory that a function gives. */
  async getMemory(request: { requestContext?: RequestContextLike } = {}): Promise<AgentMemory | undefined> {
    const { memoryOf } = await import('./open-memory.ts')
    return memoryOf(this.options, request.requestContext ?? new RequestContext(), this.#application, true)
  }

  /** Runs the agent for a parent; see `DelegateTarget`. It does not throw. */
  async runDelegated(request: DelegatedRequest): Promise<DelegatedResult> {
    let run: Run | typeof ABORTED
    try {
      const opening = openChild(this.#parts, request)
      run = opening instanceof Promise ? await request.scope.race(opening) : opening
      // Nobody waits for it any more, but it holds a thread and a clock when it is there.
      if (run === ABORTED && opening instanceof Promise) opening.then(({ close }) => close()).catch(() => {})
    } catch (thrown) {
      return this.#notOpened(request, notBegun(this.id, thrown))
    }
    if (run === ABORTED) return this.#notOpened(request, undefined)
    request.opened?.(run)
    if (run.state.tasks) await run.root.tasks?.attach(run)
    const hasEnded = run.state.finishReason !== undefined
    await runLoop(run)
    run.close()
    if (run.scoring && !hasEnded) await gradeLater(run)
    const { text, object, finishReason, usage, totalUsage, sources, files, toolResults, error } = resultOf(run)
    const { messages } = run.state
    return { text, object, finishReason, usage, totalUsage, sources, files, toolResults, error, messages }
  }

  protected override site(): Site {
    return { parts: this.#parts, application: this.#application }
  }

  /** A child that can't begin still has its one `start` and its one `finish`. */
  #notOpened({ root, runId, path, saved }: DelegatedRequest, error: RetinueError | undefined): DelegatedResult {
    // One that went on before has used what it has used.
    const { usage, totalUsage } = saved?.state ?? { usage: noUsage(), totalUsage: noUsage() }
    const finishReason = error ? 'error' : 'aborted'
    const envelope = { runId, from: 'AGENT', path } as const
    root.log?.push({ ...envelope, type: 'start', payload: { id: this.id, messageId: runId } })
    if (error) root.log?.push({ ...envelope, type: 'error', payload: { error: errorInfo(error) } })
    else root.log?.push({ ...envelope, type: 'abort', payload: {} })
    const stepResult = { reason: finishReason, isContinued: false } as const
    root.log?.push({ ...envelope, type: 'finish', payload: { stepResult, output: { usage }, totalUsage } })
    return { text: '', finishReason, usage, totalUsage, error }
  }
}

/** Whether a value is an agent of this package, of whichever copy of it. */
export function isAgent(value: unknown): value is Agent {
  return isObject(value) && (value as { [BRAND]?: unknown })[BRAND] === true
}
