/** Parsed JSON of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function records(value: unknown): readonly Json[] {
  return list(value).filter(isRecord)
}

export function record(value: unknown): Json {
  return isRecord(value) ? value : {}
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
