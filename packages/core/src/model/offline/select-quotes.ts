import { keywordsOf } from './keywords.ts'
import { namesIn } from './names.ts'
import type { Passage } from './passages.ts'
import { type Bag, bagOf, indexOf, queryOf } from './rank.ts'
import { sentencesOf } from './sentences.ts'
import { countWords, stem, words } from './tokens.ts'

export interface Quote {
  score: number
  text: string
  reference: string
  about: string
  data?: boolean
}

export interface QuoteGroup {
  name: string
  quotes: Quote[]
}

interface Candidate extends Quote {
  order: number
}

const MOST_QUOTES = 6
const MOST_WORDS = 400
const MOST_CANDIDATES = 2000
const SHORT_PASSAGE = 350
const LONGEST_QUOTE = 1200

/** The sentences that say most about the request, each as it stands, in the order in which they were returned. */
export function selectQuotes(passages: readonly Passage[], request: string, names: readonly string[]): QuoteGroup[] {
  const candidates = candidatesOf(passages, request, names)
  const asked = namesIn(request).map((name) => name.text)
  if (names.length < 2) {
    const filed = candidates.filter((each) => ownerOf(each, asked) !== undefined)
    const quotes = best(filed.length > 0 ? filed : candidates, MOST_WORDS)
    return quotes.length > 0 ? [{ name: '', quotes }] : []
  }
  const groups = names.map((name) => ({ name, own: candidates.filter((each) => ownerOf(each, names) === name) }))
  const stray = candidates.filter((each) => ownerOf(each, names) === undefined)
  const share = Math.floor(MOST_WORDS / names.length)
  const chosen = groups.map(({ name, own }) => ({ name, quotes: best(own, share) }))
  if (chosen.some(({ quotes }) => quotes.length === 0)) chosen.push({ name: '', quotes: best(stray, share) })
  return chosen.filter(({ quotes }) => quotes.length > 0)
}

/** What a passage is filed under says whose it is; only where it is not filed does its text say it. */
function ownerOf(quote: Quote, names: readonly string[]): string | undefined {
  const filed = ` ${words(`${quote.about} ${quote.reference}`).join(' ')} `
  const byPlace = names.find((name) => filed.includes(` ${words(name).join(' ')} `))
  if (byPlace !== undefined || quote.about !== '') return byPlace
  const text = ` ${words(quote.text).join(' ')} `
  return names.find((name) => text.includes(` ${words(name).join(' ')} `))
}

function candidatesOf(passages: readonly Passage[], request: string, names: readonly string[]): Candidate[] {
  const seen = new Set<string>()
  const found: Omit<Quote, 'score'>[] = []
  for (const passage of passages) {
    for (const text of unitsOf(passage)) {
      if (seen.has(text) || found.length >= MOST_CANDIDATES) continue
      seen.add(text)
      found.push({ text, reference: passage.reference, about: passage.about, ...(passage.data ? { data: true } : {}) })
    }
  }
  const query = queryOf(keywordsOf(request, [], 60))
  // Whose it is decides the group; what is said decides the quotation, unless the name is all that was asked.
  const named = new Set(
    [...names, ...namesIn(request).map((name) => name.text)].flatMap((name) => words(name).map(stem)),
  )
  if ([...query].some(([term, weight]) => weight === 1 && !named.has(term)))
    for (const term of named) query.delete(term)
  const bags: Bag[] = found.map((quote) => bagOf(quote.text))
  const index = indexOf(bags)
  return found.map((quote, order) => {
    const { score } = index.match(order, query)
    // What a tool returned first it thought best; a fragment or a loose quotation mark is worth less.
    const whole = countWords(quote.text) >= 5 && (quote.text.match(/"/g) ?? []).length % 2 === 0
    return { ...quote, order, score: score * (whole ? 1 : 0.2) * (1 - Math.min(0.3, order * 0.002)) }
  })
}

/** A short passage is one thought, and what returned it cut it so; a long one is read sentence by sentence. */
function unitsOf(passage: Passage): string[] {
  const most = passage.quoted ? LONGEST_QUOTE : SHORT_PASSAGE
  const whole = passage.text.length <= most && !/[\r\n]/.test(passage.text)
  return whole && passage.text.trim() !== '' ? [passage.text] : sentencesOf(passage.text)
}

function best(candidates: readonly Candidate[], mostWords: number): Quote[] {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.order - b.order)
  const chosen: Candidate[] = []
  let count = 0
  for (const candidate of ranked) {
    if (chosen.length === MOST_QUOTES) break
    if (candidate.score <= 0 && chosen.length > 0) break
    const size = countWords(candidate.text)
    if (chosen.length > 0 && count + size > mostWords) continue
    chosen.push(candidate)
    count += size
  }
  return chosen.sort((a, b) => a.order - b.order).map(({ order: _, ...quote }) => quote)
}
