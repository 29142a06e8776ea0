import { STOP_WORDS, WEAK_WORDS } from './stop-words.ts'
import { conceptsOf } from './synonyms.ts'
import { stem, words } from './tokens.ts'

/** A bag of weighted terms; a concept stands beside the words that name it, as `~concept`. */
export type Bag = Map<string, number>

export interface Match {
  score: number
  /** How much speaks for the match, apart from how rare it is; words that fit anything do not count. */
  evidence: number
  /** The words themselves, without concepts. */
  exact: ReadonlySet<string>
}

const CONCEPT_WEIGHT = 0.7
const WEAK_WEIGHT = 0.25
const K1 = 1.2
const B = 0.3

export function addWords(bag: Bag, list: Iterable<string>, weight: number): void {
  for (const word of list) {
    if (STOP_WORDS.has(word)) continue
    add(bag, stem(word), weight)
    for (const concept of conceptsOf(word)) add(bag, `~${concept}`, weight)
  }
}

export function add(bag: Bag, term: string, weight: number): void {
  bag.set(term, (bag.get(term) ?? 0) + weight)
}

export function bagOf(text: string): Bag {
  const bag: Bag = new Map()
  addWords(bag, words(text), 1)
  return bag
}

/** The terms of a query weigh the same however often they are said. */
export function queryOf(text: string): Bag {
  const query: Bag = new Map()
  for (const word of words(text)) {
    if (STOP_WORDS.has(word)) continue
    query.set(stem(word), WEAK_WORDS.has(word) ? WEAK_WEIGHT : 1)
    for (const concept of conceptsOf(word)) query.set(`~${concept}`, CONCEPT_WEIGHT)
  }
  return query
}

export interface Index {
  match(doc: number, query: Bag): Match
}

/** BM25 over whatever is at hand: the tools of one agent, or the sentences of one result. */
export function indexOf(docs: readonly Bag[]): Index {
  const frequency = new Map<string, number>()
  const lengths: number[] = []
  for (const doc of docs) {
    let length = 0
    for (const [term, weight] of doc) {
      frequency.set(term, (frequency.get(term) ?? 0) + 1)
      if (!term.startsWith('~')) length += weight
    }
    lengths.push(length)
  }
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, docs.length) || 1
  const rarity = (term: string): number => {
    const df = frequency.get(term) ?? 0
    return Math.log(1 + (docs.length - df + 0.5) / (df + 0.5))
  }
  return {
    match(at, query) {
      const doc = docs[at] ?? new Map<string, number>()
      const norm = K1 * (1 - B + (B * (lengths[at] ?? 0)) / mean)
      const exact = new Set<string>()
      let score = 0
      let evidence = 0
      for (const [term, asked] of query) {
        const tf = doc.get(term)
        if (tf === undefined) continue
        score += (asked * rarity(term) * tf * (K1 + 1)) / (tf + norm)
        if (asked > WEAK_WEIGHT) evidence += asked * Math.min(1, tf)
        if (asked === 1 && tf >= 1) exact.add(term)
      }
      return { score, evidence, exact }
    },
  }
}
