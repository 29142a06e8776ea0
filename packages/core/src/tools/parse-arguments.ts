import { toJson } from '../shared/json.ts'
import { isObject } from '../shared/records.ts'

/** The arguments of a call as an object, or why they are none. */
export type ParsedArguments =
  | { readonly ok: true; readonly args: Record<string, unknown>; readonly unwrapped: boolean }
  | { readonly ok: false; readonly reason: string }

/**
 * Reads the text of a call's arguments. No text at all means no arguments; JSON text inside a JSON string, which some models send,
 * is unwrapped once. Nothing else is mended: a text that was cut off must never run as something that it is not.
 */
export function parseArguments(text: unknown): ParsedArguments {
  if (isObject(text)) return asArguments(text, false)
  if (typeof text !== 'string') return { ok: false, reason: `they are ${text === undefined ? 'missing' : typeof text}` }
  if (text.trim() === '') return { ok: true, args: {}, unwrapped: false }
  const outer = parse(text)
  if (!outer.ok) return { ok: false, reason: outer.reason }
  const inner = typeof outer.value === 'string' ? parse(outer.value) : outer
  const value = inner.ok ? inner.value : outer.value
  if (isObject(value)) return asArguments(value, inner !== outer)
  return {
    ok: false,
    reason: `they are ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`,
  }
}

/** Arguments that are plain JSON, and not so deep that whoever prints them fails. */
function asArguments(value: Record<string, unknown>, unwrapped: boolean): ParsedArguments {
  const json = toJson(value)
  if (!json.ok) return { ok: false, reason: json.reason }
  return isObject(json.value)
    ? { ok: true, args: json.value, unwrapped }
    : { ok: false, reason: 'they have a form of their own' }
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : 'it does not parse' }
  }
}
