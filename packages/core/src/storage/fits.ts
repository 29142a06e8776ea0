/** Whether a row has all that a filter says; what the filter leaves undefined is of no account. */
export function fits<Row extends object>(
  row: Row,
  filter: { readonly [Name in keyof Row]?: Row[Name] | undefined },
): boolean {
  const names = Object.keys(filter) as (keyof Row)[]
  return names.every((name) => filter[name] === undefined || filter[name] === row[name])
}
