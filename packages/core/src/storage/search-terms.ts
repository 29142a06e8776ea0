/**
 * A word, of at most 64 characters: a longer one is none of a language, and is cut. Scripts that put no space between words give a
 * term for each character, which is as good as can be without a dictionary.
 */
const TERM =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]{1,64}/gv

/** So much of a text is looked at, in UTF-16 code units: a whole book in one message must not stop the process. */
const SEARCHED_LENGTH = 200_000

/** The words at the beginning of a text, in order, as all stores index and look them up: without case and accents. */
export function searchTerms(text: string): string[] {
  const plain = text
    .slice(0, SEARCHED_LENGTH)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
  return plain.match(TERM) ?? []
}

/** How many different terms of a query are looked up. */
const MAX_QUERY_TERMS = 32

/** Words that are in every other sentence: what a question is about is in its others, if it has any. English alone has such a list here. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be been but by can could d did do does for from had has have he her him his how i if in
  into is it its just ll m me my no not of on or our re s she should so t than that the their them then there these they this to us ve
  was we were what when where which who whom why will with would you your`.split(/\s+/),
)

/** What a query looks for: a word, or at half of its weight one that begins as it does without its ending. */
export interface QueryTerm {
  readonly word: string
  /** Undefined where the word has no forms, or what is left of it is too short to mean anything. */
  readonly beginning: string | undefined
}

/** The terms that a query looks for, each once. */
export function queryTerms(query: string): QueryTerm[] {
  const words = [...new Set(searchTerms(query))]
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return (telling.length > 0 ? telling : words)
    .slice(0, MAX_QUERY_TERMS)
    .map((word) => ({ word, beginning: beginningOf(word) }))
}

const ENDING = /(?:ies|ments?|ings?|ions?|e?s|ed|e|(?<=[^aeiou])y)$/
const SHORTEST_BEGINNING = 4

/** `picked`, `picking` and `picks` begin as `pick`, and `policies` as `policy`. */
function beginningOf(word: string): string | undefined {
  if (!/^[a-z]+$/.test(word) || word.length < SHORTEST_BEGINNING) return undefined
  const beginning = word.replace(ENDING, '')
  return beginning.length < SHORTEST_BEGINNING ? word : beginning
}
