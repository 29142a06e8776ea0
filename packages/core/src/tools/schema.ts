import type { JSONSchema7 } from '@ai-sdk/provider'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { jsonSchemaOf } from './json-schema.ts'

/** A schema in any form that is taken: Standard Schema with its JSON Schema extension (zod 4.2 or newer), or plain JSON Schema. */
export type Schema<Output = unknown> = StandardSchemaV1<unknown, Output> | JSONSchema7

/** The value that a schema gives, after its defaults and transforms. */
export type InferSchema<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Record<string, unknown>

/** A schema, compiled once: what a model is told, and the check. */
export interface CompiledSchema {
  readonly jsonSchema: JSONSchema7
  /** The value after the schema's defaults and transforms, or what is wrong with it. */
  readonly check: (value: unknown) => Checked | Promise<Checked>
}

export type Checked = { ok: true; value: unknown } | { ok: false; issues: string }

/** Compiles a schema. Throws `schema-unsupported`, naming `owner` and the field, if JSON Schema can't say it. */
export function compileSchema(schema: Schema, owner: string): CompiledSchema {
  if (isStandardSchema(schema))
    return { jsonSchema: jsonSchemaOf(schema, owner), check: (value) => checkStandard(schema, value) }
  if (isAiSdkSchema(schema)) return { jsonSchema: schema.jsonSchema, check: (value) => checkAiSdk(schema, value) }
  if (isObject(schema)) return { jsonSchema: schema as JSONSchema7, check: jsonSchemaCheck(schema as JSONSchema7) }
  throw new RetinueError({
    code: 'schema-unsupported',
    message: `The schema of ${owner} is ${schema === null ? 'null' : `a ${typeof schema}`}.`,
    hint: 'Pass a zod 4 schema, another Standard Schema, or a JSON Schema object.',
  })
}

export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return (isObject(value) || typeof value === 'function') && '~standard' in value && isObject(value['~standard'])
}

async function settleStandard(result: Promise<StandardSchemaV1.Result<unknown>>): Promise<Checked> {
  return fromStandard(await result)
}

/** The value that a Standard Schema makes of another, or what is wrong with it. */
export function checkStandard(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? settleStandard(result) : fromStandard(result)
}

function fromStandard(result: StandardSchemaV1.Result<unknown>): Checked {
  if (!result.issues) return { ok: true, value: result.value }
  const issues = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  return { ok: false, issues: issues.join('; ') }
}

interface AiSdkSchema {
  jsonSchema: JSONSchema7
  validate?: (value: unknown) => unknown
}

/** A schema of the AI SDK's own `jsonSchema()` and `zodSchema()`. */
function isAiSdkSchema(value: unknown): value is AiSdkSchema {
  return isObject(value) && isObject(value['jsonSchema']) && Symbol.for('vercel.ai.schema') in value
}

async function checkAiSdk(schema: AiSdkSchema, value: unknown): Promise<Checked> {
  if (!schema.validate) return jsonSchemaCheck(schema.jsonSchema)(value)
  const result = await schema.validate(value)
  if (isObject(result) && result['success'] === true) return { ok: true, value: result['value'] }
  return { ok: false, issues: thrownMessage(isObject(result) ? result['error'] : result) }
}

/** The validator is imported with the first JSON Schema that is checked: most agents have none. */
function jsonSchemaCheck(schema: JSONSchema7): (value: unknown) => Promise<Checked> {
  let validator: Promise<(value: unknown) => Checked> | undefined
  return async (value) => {
    validator ??= import('./json-schema-validator.ts').then((module) => module.jsonSchemaValidator(schema))
    return (await validator)(value)
  }
}
