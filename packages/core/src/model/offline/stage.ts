import { quotedIn } from './extract.ts'
import { languageIn } from './signals.ts'
import { requiredOf, type ToolCard } from './tool-card.ts'

/** One tool's part in the answer: it runs when the stages that it waits for have run. */
export interface Stage {
  card: ToolCard
  clauses: string[]
  /** Those of the clauses that fit no tool themselves and go with the one before. */
  attached?: Set<string>
  after: Stage[]
  /** What it takes is what a stage before it brings, though no word of the request says so. */
  needs?: boolean
  /** It reads files for the sentences that answer the request. */
  searches?: boolean
  /** Asked for by the request, needed by a later stage, or looked up for the composition. */
  why: 'asked' | 'producer' | 'files'
}

export function isWriter(card: ToolCard): boolean {
  return card.transformer && card.produces.has('document') && (card.bag.get('~write') ?? 0) >= 1 && !card.reviewer
}

const TEXTS =
  /^(?:(?:source)?_?code|source|snippet|script|text|content|contents|body|document|passage|markdown|html|draft|article)$/i

/** A tool that cannot do without a text to work on. */
export function takesText(card: ToolCard): boolean {
  return requiredOf(card.schema).some((key) => TEXTS.test(key))
}

export function isTextName(name: string): boolean {
  return TEXTS.test(name)
}

export function bringsOwn(stage: Stage): boolean {
  return stage.clauses.some(
    (clause) => quotedIn(clause).some((quoted) => quoted.text.length > 2) || inlineText(clause) !== '',
  )
}

/** "Translate good morning into French" holds the text to translate. */
export function inlineText(clause: string): string {
  if (!languageIn(clause, 'to')) return ''
  const match =
    /^(?:please\s+)?(?:translate|say|put|render|write)\s+(.{1,2000}?)\s+(?:in|into|to)\s+\p{L}+[.!?]?$/iu.exec(
      clause.trim(),
    )
  const text = (match?.[1] ?? '').replace(/^(["“'‘«`])(.*)["”'’»`]$/s, '$2')
  return /^(?:it|them|this|that|these|those|the (?:\w+\s?){1,4})$/i.test(text) ? '' : text
}

export function waitsFor(stage: Stage, other: Stage): boolean {
  return stage.after.some((each) => each === other || waitsFor(each, other))
}
