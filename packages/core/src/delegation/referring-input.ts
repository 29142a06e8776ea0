import type { JSONSchema7 } from '@ai-sdk/provider'
import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import type { Checked } from '../tools/schema.ts'

/** The field of a delegation in which the parent's model names earlier results. */
export const REFERENCES_FIELD = 'contextFromRefs'

/** The arguments of a delegation that can name earlier results, taken apart. */
export interface Referring {
  readonly rest: unknown
  readonly references: readonly string[]
}

const FIELD_SCHEMA = {
  type: 'array',
  items: { type: 'string' },
  description: 'The ids of earlier results, such as the one in [ref: id], that are handed over word for word.',
} as const

/** The schema of a delegation's input with the field. Throws `schema-unsupported` if the child has a field of that name. */
export function referringSchema(key: string, schema: JSONSchema7): JSONSchema7 {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  if (Object.hasOwn(properties, REFERENCES_FIELD)) {
    throw new RetinueError({
      code: 'schema-unsupported',
      message: `The inputSchema of subagent "${key}" has a field ${REFERENCES_FIELD}, which names earlier results where enableResultReferences is on.`,
      hint: 'Rename the field, or turn enableResultReferences off.',
      data: { tool: key, field: REFERENCES_FIELD },
    })
  }
  return { ...schema, properties: { ...properties, [REFERENCES_FIELD]: FIELD_SCHEMA } }
}

/** Checks a delegation's input without the field by `check`, and the field itself. */
export function checkReferring(
  args: unknown,
  check: (args: unknown) => Checked | Promise<Checked>,
): Checked | Promise<Checked> {
  if (!isObject(args)) return check(args)
  const { [REFERENCES_FIELD]: given, ...rest } = args
  // Models write null for what they leave out.
  const references: unknown = given ?? []
  if (!isTexts(references)) return { ok: false, issues: `${REFERENCES_FIELD}: it must be a list of ids` }
  const checked = check(rest)
  return checked instanceof Promise
    ? checked.then((each) => withReferences(each, references))
    : withReferences(checked, references)
}

function withReferences(checked: Checked, references: readonly string[]): Checked {
  return checked.ok ? { ok: true, value: { rest: checked.value, references } satisfies Referring } : checked
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
