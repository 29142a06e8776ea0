import type { JSONSchema7, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { isRetinueError, modelSafeMessage, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { Message, ToolOutput } from '../messages/message.ts'
import { taggedOutput, valueOutput } from '../messages/tool-output.ts'
import { toJson } from '../shared/json.ts'
import { isObject } from '../shared/records.ts'
import { failed, failedWith, type Outcome } from './outcome.ts'
import {
  type Checked,
  type CompiledSchema,
  checkStandard,
  compileSchema,
  isStandardSchema,
  type Schema,
} from './schema.ts'
import { type SuspendedCall, SuspendSignal } from './suspended-call.ts'
import type { Tool, ToolBackground, ToolContext } from './tool.ts'

/** A tool, compiled once an agent: what the model is told, the check of its arguments, and the run of its body. */
export interface CompiledTool {
  readonly definition: LanguageModelV4FunctionTool
  readonly check: (args: unknown) => Checked | Promise<Checked>
  /** Whether a person has to decide before it starts, always or for these arguments; absent where never. It can throw. */
  readonly needsApproval?: (args: unknown, call: ApprovalCall) => boolean | Promise<boolean>
  /** Checks an answer to a suspended call. */
  readonly checkAnswer?: (data: unknown) => Checked | Promise<Checked>
  readonly idempotent?: true
  readonly version?: string
  /** How it is run in the background, where its agent does not say; absent where it is not. */
  readonly background?: ToolBackground
  /** Absent: the client's to run. The result is an outcome, whatever the body does. */
  readonly execute?: (args: unknown, contextWith: ContextWith) => Promise<Outcome | SuspendedCall>
}

/** What a function that decides about approvals is told of a call beside its input, by the AI SDK's names. */
export interface ApprovalCall {
  readonly toolCallId: string
  /** The conversation of the run that makes the call. */
  readonly messages: readonly Message[]
}

/** The context that a body gets, with what suspends it. */
export type ContextWith = (suspend: ToolContext['suspend']) => ToolContext

const ANY_OBJECT: JSONSchema7 = { type: 'object', properties: {}, additionalProperties: true }

/** Compiles the tool under `name`. Throws `schema-unsupported` or `tool-invalid`, naming the tool. */
export function compileTool(name: string, tool: Tool): CompiledTool {
  const owner = `tool "${name}"`
  const input = tool.inputSchema === undefined ? undefined : compileSchema(tool.inputSchema, owner)
  const output = tool.outputSchema === undefined ? undefined : compileOutput(tool.outputSchema, owner)
  const schema = input?.jsonSchema ?? ANY_OBJECT
  if (schema.type !== 'object') {
    throw new RetinueError({
      code: 'schema-unsupported',
      message: `The inputSchema of ${owner} is no object at its root.`,
      hint: 'Providers take objects only: put what it describes in a field, such as z.object({ value: … }).',
      data: { tool: name },
    })
  }
  const answer =
    tool.resumeSchema === undefined ? undefined : compileOutput(tool.resumeSchema, `resumeSchema of ${owner}`)
  const suspended =
    tool.suspendSchema === undefined ? undefined : compileOutput(tool.suspendSchema, `suspendSchema of ${owner}`)
  const { execute, version } = tool
  return {
    definition: {
      type: 'function',
      name,
      ...(tool.description ? { description: tool.description } : {}),
      inputSchema: schema,
    },
    check: input?.check ?? ((args) => ({ ok: true, value: args })),
    // The AI SDK's tools say it by another name.
    ...(tool.requireApproval || tool.needsApproval
      ? { needsApproval: (args, call) => needsApproval(tool, args, call) }
      : {}),
    ...(answer ? { checkAnswer: answer.check } : {}),
    ...(tool.idempotent === true ? { idempotent: true } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...backgroundOf(tool),
    ...(typeof execute === 'function'
      ? { execute: (args, contextWith) => runBody({ name, tool, output, suspended }, args, contextWith) }
      : {}),
  }
}

/** How a tool says itself that it is run in the background. */
function backgroundOf({ background }: Tool): { background?: ToolBackground } {
  if (!background) return {}
  // It was checked when the tool was made; an AI SDK tool has none.
  const said: ToolBackground = isObject(background) ? background : {}
  return said.enabled === false ? {} : { background: said }
}

/** What running a body needs of its tool. */
interface Body {
  readonly name: string
  readonly tool: Tool
  readonly output: Pick<CompiledSchema, 'check'> | undefined
  readonly suspended: Pick<CompiledSchema, 'check'> | undefined
}

/** A result never goes through JSON Schema: a schema that only checks will do. */
function compileOutput(schema: Schema, owner: string): Pick<CompiledSchema, 'check'> {
  return isStandardSchema(schema)
    ? { check: (value) => checkStandard(schema, value) }
    : compileSchema(schema, `the output of ${owner}`)
}

async function runBody(body: Body, args: unknown, contextWith: ContextWith): Promise<Outcome | SuspendedCall> {
  let asked: { readonly payload: unknown } | undefined
  const suspend = (payload?: unknown): never => {
    asked ??= { payload }
    throw new SuspendSignal()
  }
  try {
    const execute = body.tool.execute as (args: unknown, context: ToolContext) => unknown
    const result = await execute(args, contextWith(suspend))
    // A body may catch what `suspend` throws; what it then gives is no result of the call.
    return await (asked ? suspendedCall(body, asked.payload) : resultOf(body, result))
  } catch (thrown) {
    if (!asked) return failedWith(toolFailed(body.name, thrown))
    return suspendedCall(body, asked.payload).catch((error: unknown) => failedWith(toolFailed(body.name, error)))
  }
}

async function resultOf({ name, tool, output }: Body, given: unknown): Promise<Outcome> {
  const checked = output && (await output.check(given))
  if (checked && !checked.ok)
    return failed(
      'tool-output-invalid',
      `The tool "${name}" gave a result that does not fit its outputSchema: ${checked.issues}`,
    )
  const result = checked ? checked.value : given
  return { kind: 'result', result, output: await modelOutput(name, tool, result) }
}

/** What a suspended call asks must be something that can be shown to a person later, from a store. */
async function suspendedCall({ name, suspended }: Body, payload: unknown): Promise<Outcome | SuspendedCall> {
  const checked = suspended && (await suspended.check(payload))
  const json = toJson(checked?.ok ? checked.value : payload)
  const problem =
    checked && !checked.ok
      ? `does not fit its suspendSchema: ${checked.issues}`
      : json.ok
        ? undefined
        : `is no JSON: ${json.reason}`
  if (problem !== undefined || !json.ok)
    return failed('tool-invalid', `The tool "${name}" suspended with a payload that ${problem}`)
  return { kind: 'suspended', payload: payload === undefined ? undefined : json.value }
}

function toolFailed(name: string, cause: unknown): RetinueError {
  if (isRetinueError(cause)) {
    if (cause.code.startsWith('tool-') || cause.code.startsWith('workspace-')) return cause
    const message = `The tool "${name}" failed: ${modelSafeMessage(cause)}`
    return new RetinueError({ code: 'tool-failed', message, ...(cause.hint ? { hint: cause.hint } : {}), cause })
  }
  return new RetinueError({
    code: 'tool-failed',
    message: `The tool "${name}" failed: ${withoutSecrets(thrownMessage(cause))}`,
    cause,
  })
}

async function needsApproval(tool: Tool, args: unknown, call: ApprovalCall): Promise<boolean> {
  for (const needed of [tool.requireApproval, tool.needsApproval]) {
    if (typeof needed === 'function' ? await needed(args, call) : needed) return true
  }
  return false
}

async function modelOutput(name: string, tool: Tool, result: unknown): Promise<ToolOutput> {
  const convert = tool.toModelOutput
  const shown: unknown = typeof convert === 'function' ? await convert(result) : result
  const tagged = convert ? taggedOutput(shown) : undefined
  if (tagged) return tagged
  if (typeof shown === 'string') return valueOutput(shown)
  const json = toJson(shown)
  if (json.ok) return valueOutput(json.value)
  throw new RetinueError({
    code: 'tool-output-invalid',
    message: `The tool "${name}" ran, but its result can't be told to a model: ${json.reason}`,
    hint: 'Return text or plain JSON, or say in `toModelOutput` what the model reads.',
  })
}
