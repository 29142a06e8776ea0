/** How much a word counts more when it is said again, and how much a long text counts less: the usual values. */
const K1 = 1.2
const B = 0.75

export interface Ranked<Row> {
  readonly row: Row
  readonly score: number
}

/** The rows that hold any of the terms, by BM25 (the formula of SQLite's FTS5), the best first; equal ones, the newest first. */
export function rankByTerms<Row extends { readonly terms: string; readonly sequence: number }>(
  rows: readonly Row[],
  wanted: readonly string[],
): Ranked<Row>[] {
  if (wanted.length === 0) return []
  const split = rows.map(({ terms }) => (terms === '' ? [] : terms.split(' ')))
  const average = split.reduce((sum, terms) => sum + terms.length, 0) / rows.length
  const scores = rows.map(() => 0)
  for (const term of wanted) {
    const counts = split.map((terms) => terms.reduce((sum, said) => (said === term ? sum + 1 : sum), 0))
    const holding = counts.filter((count) => count > 0).length
    // Never negative: a word that most rows hold still makes one that holds it the better one.
    const rarity = Math.max(1e-6, Math.log((rows.length - holding + 0.5) / (holding + 0.5)))
    for (const [index, count] of counts.entries()) {
      const length = (split[index] as string[]).length / average
      scores[index] = (scores[index] as number) + (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + B * length))
    }
  }
  return rows
    .map((row, index) => ({ row, score: scores[index] as number }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || other.row.sequence - one.row.sequence)
}
