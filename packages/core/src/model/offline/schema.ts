import { isRecord, type JsonRecord } from './json.ts'

const DEEPEST = 8

/** Follows references and merges `allOf`, so that callers see one plain schema. */
export function resolve(schema: unknown, root: JsonRecord, depth = 0): JsonRecord {
  if (!isRecord(schema) || depth > DEEPEST) return {}
  const ref = schema['$ref']
  if (typeof ref === 'string') return resolve(lookUp(root, ref), root, depth + 1)
  const all = schema['allOf']
  if (!Array.isArray(all)) return schema
  const merged: JsonRecord = { ...schema }
  const properties = { ...recordAt(schema, 'properties') }
  for (const part of all) {
    const next = resolve(part, root, depth + 1)
    Object.assign(merged, next)
    Object.assign(properties, recordAt(next, 'properties'))
  }
  return { ...merged, properties }
}

function lookUp(root: JsonRecord, ref: string): unknown {
  let at: unknown = root
  for (const step of ref.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const key = step.replace(/~1/g, '/').replace(/~0/g, '~')
    at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

export function recordAt(schema: JsonRecord, key: string): JsonRecord {
  const value = schema[key]
  return isRecord(value) ? value : {}
}

/** The alternatives of `anyOf` and `oneOf`, the empty one left out. */
export function alternatives(schema: JsonRecord): unknown[] {
  const list = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  return list.filter((each) => !(isRecord(each) && each['type'] === 'null'))
}

export function allowsNull(schema: JsonRecord): boolean {
  const list = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  const type = schema['type']
  return (
    schema['nullable'] === true ||
    type === 'null' ||
    (Array.isArray(type) && type.includes('null')) ||
    list.some((each) => isRecord(each) && each['type'] === 'null')
  )
}

export function typeOf(schema: JsonRecord): string {
  const type = schema['type']
  if (typeof type === 'string') return type
  if (Array.isArray(type))
    return type.find((each): each is string => typeof each === 'string' && each !== 'null') ?? 'null'
  if (isRecord(schema['properties'])) return 'object'
  if (schema['items'] !== undefined) return 'array'
  return 'string'
}
