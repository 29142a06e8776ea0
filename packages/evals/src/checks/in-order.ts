/** The first that does not come after those before it; undefined if all stand in `actual` in their order, whatever is between them. */
export function firstOutOfOrder<T>(
  expected: readonly string[],
  actual: readonly T[],
  fits: (item: T, name: string) => boolean,
): number | undefined {
  let from = 0
  for (const [index, name] of expected.entries()) {
    const found = actual.findIndex((item, place) => place >= from && fits(item, name))
    if (found === -1) return index
    from = found + 1
  }
  return undefined
}
