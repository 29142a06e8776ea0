import type { JSONSchema7, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { isRetinueError, modelSafeMessage, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import type { ToolOutput } from '../messages/message.ts'
import { taggedOutput, valueOutput } from '../messages/tool-output.ts'
import { toJson } from '../shared/json.ts'
import { failed, failedWith, notRun, type Outcome } from './outcome.ts'
import {
  type Checked,
  type CompiledSchema,
  checkStandard,
  compileSchema,
  isStandardSchema,
  type Schema,
} from './schema.ts'
import type { Tool, ToolContext } from './tool.ts'

/** A tool, compiled once an agent: what the model is told, the check of its arguments, and the run of its body. */
export interface CompiledTool {
  readonly definition: LanguageModelV4FunctionTool
  readonly check: (args: unknown) => Checked | Promise<Checked>
  /** Absent: the client's to run. The result is an outcome, whatever the body does. */
  readonly execute?: (args: unknown, context: ToolContext) => Promise<Outcome>
}

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
  const { execute } = tool
  return {
    definition: {
      type: 'function',
      name,
      ...(tool.description ? { description: tool.description } : {}),
      inputSchema: schema,
    },
    check: input?.check ?? ((args) => ({ ok: true, value: args })),
    ...(typeof execute === 'function'
      ? { execute: (args, context) => runBody(name, tool, output, args, context) }
      : {}),
  }
}

/** A result never goes through JSON Schema: a schema that only checks will do. */
function compileOutput(schema: Schema, owner: string): Pick<CompiledSchema, 'check'> {
  return isStandardSchema(schema)
    ? { check: (value) => checkStandard(schema, value) }
    : compileSchema(schema, `the output of ${owner}`)
}

async function runBody(
  name: string,
  tool: Tool,
  output: Pick<CompiledSchema, 'check'> | undefined,
  args: unknown,
  context: ToolContext,
): Promise<Outcome> {
  try {
    if (await needsApproval(tool, args)) return approvalUnavailable(name)
    // Whoever decides may have taken long: what was aborted meanwhile does not start.
    if (context.abortSignal.aborted) return notRun('aborted')
    let result: unknown = await (tool.execute as (args: unknown, context: ToolContext) => unknown)(args, context)
    const checked = output && (await output.check(result))
    if (checked && !checked.ok)
      return failed(
        'tool-output-invalid',
        `The tool "${name}" gave a result that does not fit its outputSchema: ${checked.issues}`,
      )
    if (checked) result = checked.value
    return { kind: 'result', result, output: await modelOutput(name, tool, result) }
  } catch (thrown) {
    return failedWith(toolFailed(name, thrown))
  }
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

/** A call that a person has to decide never runs undecided, also where nobody can be asked. */
async function needsApproval(tool: Tool, args: unknown): Promise<boolean> {
  // The AI SDK's tools say it by another name.
  for (const needed of [tool.requireApproval, tool.needsApproval]) {
    if (typeof needed === 'function' ? await needed(args) : needed) return true
  }
  return false
}

function approvalUnavailable(name: string): Outcome {
  return failed(
    'tool-approval-unavailable',
    `The tool "${name}" needs a person's approval, and in this run nobody can be asked. It was not run.`,
    'Go on without it, and say what it would have been needed for.',
  )
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
