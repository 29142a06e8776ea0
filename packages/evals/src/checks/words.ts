/** How many names are listed before the rest is only counted. */
const MOST_LISTED = 10

/** Names in a sentence: `"a", "b"`. */
export function quoted(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).map((name) => JSON.stringify(name))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** `once`, `2 times`, `0 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
