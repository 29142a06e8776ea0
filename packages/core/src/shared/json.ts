import type { JSONValue } from '@ai-sdk/provider'

/** A value as JSON carries it, or why JSON can't carry it. Plain JSON is handed back as it is, without a copy. */
export type JsonResult = { ok: true; value: JSONValue } | { ok: false; reason: string }

/** Depth at which a value is refused: deeper ones overflow the stack of whoever prints them. */
const MAX_DEPTH = 1000

export function toJson(value: unknown): JsonResult {
  if (value === undefined) return { ok: true, value: null }
  try {
    if (isJson(value, 0)) return { ok: true, value }
    const text = JSON.stringify(value, refuseEmptied)
    // A function or a symbol has no text.
    if (text === undefined) return { ok: false, reason: `a ${typeof value} has no JSON form` }
    const copy: unknown = JSON.parse(text)
    return isJson(copy, 0)
      ? { ok: true, value: copy }
      : { ok: false, reason: `it is nested more than ${MAX_DEPTH} levels deep` }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** What `JSON.stringify` makes `{}` of, although there is something in it. */
const EMPTIED: ReadonlySet<string> = new Set([
  'ArrayBuffer',
  'AsyncGenerator',
  'Error',
  'Generator',
  'Map',
  'Promise',
  'RegExp',
  'Set',
  'WeakMap',
  'WeakSet',
])

/** Throws for what would be emptied without a word, and for bytes, which would become a list of numbers. */
function refuseEmptied(this: unknown, key: string, value: unknown): unknown {
  const raw: unknown = (this as Record<string, unknown>)[key]
  if (ArrayBuffer.isView(raw)) throw new TypeError('bytes have no JSON form')
  if (typeof value !== 'object' || value === null) return value
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (EMPTIED.has(kind)) throw new TypeError(`a value of type ${kind} has no JSON form`)
  return value
}

function isJson(value: unknown, depth: number): value is JSONValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isJson(value[i], depth + 1)) return false
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false
  for (const key of Object.keys(value)) if (!isJson((value as Record<string, unknown>)[key], depth + 1)) return false
  return true
}
