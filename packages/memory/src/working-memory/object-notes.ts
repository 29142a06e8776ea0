import type { CompiledSchema } from '@retinue/core/memory'
import { isRecord } from '../options/is-record.ts'
import { knownFields } from './patch-schema.ts'

export type ObjectNotes = Readonly<Record<string, unknown>>

/** Notes as they were kept; none of a text, which notes without a schema are. */
export function parsedNotes(text: string | undefined): ObjectNotes {
  if (!text) return {}
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/**
 * Notes with a change: each field that the change names is replaced, `null` takes it away (where it is required, `null` is a value), and
 * the others stay, but for those that the schema has no more.
 */
export function mergedNotes({ jsonSchema }: CompiledSchema, notes: ObjectNotes, change: ObjectNotes): ObjectNotes {
  const isOpen = jsonSchema.additionalProperties !== undefined && jsonSchema.additionalProperties !== false
  const known = new Set(knownFields(jsonSchema))
  const required = new Set(jsonSchema.required ?? [])
  const merged = new Map(Object.entries(notes).filter(([name]) => isOpen || known.has(name)))
  for (const [name, value] of Object.entries(change)) {
    if (value === null && !required.has(name)) merged.delete(name)
    else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

/**
 * What is wrong with notes, if something is. As long as a required field is missing each field was checked by itself: a model that
 * must give all at once makes up what it does not know.
 */
export async function notesProblem(schema: CompiledSchema, notes: ObjectNotes): Promise<string | undefined> {
  const isWhole = (schema.jsonSchema.required ?? []).every((name: string) => Object.hasOwn(notes, name))
  if (!isWhole) return undefined
  const checked = await schema.check(notes)
  return checked.ok ? undefined : checked.issues
}
