import type { InValue } from '@libsql/client'

/** A filter as a condition: `columns` has the column of each name, and what is undefined is of no account. */
export function where<Name extends string>(
  columns: Readonly<Record<Name, string>>,
  filter: { readonly [Key in Name]?: InValue | undefined },
): { readonly sql: string; readonly args: InValue[] } {
  const conditions = ['TRUE']
  const args: InValue[] = []
  for (const name of Object.keys(columns) as Name[]) {
    const value = filter[name]
    if (value === undefined) continue
    conditions.push(`${columns[name]} = ?`)
    args.push(value)
  }
  return { sql: conditions.join(' AND '), args }
}
