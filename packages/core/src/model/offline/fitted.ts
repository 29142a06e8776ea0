import type { Kind } from './argument-kinds.ts'
import type { JsonRecord } from './json.ts'
import { cutAt } from './tokens.ts'

/** A text as the schema wants it; undefined where that would change what it says. */
export function fitted(value: string, schema: JsonRecord, kind: Kind | undefined): string | undefined {
  const most = schema['maxLength']
  const least = schema['minLength']
  const text =
    typeof most === 'number' && (kind === 'query' || kind === 'task' || kind === 'content') ? cutAt(value, most) : value
  if (typeof most === 'number' && text.length > most) return undefined
  if (typeof least === 'number' && text.length < least) return undefined
  if (schema['format'] === 'date-time' && !/T/.test(text)) return undefined
  const pattern = schema['pattern']
  // Long values are not tried: a pattern from a schema may take for ever on them.
  if (typeof pattern === 'string' && text.length <= 64 && !matches(pattern, text)) return undefined
  return text
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
