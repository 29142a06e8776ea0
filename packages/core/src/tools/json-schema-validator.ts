import type { JSONSchema7 } from '@ai-sdk/provider'
import { Validator } from '@cfworker/json-schema'
import type { Checked } from './schema.ts'

/** A check of values against a JSON Schema (draft 7). It reports the most specific failures only. */
export function jsonSchemaValidator(schema: JSONSchema7): (value: unknown) => Checked {
  const validator = new Validator(schema as ConstructorParameters<typeof Validator>[0], '7', false)
  return (value) => {
    const { valid, errors } = validator.validate(value)
    if (valid) return { ok: true, value }
    const leaves = errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items')
    const issues = (leaves.length > 0 ? leaves : errors).map(({ instanceLocation, error }) => {
      const path = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
      return path === '' ? error : `${path}: ${error}`
    })
    return { ok: false, issues: issues.join('; ') }
  }
}
