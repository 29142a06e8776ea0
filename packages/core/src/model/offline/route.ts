import { pathsIn } from './extract.ts'
import { plainWords } from './idioms.ts'
import { add, indexOf, type Match, queryOf } from './rank.ts'
import { asksForFacts, hasArithmetic, languageIn } from './signals.ts'
import { isVerb } from './synonyms.ts'
import { contentWords, stem } from './tokens.ts'
import type { ToolCard } from './tool-card.ts'

export interface Fit {
  card: ToolCard
  score: number
  exact: ReadonlySet<string>
  /** The description itself speaks for it; else it is only the one that finds things. */
  strong: boolean
}

export interface Router {
  /** The tools that a text asks for, the best one first; empty where none fits. */
  choose(text: string, options?: { gather?: boolean }): Fit[]
}

const ENOUGH = 0.5
const FILE_WORDS = /\b(?:files?|folders?|director(?:y|ies)|workspace|templates?|save|on disk)\b/i

export function routerOf(cards: readonly ToolCard[]): Router {
  const index = indexOf(cards.map((card) => card.bag))
  const rank = (text: string): Fit[] => {
    const query = queryOf(plainWords(text))
    if (hasArithmetic(text)) add(query, '~compute', 1.2)
    if (languageIn(text, 'to')) add(query, '~translate', 0.8)
    const reads = readsFiles(text)
    const aboutFiles = FILE_WORDS.test(text) || pathsIn(text).length > 0
    return cards
      .map((card, at) => ({ card, ...withReading(card, index.match(at, query), reads) }))
      .filter(({ card, evidence }) => evidence >= ENOUGH && (card.files === undefined || aboutFiles))
      .map(({ card, score, exact }) => ({ card, score, exact, strong: true }))
      .sort(byRank)
  }
  return {
    choose(text, { gather = false } = {}) {
      const ranked = rank(text)
      const [best] = ranked
      if (best !== undefined) return [best, ...besides(best, ranked, openingVerb(text))]
      if (!gather && !asksForFacts(text)) return []
      const query = queryOf(text)
      const finders = cards
        .map((card, at) => ({ card, ...index.match(at, query), strong: false }))
        .filter(({ card }) => card.finder)
        .sort(byRank)
      return finders.slice(0, 1)
    },
  }
}

/** What stands in a file is asked for in many words: "what does the budget file say" wants it read. */
function readsFiles(text: string): boolean {
  if (/\b(?:delete|remove|write|save|move|rename|create|append|edit)\b/i.test(text)) return false
  if (/\b(?:read|open|says?|contains?|contents?|inside|what|summari[sz]e|quote|according|show)\b/i.test(text))
    return FILE_WORDS.test(text) || pathsIn(text).length > 0
  return false
}

function withReading(card: ToolCard, match: Match, reads: boolean): Match {
  if (!reads || card.files !== 'read') return match
  return { ...match, score: match.score + 1, evidence: match.evidence + 1 }
}

/** Another tool joins the best one where words of the text name it that say nothing of the best one. */
function besides(best: Fit, ranked: readonly Fit[], verb: string): Fit[] {
  const spoken = new Set(best.exact)
  const chosen: Fit[] = []
  for (const fit of ranked.slice(1)) {
    const own = [...fit.exact].filter((term) => !spoken.has(term) && !term.startsWith('~'))
    const named = own.some((term) => term === verb || (fit.card.bag.get(term) ?? 0) >= 1.5)
    if (fit.score < best.score * 0.5 || chosen.length === 2 || (own.length < 2 && !named)) continue
    chosen.push(fit)
    for (const term of own) spoken.add(term)
  }
  return chosen
}

/** "Email Bob the weather": the verb in front is what is to be done with it. */
function openingVerb(text: string): string {
  const [first = ''] = contentWords(text.slice(0, 200))
  return isVerb(first) ? stem(first) : ''
}

function byRank(a: { card: ToolCard; score: number }, b: { card: ToolCard; score: number }): number {
  return b.score - a.score || a.card.mention - b.card.mention
}
