import { STOP_WORDS } from './stop-words.ts'

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const READ_AT_MOST = 20_000
const LONGEST_WORD = 40

/** Lower-cased words without accents; scripts that use no spaces become pairs of characters, so that they can still overlap. */
export function words(text: string): string[] {
  const plain = text.slice(0, READ_AT_MOST).normalize('NFKD').toLowerCase()
  const found: string[] = []
  for (const [match] of plain.matchAll(WORD)) {
    const word = match.replace(/\p{M}/gu, '').replace(/['’]s?$/u, '')
    if (word === '') continue
    if (UNSPACED.test(word) && word.length > 2) {
      const letters = [...word]
      for (let at = 0; at + 1 < letters.length; at++) found.push(`${letters[at]}${letters[at + 1]}`)
    } else found.push(word)
  }
  return found
}

/** `searchWeb`, `search_web` and `search-web` all read as two words. */
export function nameWords(name: string): string[] {
  return words(name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replace(/[_\-./]+/gu, ' '))
}

/** A light stemmer: enough to bring `writes`, `writer` and `writing` together, and no more. */
export function stem(word: string): string {
  if (word.length < 4 || word.length > LONGEST_WORD || /[^a-z]/.test(word)) return word
  // "Findings" are things; "finding" is a deed.
  if (word.endsWith('ings')) return word.slice(0, -1)
  let root = word.replace(/isation(s?)$/, 'ization$1').replace(/is(e|es|ed|er|ers|ing)$/, 'iz$1')
  root = root.replace(/ies$/, 'y').replace(/(ss|sh|ch|x|z)es$/, '$1')
  if (/[^su]s$/.test(root) && !/[^e]is$/.test(root)) root = root.slice(0, -1)
  root = root.replace(/(.{3,}[ts])ions?$/, '$1').replace(/(.*[aeiouy].*)ing$/, '$1')
  root = root.replace(/(.*[aeiouy].*[^e])ed$/, '$1').replace(/(.{4,})(?:er|or)$/, '$1')
  if (/..([bdfgmnprt])\1$/.test(root)) root = root.slice(0, -1)
  return root.length > 3 ? root.replace(/e$/, '').replace(/(.{4,})iz$/, '$1') : root
}

/** The stems that carry meaning, in order, repeated ones included. */
export function terms(text: string): string[] {
  return contentWords(text).map(stem)
}

export function contentWords(text: string): string[] {
  return words(text).filter((word) => !STOP_WORDS.has(word))
}

export function countWords(text: string): number {
  let count = 0
  for (const _ of text.matchAll(/\S+/gu)) count++
  return count
}

/** Cuts at a word where there is one near, never inside a surrogate pair. */
export function cutAt(text: string, limit: number): string {
  if (text.length <= limit) return text
  const space = text.lastIndexOf(' ', limit)
  let end = space > limit * 0.7 ? space : limit
  const code = text.charCodeAt(end - 1)
  if (code >= 0xd800 && code <= 0xdbff) end--
  return text.slice(0, end)
}
