import { namesIn } from './names.ts'
import { wantsDocument } from './products.ts'
import { STOP_WORDS } from './stop-words.ts'
import { conceptsOf, isVerb } from './synonyms.ts'
import { contentWords, words } from './tokens.ts'

const QUESTION =
  /\b(?:what|how|why|who|whom|whose|when|where|which|compare|comparison|contrast|explain|describe|overview|difference|versus|vs|learn about|tell me about|know about|background|history of|list|identify)\b/i
const FOREIGN_QUESTION =
  /\b(?:pourquoi|quel(?:le)?s?|combien|comparez?|expliquez?|por qué|porque|quién|cuál(?:es)?|cuándo|dónde|compara(?:r)?|explica(?:r)?|warum|wer|welche[rs]?|wann|vergleiche?n?|erkläre?n?|perché|quanto|confronta|quais|compare)\b/iu
const ARITHMETIC =
  /\d\s*(?:[+*/×÷^]|-\s*\d|%\s+of\b)|\b\d[\d.,]*\s+(?:plus|minus|times|divided by|multiplied by)\s+-?\d/i

/** Arithmetic written out counts as a wish to compute, though no word says so. */
export function hasArithmetic(text: string): boolean {
  return ARITHMETIC.test(text.slice(0, 20_000))
}

/** How much a text asks to be told something: a question or a document about a topic, but not an errand. */
export function asksForFacts(text: string): boolean {
  const plain = text.slice(0, 20_000)
  if (contentWords(plain).length === 0) return false
  if (QUESTION.test(plain) || FOREIGN_QUESTION.test(plain)) return !isErrand(plain)
  if (contentWords(plain).some((word) => conceptsOf(word).includes('chat'))) return false
  if (wantsDocument(plain)) return true
  if (isErrand(plain)) return false
  return /[?？؟]/.test(plain) || isTopic(plain)
}

/** "Book a table", "could you book a table?": a verb in front that is not a wish to know. */
function isErrand(text: string): boolean {
  const asked = text
    .trim()
    .replace(
      /^(?:please|kindly|(?:can|could|would|will) you(?: please)?|i (?:want|need|would like)(?: you)? to|i'd like(?: you)? to|let's)\s+/i,
      '',
    )
  const [first = '', second = ''] = words(asked.slice(0, 200))
  if (KNOWING.has(first)) return false
  if (isVerb(first)) return true
  return !STOP_WORDS.has(first) && DETERMINERS.has(second)
}

const KNOWING = new Set(
  'explain describe compare contrast tell show list find identify look research give recommend suggest search'.split(
    ' ',
  ),
)
const DETERMINERS = new Set('a an the my me us our your this that these those it him her them'.split(' '))

/** "Rwanda's coffee exports", "history of the Ottoman Empire": a topic and no verb. */
function isTopic(text: string): boolean {
  const [first = ''] = words(text.slice(0, 200))
  return (
    !isVerb(first) && words(text).length <= 14 && (namesIn(text).length > 0 || /\b(?:of|in|about|['’]s)\b/i.test(text))
  )
}

const LANGUAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    english: 'en',
    french: 'fr',
    german: 'de',
    spanish: 'es',
    italian: 'it',
    portuguese: 'pt',
    dutch: 'nl',
    swedish: 'sv',
    norwegian: 'no',
    danish: 'da',
    finnish: 'fi',
    polish: 'pl',
    czech: 'cs',
    russian: 'ru',
    ukrainian: 'uk',
    greek: 'el',
    turkish: 'tr',
    arabic: 'ar',
    hebrew: 'he',
    hindi: 'hi',
    bengali: 'bn',
    swahili: 'sw',
    japanese: 'ja',
    chinese: 'zh',
    korean: 'ko',
    vietnamese: 'vi',
    thai: 'th',
    latin: 'la',
    kinyarwanda: 'rw',
    indonesian: 'id',
    romanian: 'ro',
    hungarian: 'hu',
    bulgarian: 'bg',
    persian: 'fa',
    urdu: 'ur',
  }),
)

export interface Language {
  name: string
  code: string
}

/** The language to write in ("into French") or, with `from`, the one to read. */
export function languageIn(text: string, direction: 'to' | 'from'): Language | undefined {
  const lead = direction === 'to' ? '(?:in|into|to)' : 'from'
  for (const match of text.slice(0, 20_000).matchAll(new RegExp(String.raw`\b${lead}\s+(\p{L}{4,12})\b`, 'giu'))) {
    const name = match[1] ?? ''
    const code = LANGUAGES.get(name.toLowerCase())
    if (code !== undefined) return { name, code }
  }
  return undefined
}

const BACK =
  /\b(?:it|them|they|their|its|his|her|he|she|him|that|this|these|those|the (?:result|results|answer|findings|output|sum|total|above|same|former|latter)|both)\b/i

/** The text leans on something said before it. */
export function refersBack(text: string): boolean {
  return BACK.test(text)
}

const STYLE = new Set(
  'make let have get say keep be use include cite limit give tell show do run turn create list add write'.split(' '),
)

/** An errand of its own, not a wish about the form of the answer. */
export function isUnmetErrand(text: string): boolean {
  const [first = ''] = words(text.slice(0, 200))
  return isErrand(text) && !STYLE.has(first) && contentWords(text).length > 1
}
