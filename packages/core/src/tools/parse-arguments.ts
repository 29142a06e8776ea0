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
  if (isObject(text)) return { ok: true, args: text, unwrapped: false }
  if (typeof text !== 'string') return { ok: false, reason: `they are ${text === undefined ? 'missing' : typeof text}` }
  if (text.trim() === '') return { ok: true, args: {}, unwrapped: false }
  const outer = parse(text)
  if (!outer.ok) return { ok: false, reason: outer.reason }
  const inner = typeof outer.value === 'string' ? parse(outer.value) : outer
  const value = inner.ok ? inner.value : outer.value
  if (isObject(value)) return { ok: true, args: value, unwrapped: inner !== outer }
  return {
    ok: false,
    reason: `they are ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`,
  }
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : 'it does not parse' }
  }
}
