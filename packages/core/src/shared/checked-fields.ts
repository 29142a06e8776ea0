import { isPlainObject } from './records.ts'

/** What the fields of an object that application code returned must be. */
export type FieldChecks<T> = Readonly<Record<keyof T & string, (value: unknown) => boolean>>

/** What application code returned: nothing, or an object of the known fields. Throws a `TypeError`: a typo must not pass for consent. */
export function checkedFields<T extends object>(returned: unknown, fields: FieldChecks<T>): Partial<T> {
  if (returned === undefined || returned === null) return {}
  if (!isPlainObject(returned)) throw new TypeError(`it returned ${kindOf(returned)}, and no plain object`)
  const checks: Readonly<Record<string, (value: unknown) => boolean>> = fields
  for (const [name, value] of Object.entries(returned)) {
    const fits = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!fits) throw new TypeError(`it returned the unknown field "${name}"`)
    if (value !== undefined && !fits(value)) throw new TypeError(`it returned ${name}: ${said(value)}`)
  }
  // Each field was looked at.
  return returned as Partial<T>
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object of a class' : `a ${typeof value}`
}

function said(value: unknown): string {
  return typeof value === 'object' && value !== null ? kindOf(value) : String(value)
}
