import type { Message } from '../messages/message.ts'

/** Scripts that put no space between words: each character is a term, as good as can be without a dictionary. */
const TERM =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv

/** What is longer is no word of a language: it would only swell an index. */
const MAX_TERM_LENGTH = 64

/** The words of a text, in order, as all stores index and look them up: without case and accents. */
export function searchTerms(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
  return (plain.match(TERM) ?? []).map((term) => term.slice(0, MAX_TERM_LENGTH))
}

/** How many different terms of a query are looked up. */
const MAX_QUERY_TERMS = 64

/** The terms that a query looks for, each once. */
export function queryTerms(query: string): string[] {
  return [...new Set(searchTerms(query))].slice(0, MAX_QUERY_TERMS)
}

/** What of a message can be found: the text that a person or an agent said. */
export function searchableText({ role, content }: Message): string {
  if (role !== 'user' && role !== 'assistant') return ''
  const texts: string[] = []
  for (const part of content) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n')
}
