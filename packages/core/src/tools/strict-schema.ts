import type { JSONSchema7 } from '@ai-sdk/provider'
import { isObject } from '../shared/records.ts'

/**
 * A schema as providers want it that hold a model to it (OpenAI's strict mode): every object is closed, and every field is there; one
 * that may be left out may be null instead. See `withoutNulls` for the way back. An object that is open on purpose, such as a record,
 * stays open.
 */
export function strictSchema(schema: JSONSchema7): JSONSchema7 {
  return strict(schema) as JSONSchema7
}

const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const MAPS = ['properties', '$defs', 'definitions'] as const

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (!isObject(schema)) return schema
  const out: Record<string, unknown> = { ...schema }
  for (const name of LISTS) if (Array.isArray(schema[name])) out[name] = schema[name].map(strict)
  for (const name of MAPS) if (isObject(schema[name])) out[name] = mapped(schema[name], strict)
  if (isObject(schema['items']) || Array.isArray(schema['items'])) out['items'] = strict(schema['items'])
  return isObject(schema['properties']) ? closed(schema, out) : out
}

function closed(schema: Record<string, unknown>, out: Record<string, unknown>): Record<string, unknown> {
  const properties = out['properties'] as Record<string, unknown>
  const required = requiredOf(schema)
  out['properties'] = Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [key, required.has(key) ? property : nullable(property)]),
  )
  out['required'] = Object.keys(properties)
  out['additionalProperties'] ??= false
  return out
}

function nullable(property: unknown): unknown {
  return allowsNull(property) ? property : { anyOf: [property, { type: 'null' }] }
}

/** A value without the nulls that stand for fields that were left out: those that the schema does not allow in their place. */
export function withoutNulls(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema['items']))
  const { properties } = schema
  if (!isObject(value) || !isObject(properties)) return value
  const required = requiredOf(schema)
  const kept = Object.entries(value).filter(
    ([key, item]) =>
      item !== null || required.has(key) || !Object.hasOwn(properties, key) || allowsNull(properties[key]),
  )
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item, properties[key])]))
}

function allowsNull(schema: unknown): boolean {
  if (!isObject(schema)) return schema === true
  const { type, anyOf, oneOf } = schema
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true
  if ('const' in schema) return schema['const'] === null
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
  return choices.some(allowsNull)
}

function requiredOf({ required }: Record<string, unknown>): ReadonlySet<unknown> {
  return new Set(Array.isArray(required) ? required : [])
}

function mapped(map: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
}
