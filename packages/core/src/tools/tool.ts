import type { RequestContextLike } from '../context/request-context.ts'
import { isObject } from '../shared/records.ts'
import type { InferSchema, Schema } from './schema.ts'

export const TOOL_BRAND: unique symbol = Symbol.for('retinue.tool')

/** What a tool's `execute` gets beside its input. */
export interface ToolContext {
  readonly requestContext: RequestContextLike
  /** Aborted when the run is; a tool that ignores it is not waited for. */
  readonly abortSignal: AbortSignal
  readonly writer: ToolWriter
  readonly toolCallId: string
  readonly runId: string
  /** The root agent's id, then the keys of the delegations that lead here. */
  readonly path: readonly string[]
  readonly agent: ToolAgentContext
  /** Stops the run until somebody answers. It never returns: the body runs again from its start, with `resumeData`. */
  readonly suspend: (payload?: unknown) => never
  /** The answer to what it suspended for, any JSON value; undefined when the body runs for the first time. */
  readonly resumeData: unknown
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
  /** The same for every start of this call: hand it to services that take one. */
  readonly idempotencyKey: string
}

/** The part of a tool's context that has to do with its agent; each name also stands at the top level. */
export interface ToolAgentContext {
  /** Stops the run until somebody answers. It never returns. */
  readonly suspend: (payload?: unknown) => never
  readonly resumeData: unknown
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
}

/** Writes to the stream of the root run while a tool works. */
export interface ToolWriter {
  /** Adds a `tool-output` chunk with this `output`. */
  write(output: unknown): void
  /** Adds a chunk of its own type, which begins with `data-`: `{ type: 'data-progress', data: 0.5 }`. */
  custom(chunk: { type: `data-${string}`; data?: unknown; [key: string]: unknown }): void
}

/** What `createTool` takes. */
export interface ToolOptions<I extends Schema | undefined = Schema | undefined, Output = unknown> {
  /** For people and records; a model knows a tool by its key in the agent's `tools`. */
  id: string
  /** Tells the model what the tool does and when to use it. */
  description?: string
  /** The arguments. Without a schema the tool takes any object. */
  inputSchema?: I
  /** What `execute` must give; anything else is an error result. */
  outputSchema?: Schema
  /** What `suspend` must be given; anything else is an error result. */
  suspendSchema?: Schema
  /** What an answer to a suspended call must be; anything else is refused to whoever gives it. */
  resumeSchema?: Schema
  /** The call does not run before a person decided, always or for these arguments. */
  requireApproval?: boolean | ((input: InputOf<I>) => boolean | Promise<boolean>)
  /** What the model reads of a result: a text, or any JSON. Default: the result itself. */
  toModelOutput?: (output: Output) => unknown
  /**
   * Starting the same call twice does no harm: after a crash it is started again, with the same `idempotencyKey`. Default: false, and
   * whether a call that was decided by a person has done its work is then `unknown` after a crash.
   */
  idempotent?: boolean
  /** Of what the tool does: an approval that was given for another one is void, and is asked for again. */
  version?: string
  /** May run in the background, where an application has background tasks turned on; else it runs in the foreground. */
  background?: boolean | ToolBackground
  /** Runs the call. Without it the call is the client's to run, and the run ends with finish reason `tool-calls`. */
  execute?: (input: InputOf<I>, context: ToolContext) => Output | Promise<Output>
}

/** How a tool runs in the background, where its agent's `backgroundTasks` does not say. */
export interface ToolBackground {
  /** Default: true. */
  readonly enabled?: boolean
  /** Milliseconds that one attempt may work. Default: as long as it takes. */
  readonly timeoutMs?: number
  /** How often it is tried again after it failed. Default: 0. */
  readonly maxRetries?: number
  /** It goes on when the run that began it is aborted. Default: false. */
  readonly detached?: boolean
  /** The model says in each call where it is run. Default: false. */
  readonly modelMayChoose?: boolean
}

export type InputOf<I> = [I] extends [undefined] ? Record<string, unknown> : InferSchema<Exclude<I, undefined>>

/** A tool, as agents hold it. */
export interface Tool {
  readonly id?: string
  readonly description?: string
  readonly inputSchema?: Schema
  readonly outputSchema?: Schema
  readonly suspendSchema?: Schema
  readonly resumeSchema?: Schema
  readonly requireApproval?: unknown
  readonly needsApproval?: unknown
  readonly toModelOutput?: unknown
  readonly idempotent?: unknown
  readonly version?: unknown
  readonly background?: unknown
  readonly execute?: unknown
}

/** Whether a value is a tool: of `createTool`, of whichever copy of this package, or of the AI SDK's `tool()`. */
export function isTool(value: unknown): value is Tool {
  if (!isObject(value)) return false
  if ((value as { [TOOL_BRAND]?: unknown })[TOOL_BRAND] === true) return true
  const { execute, inputSchema } = value
  return (
    (typeof execute === 'function' || execute === undefined) &&
    (isObject(inputSchema) || typeof inputSchema === 'function')
  )
}
