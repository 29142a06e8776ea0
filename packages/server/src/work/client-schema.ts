/**
 * A client's JSON Schema without regular expressions: one that backtracks would hold up the whole process. Only keywords are dropped:
 * a property, or a value, that is called so stays.
 */
export function withoutPatterns(schema: unknown, isSchema = true): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutPatterns(each, isSchema))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !isSchema || (key !== 'pattern' && key !== 'patternProperties'))
      .map(([key, value]) => {
        if (isSchema && VALUES.has(key)) return [key, value]
        return [key, withoutPatterns(value, !isSchema || !NAMED.has(key))]
      }),
  )
}

/** Keywords that hold values. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
/** Keywords that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
