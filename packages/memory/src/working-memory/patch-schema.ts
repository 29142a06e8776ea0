import type { CompiledSchema } from '@retinue/core/memory'

type JsonSchema = CompiledSchema['jsonSchema']

/** The fields of notes, by name, that a model may set. */
export function knownFields({ properties = {} }: JsonSchema): readonly string[] {
  return Object.keys(properties)
}

/** The schema of a change of notes: any of their fields, each as it should be from now on, or null. */
export function patchSchema(notes: JsonSchema): JsonSchema {
  const { required: _required, properties = {}, ...rest } = notes
  const fields = Object.entries(properties).map(([name, schema]) => [name, { anyOf: [schema, { type: 'null' }] }])
  return {
    ...rest,
    // Through entries, so that a field `__proto__` is a field like others.
    properties: Object.fromEntries(fields) as NonNullable<JsonSchema['properties']>,
    // What the schema does not speak of is not kept, unless it says that anything may be.
    additionalProperties: notes.additionalProperties ?? false,
  }
}
