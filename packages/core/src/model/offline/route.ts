import { pathsIn } from './extract.ts'
import { isCreative, isCreativeTool, isSum, onlyLooks, speaksOfItsObject } from './finder-scope.ts'
import { plainWords } from './idioms.ts'
import { namesIn } from './names.ts'
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

export function routerOf(cards: readonly ToolCard[], delegated = false): Router {
  const index = indexOf(cards.map((card) => card.bag))
  const rank = (text: string): Fit[] => {
    const query = queryOf(plainWords(text))
    if (hasArithmetic(text)) add(query, '~compute', 1.2)
    if (/\blook(?:ing)?\s+(?:\S+\s+){0,3}?(?:up|for)\b/i.test(text.slice(0, 2000))) add(query, '~search', 0.7)
    if (languageIn(text, 'to')) add(query, '~translate', 0.8)
    const reads = readsFiles(text)
    const asks = ASKS.test(text)
    const aboutFiles = FILE_WORDS.test(text) || pathsIn(text).length > 0
    return cards
      .map((card, at) => ({ card, ...withReading(card, index.match(at, query), reads) }))
      .filter(({ card, evidence }) => evidence >= ENOUGH && (card.files === undefined || aboutFiles))
      .filter(({ card }) => mayAnswer(card, text, delegated))
      .map(({ card, score, exact }) => ({ card, score: score * (asks && does(card) ? 0.6 : 1), exact, strong: true }))
      .sort(byRank)
  }
  return {
    choose(text, { gather = false } = {}) {
      const ranked = rank(text)
      const [best] = ranked
      if (best !== undefined) return [best, ...besides(best, ranked, openingVerb(text))]
      if (!gather && (!asksForFacts(text) || isCreative(text))) return []
      const query = queryOf(text)
      const finders = cards
        .map((card, at) => ({ card, ...index.match(at, query), strong: false }))
        .filter(({ card }) => card.finder && (card.anything || delegated) && mayAnswer(card, text, delegated))
        .sort(byRank)
      return finders.slice(0, 1)
    },
  }
}

const ASKS = /^(?:what|how many|how much|when|where|who|which|is|are|does|do|did|was|were|has|have)\b/i

/** A question is for what looks things up sooner than for what changes them. */
function does(card: ToolCard): boolean {
  return !card.delegation && !onlyLooks(card.description)
}

/** A finder must be asked for what it finds, and nobody is asked for verses who does not say that they write them. */
function mayAnswer(card: ToolCard, text: string, delegated: boolean): boolean {
  if (isCreative(text)) return isCreativeTool(`${card.name.replace(/[_-]/g, ' ')}. ${card.description}`)
  if (!card.finder) return true
  if (hasArithmetic(text) && isSum(text)) return false
  // Whoever delegated the request has judged already that it fits what this agent finds.
  if (delegated || card.anything) return true
  return speaksOfItsObject(text, card.known, card.bag, card.name) || findsPerson(card, text)
}

const PERSON = /\b(?:person|people|user|employee|customer|contact|member|colleague|staff|owner)s?\b/i

/** "Find the email of Ada": whoever finds people is asked about a person. */
function findsPerson(card: ToolCard, text: string): boolean {
  const about = `${card.name.replace(/[_-]/g, ' ')} ${card.description}`
  return PERSON.test(about) && SOUGHT.test(text) && namesIn(text, card.known).length > 0
}

const SOUGHT = /\b(?:find|search|look|get|who|whose|contact|email|phone|number|address|tell)\b/i

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
