import type { SearchResult } from 'minisearch'
import type { Weights } from './excerpt.ts'
import type { Library } from './library.ts'
import { codeOf, type Passage } from './load.ts'
import type { Named } from './names.ts'
import { isUnder, type Subject, subjectsOf } from './subjects.ts'
import { terms } from './terms.ts'

/** A passage that fits, with the words of the question's topic that it holds. */
export interface Candidate {
  readonly passage: Passage
  readonly code: string
  readonly score: number
  readonly covered: ReadonlySet<string>
  /** They are not only the adjective of its own country. */
  readonly onTopic: boolean
  /** How many of them are more than its own headings, which every country has. */
  readonly said: number
  /** The subject of the topic under whose heading it stands. */
  readonly subject: Subject | undefined
  /** Its text speaks of every country that the question names. */
  readonly mentions: boolean
  /** The words of its text that it was found by: they pick its best sentences. */
  readonly wanted: Weights
}

/** The passages that fit, best first. */
export function rank(library: Library, named: Named, topic: readonly string[]): Candidate[] {
  return arrange(candidates(library, named, topic), named)
}

function candidates({ corpus, passages, index }: Library, named: Named, topic: readonly string[]): Candidate[] {
  const names = new Set(named.byName)
  const titles = new Map(
    [...names, ...named.byAdjective.keys()].map((code) => [code, terms(corpus.countries.get(code)?.title ?? '')]),
  )
  // A country may be named by a word that its passages never use, so its title joins the search.
  const query = new Set([...topic, ...[...titles.values()].flat()])
  if (query.size === 0) return []

  const question: Question = {
    named,
    topic,
    titles,
    names: named.byName.map((code) => corpus.countries.get(code)?.title ?? code),
    subjects: subjectsOf(topic),
  }
  const asked = new Set(topic)
  const adjectives = new Set([...named.byAdjective.values()].flat())
  const hits = index.search([...query].join(' '), {
    tokenize: (text) => text.split(' '),
    boost: { title: 5, text: 1, field: 1, section: 0.7, region: 0.5 },
    // Names are taken as they stand: "Niger" does not mean Nigeria.
    prefix: (term) => asked.has(term) && term.length >= 4,
    fuzzy: (term) => (asked.has(term) && term.length >= 6 ? 0.15 : false),
    // "Aral" in "the Aral Sea" is worth more than the sea: proper names are what a question turns on.
    boostTerm: (term) => (named.proper.has(term) && !adjectives.has(term) ? 2.5 : 1),
    weights: { prefix: 0.3, fuzzy: 0.2 },
    boostDocument: (id: string) => {
      const code = codeOf(id)
      // A name is what the question is about: it has to beat any pile of common words elsewhere.
      const country = names.has(code) ? 5 : named.byAdjective.has(code) ? 3 : 1
      return country * (question.subjects.some((subject) => isUnder(subject, id)) ? 1.6 : isOverview(id) ? 1.3 : 1)
    },
  })
  const rarity = rarities(hits)
  const found: Candidate[] = []
  for (const hit of hits) {
    const passage = passages.get(hit.id)
    if (passage) found.push(candidate(hit, passage, question, rarity))
  }
  return found
}

interface Question {
  readonly named: Named
  readonly topic: readonly string[]
  /** The terms of the titles of what is named or hinted at, by code. */
  readonly titles: ReadonlyMap<string, readonly string[]>
  /** The titles of what is named, as texts write them. */
  readonly names: readonly string[]
  readonly subjects: readonly Subject[]
}

function candidate(
  hit: SearchResult,
  passage: Passage,
  { named, topic, titles, names, subjects }: Question,
  rarity: Weights,
): Candidate {
  const code = codeOf(passage.id)
  const adjective = named.byAdjective.get(code) ?? []
  const matched = new Set([...hit.queryTerms, ...adjective])
  const own = titles.get(code) ?? []
  const wanted = new Map<string, number>()
  for (const term of textTerms(hit)) {
    // A passage on Rwanda says "Rwanda" everywhere: that makes no sentence of it better than another.
    if (!own.includes(term)) wanted.set(term, rarity.get(term) ?? 1)
  }
  const headings = new Set(terms(`${passage.section} ${passage.field}`))
  return {
    passage,
    code,
    score: hit.score,
    covered: new Set(topic.filter((term) => matched.has(term))),
    onTopic: topic.some((term) => matched.has(term) && !adjective.includes(term)),
    said: topic.filter((term) => matched.has(term) && !headings.has(term)).length,
    subject: subjects.find((subject) => isUnder(subject, passage.id)),
    mentions: names.every((name) => passage.text.includes(name)),
    wanted,
  }
}

function textTerms(hit: SearchResult): string[] {
  return Object.entries(hit.match).flatMap(([term, fields]) => (fields.includes('text') ? term : []))
}

/** A word that few passages share says more than one that most do. */
function rarities(hits: readonly SearchResult[]): Weights {
  const counts = new Map<string, number>()
  for (const hit of hits) for (const term of textTerms(hit)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return new Map([...counts].map(([term, count]) => [term, Math.log10(1 + (9 * hits.length) / count)]))
}

/** The passages to read first when a question names a country and little else. */
function isOverview(id: string): boolean {
  return id.endsWith('/introduction/background') || id.endsWith('/economy/economy-overview')
}

/** Best first; of several countries that are named, each one's best passage before any second one. */
function arrange(found: readonly Candidate[], named: Named): Candidate[] {
  const names = new Set(named.byName)
  const topical = new Set(found.filter(isTopical).map(({ code }) => code))
  const adjectives = new Set([...named.byAdjective.values()].flat())
  const onlyAdjectives = named.topic.every((term) => adjectives.has(term))
  // One word in common is chance, unless the question has hardly more.
  const needed = named.topic.length > (adjectives.size > 0 ? 1 : 2) ? 2 : 1
  // A proper name that is no country ("Kashmir") is what the question turns on: what does not speak of it does not answer it.
  const proper = named.topic.filter((term) => named.proper.has(term) && !adjectives.has(term))
  const spoken = proper.filter((term) => found.some(({ covered }) => covered.has(term)))
  const speaks = ({ covered }: Candidate): boolean => spoken.length === 0 || spoken.some((term) => covered.has(term))
  const fitting = found
    .filter((item) => {
      // A named country's passages have to say something on the topic; if none does, its overviews stand in.
      if (names.has(item.code)) {
        if (topical.has(item.code)) return isTopical(item)
        return named.topic.length === 0 || isOverview(item.passage.id)
      }
      if (named.byAdjective.has(item.code) && !onlyAdjectives && !isTopical(item)) return false
      // Where countries are named, others count only for what they say of them.
      if (names.size > 0) return item.mentions && item.said >= needed
      return item.covered.size >= needed && speaks(item)
    })
    .sort((a, b) => b.score - a.score || (a.passage.id < b.passage.id ? -1 : 1))

  if (names.size < 2) return fitting
  const first = new Map<string, Candidate>()
  for (const item of fitting) if (names.has(item.code) && !first.has(item.code)) first.set(item.code, item)
  const heads = new Set(first.values())
  return [...heads, ...fitting.filter((item) => !heads.has(item))]
}

function isTopical(item: Candidate): boolean {
  return item.onTopic || item.subject !== undefined
}
