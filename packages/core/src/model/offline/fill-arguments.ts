import { carriedValue, sameNamed } from './fill-carried.ts'
import { fillBoolean, fillEnum, saysChoice } from './fill-choice.ts'
import type { FillContext } from './fill-context.ts'
import { listedItems } from './fill-list.ts'
import { fillNumber } from './fill-number.ts'
import { fillString, labelledValue } from './fill-string.ts'
import type { JsonRecord } from './json.ts'
import { allowsNull, alternatives, recordAt, resolve, typeOf } from './schema.ts'
import { refersBack } from './signals.ts'
import { requiredOf } from './tool-card.ts'

/** Either arguments that the request bears out, or the names of those that were not found in it. */
export type Filled = { ok: true; value: JsonRecord } | { ok: false; missing: string[] }

export function fillArguments(schema: JsonRecord, context: FillContext): Filled {
  const missing: string[] = []
  const value = fillObject(
    resolve(schema, schema),
    { ...context, root: schema, missing, path: '', labels: labelsIn(schema, schema, 0) },
    0,
  )
  return missing.length > 0 ? { ok: false, missing } : { ok: true, value }
}

/** The names of all arguments, those of nested objects included. */
function labelsIn(schema: JsonRecord, root: JsonRecord, depth: number): string[] {
  if (depth > 2) return []
  return Object.entries(recordAt(resolve(schema, root), 'properties')).flatMap(([name, property]) => [
    name,
    ...labelsIn(resolve(property, root), root, depth + 1),
  ])
}

interface Filling extends FillContext {
  root: JsonRecord
  missing: string[]
  path: string
}

const DEEPEST = 6

function fillObject(schema: JsonRecord, filling: Filling, depth: number): JsonRecord {
  const properties = recordAt(schema, 'properties')
  const required = new Set(requiredOf(schema))
  const filled = new Map<string, unknown>()
  // Required arguments choose first: an optional one must not take the only number of the request.
  const names = Object.keys(properties).sort((a, b) => Number(required.has(b)) - Number(required.has(a)))
  for (const name of names) {
    const property = resolve(properties[name], filling.root)
    const value = valueFor(name, property, required.has(name), filling, depth)
    if (value !== undefined) filled.set(name, value)
    else if (required.has(name)) miss(name, property, filling)
  }
  // Built from own entries only, so that a property called `__proto__` stays a property.
  return Object.fromEntries(
    Object.keys(properties).flatMap((name) => (filled.has(name) ? [[name, filled.get(name)]] : [])),
  )
}

const LEANS = /\bthere\b/i

/** A clause that leans on what came before takes what is of the same name there; any other only what it does not say itself. */
function valueFor(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  const carried = filling.carried ?? []
  const fill = (): unknown => fillProperty(name, schema, required, filling, depth)
  if (!required || carried.length === 0) return fill()
  const leans = refersBack(filling.text) || LEANS.test(filling.text)
  const same = leans && labelledValue(name, filling.text) === undefined ? sameNamed(name, schema, carried) : undefined
  return same ?? fill() ?? carriedValue(name, schema, carried)
}

function miss(name: string, property: JsonRecord, filling: Filling): void {
  const format = property['format'] ?? (typeOf(property) === 'string' ? undefined : typeOf(property))
  const choices = Array.isArray(property['enum']) ? property['enum'].slice(0, 8).map(String).join(' or ') : undefined
  const kind = choices ?? format
  const says = typeof kind === 'string' && kind.toLowerCase() !== name.toLowerCase()
  filling.missing.push(`\`${filling.path}${name}\`${says ? ` (${kind})` : ''}`)
}

function fillProperty(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  if ('const' in schema) return required ? schema['const'] : undefined
  const choices = schema['enum']
  if (Array.isArray(choices)) return fillEnum(name, choices, schema, required, filling.text)
  const others = alternatives(schema)
  if (others.length > 0 && schema['type'] === undefined) {
    for (const other of others) {
      const value = fillProperty(
        name,
        { ...schema, anyOf: undefined, oneOf: undefined, ...resolve(other, filling.root) },
        required,
        filling,
        depth,
      )
      if (value !== undefined) return value
    }
    return fallback(schema, required)
  }
  return fillTyped(name, schema, required, filling, depth) ?? fallback(schema, required)
}

function fillTyped(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  switch (typeOf(schema)) {
    case 'string':
      return fillString(name, schema, required, filling)
    case 'number':
    case 'integer':
      return fillNumber(name, schema, required, filling)
    case 'boolean':
      return fillBoolean(name, schema, required, filling.text)
    case 'array':
      return fillArray(name, schema, required, filling, depth)
    case 'object':
      return fillNested(name, schema, required, filling, depth)
    default:
      return undefined
  }
}

function fallback(schema: JsonRecord, required: boolean): unknown {
  if (!required) return undefined
  if (schema['default'] !== undefined) return schema['default']
  return allowsNull(schema) ? null : undefined
}

function fillNested(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  if (depth >= DEEPEST) return undefined
  const missing: string[] = []
  const value = fillObject(schema, { ...filling, missing, path: `${filling.path}${name}.` }, depth + 1)
  if (missing.length > 0) {
    if (required) filling.missing.push(...missing)
    return required ? {} : undefined
  }
  return required || Object.keys(value).length > 0 ? value : undefined
}

function fillArray(name: string, schema: JsonRecord, required: boolean, filling: Filling, depth: number): unknown {
  const items = resolve(schema['items'], filling.root)
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : 50
  let values: unknown[] = []
  if (Array.isArray(items['enum'])) values = items['enum'].filter((choice) => saysChoice(filling.text, choice))
  else if (typeOf(items) === 'object') {
    const value = depth < DEEPEST ? fillNested(name, items, false, filling, depth + 1) : undefined
    values = value === undefined ? [] : [value]
  } else values = listedItems(name, items, required, filling)
  values = values.slice(0, most)
  if (
    values.length === 0 &&
    required &&
    least === 0 &&
    schema['default'] === undefined &&
    !Array.isArray(items['enum'])
  )
    return undefined
  if (values.length === 0 || values.length < least) return undefined
  return values
}
