import type { JSONValue } from '@ai-sdk/provider'

/** A value as JSON carries it, or why JSON can't carry it. Plain JSON is handed back as it is, without a copy. */
export type JsonResult = { ok: true; value: JSONValue } | { ok: false; reason: string }

/** Depth at which a value is refused: deeper ones overflow the stack of whoever prints them. */
const MAX_DEPTH = 1000

export function toJson(value: unknown): JsonResult {
  if (value === undefined) return { ok: true, value: null }
  if (isJson(value, 0)) return { ok: true, value }
  try {
    const text = JSON.stringify(value)
    // A function or a symbol has no text.
    if (text === undefined) return { ok: false, reason: `a ${typeof value} has no JSON form` }
    return { ok: true, value: JSON.parse(text) as JSONValue }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
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
  if ('toJSON' in value) return false
  for (const key of Object.keys(value)) if (!isJson((value as Record<string, unknown>)[key], depth + 1)) return false
  return true
}
