/** The part of a tool that a decision is bound to. */
export interface FingerprintedTool {
  readonly name: string
  readonly schema: unknown
  readonly version: string | undefined
}

/**
 * Stands for a call as a person was shown it: the arguments, and the name, schema and version of the tool. Two calls have the same one
 * only if all of these are the same, however their fields are ordered.
 */
export async function fingerprint({ name, schema, version }: FingerprintedTool, args: unknown): Promise<string> {
  const text = canonical([name, schema, version ?? null, args])
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** JSON whose text does not depend on the order in which fields were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`
}
