import type { QueryTerm } from './search-terms.ts'

/** How a message that holds terms is scored, in every store: BM25, in which a word counts once however often it is said. */
export const RANKING = {
  /** How much a long text counts less, and how far that goes: the usual values. */
  k: 1.2,
  b: 0.75,
  /** What another form of a word counts. */
  form: 0.5,
} as const

export interface Ranked<Row> {
  readonly row: Row
  readonly score: number
}

/** Those of the rows that may be seen that hold any of the terms, the best first; equal ones, the newest first. */
export function rankByTerms<Row extends { readonly terms: string; readonly sequence: number }>(
  rows: readonly Row[],
  wanted: readonly QueryTerm[],
): Ranked<Row>[] {
  const { k, b } = RANKING
  const hits = rows
    .map((row) => ({ row, weights: wanted.map((term) => weightOf(` ${row.terms} `, term)) }))
    .filter(({ weights }) => weights.some((weight) => weight > 0))
  const average = hits.reduce((sum, { row }) => sum + row.terms.length, 0) / hits.length
  const rarities = wanted.map((_term, index) => {
    const holding = hits.filter(({ weights }) => weights[index] !== 0).length
    return Math.log(1 + (rows.length - holding + 0.5) / (holding + 0.5))
  })
  return hits
    .map(({ row, weights }) => {
      const sum = weights.reduce((total, weight, index) => total + weight * (rarities[index] ?? 0), 0)
      return { row, score: sum / (1 + k * (1 - b + (b * row.terms.length) / average)) }
    })
    .sort((one, other) => other.score - one.score || other.row.sequence - one.row.sequence)
}

/** `terms`: with a space before and after each. */
function weightOf(terms: string, { word, beginning }: QueryTerm): number {
  if (terms.includes(` ${word} `)) return 1
  return beginning !== undefined && terms.includes(` ${beginning}`) ? RANKING.form : 0
}
