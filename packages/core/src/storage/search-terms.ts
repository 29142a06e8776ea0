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
const MAX_QUERY_TERMS = 64

/** The terms that a query looks for, each once. */
export function queryTerms(query: string): string[] {
  return [...new Set(searchTerms(query))].slice(0, MAX_QUERY_TERMS)
}
