import type { JSONSchema7 } from '@ai-sdk/provider'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'

/** The JSON Schema of a Standard Schema's input. Throws `schema-unsupported`, naming the field that can't be said in it. */
export function jsonSchemaOf(schema: StandardSchemaV1, owner: string): JSONSchema7 {
  const convert = converterOf(schema)
  if (!convert) {
    const { vendor } = schema['~standard']
    throw unsupported(
      owner,
      '',
      `${vendor} (this version of it) gives no JSON Schema`,
      'Use zod 4.2 or newer, or pass a JSON Schema object.',
    )
  }
  try {
    const { $schema: _dialect, ...rest } = convert() as JSONSchema7
    return rest
  } catch (error) {
    const path = unsayable(schema, [])
    throw unsupported(
      owner,
      path.join('.'),
      thrownMessage(error),
      'A model sends JSON: ask for text or a number and convert it in `execute`.',
    )
  }
}

function unsupported(owner: string, field: string, reason: string, hint: string): RetinueError {
  const where = field === '' ? 'The schema' : `The field "${field}" of the schema`
  return new RetinueError({
    code: 'schema-unsupported',
    message: `${where} of ${owner} can't be told to a model: ${reason}.`.replace(/\.\.$/, '.'),
    hint,
    data: { owner, field },
  })
}

/** The converter that the JSON Schema extension of Standard Schema declares. */
function converterOf(schema: unknown): (() => unknown) | undefined {
  const standard =
    isObject(schema) || typeof schema === 'function' ? (schema as Record<string, unknown>)['~standard'] : undefined
  const extension = isObject(standard) ? standard['jsonSchema'] : undefined
  const input = isObject(extension) ? extension['input'] : undefined
  return typeof input === 'function' ? () => (input as (options: object) => unknown)({ target: 'draft-07' }) : undefined
}

/** The path of the innermost field whose own conversion fails; zod's schemas show their fields in `def`. */
function unsayable(schema: unknown, path: string[]): string[] {
  const def = isObject(schema) && isObject(schema['def']) ? schema['def'] : undefined
  if (!def) return path
  const shape = isObject(def['shape']) ? Object.entries(def['shape']) : []
  const inner: [string | undefined, unknown][] = [
    ...shape,
    ...['element', 'innerType', 'valueType', 'in'].map((key): [string | undefined, unknown] => [
      key === 'element' ? '[]' : undefined,
      def[key],
    ]),
    ...(Array.isArray(def['options']) ? def['options'].map((option): [undefined, unknown] => [undefined, option]) : []),
  ]
  for (const [name, child] of inner) {
    if (fails(child)) return unsayable(child, name === undefined ? path : [...path, name])
  }
  return path
}

function fails(schema: unknown): boolean {
  const convert = converterOf(schema)
  if (!convert) return false
  try {
    convert()
    return false
  } catch {
    return true
  }
}
