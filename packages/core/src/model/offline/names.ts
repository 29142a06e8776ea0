import { type Found, MONTHS } from './extract.ts'
import { isCommonOpening } from './openings.ts'
import { STOP_WORDS } from './stop-words.ts'
import { isVerb } from './synonyms.ts'
import { contentWords, stem, words } from './tokens.ts'

const READ_AT_MOST = 40_000
const NAME =
  /\p{Lu}[\p{L}\p{N}]*(?:['’-]\p{L}[\p{L}\p{N}]*)*(?:\s+(?:(?:of|of the|de|del|da|van|von)\s+)?\p{Lu}[\p{L}\p{N}]*(?:['’-]\p{L}[\p{L}\p{N}]*)*)*/gu
const NOT_NAMES = new Set([
  ...MONTHS,
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
  'i',
  'first',
  'second',
  'finally',
  'next',
])

/** Capitalised names. A word that only opens a sentence is not one if the planner knows it as something else. */
export function namesIn(source: string, known: ReadonlySet<string> = NOTHING_KNOWN): Found[] {
  const text = source.slice(0, READ_AT_MOST)
  const found: Found[] = []
  for (const match of text.matchAll(NAME)) {
    let name = match[0]
    let at = match.index
    while (name !== '' && isOrdinary(name.split(/\s+/)[0] ?? '', opensAt(text, at), known)) {
      const rest = name.replace(/^\S+\s*/, '')
      at += name.length - rest.length
      name = rest
    }
    name = name.replace(/['’]s$/u, '')
    const opens = opensAt(text, at)
    const alone = !/\s/.test(name)
    if (
      name.length < 2 ||
      (opens &&
        alone &&
        /^\s+(?:an?|the|my|me|our|your|this|that|these|all|in|of|for|at|about|from|on|between|near|with|to)\b/.test(
          text.slice(at + name.length),
        ))
    )
      continue
    if (!found.some((known) => known.text.toLowerCase() === name.toLowerCase())) found.push({ text: name, at })
  }
  return found
}

const NOTHING_KNOWN: ReadonlySet<string> = new Set()

function opensAt(text: string, at: number): boolean {
  return at === 0 || /(?:[.!?:;\n]|[.!?:;\n]["“'‘(]|^["“'‘(])\s*$/.test(text.slice(Math.max(0, at - 12), at))
}

function isOrdinary(word: string, opens: boolean, known: ReadonlySet<string>): boolean {
  const plain = words(word).join('')
  if (/\p{L}['’](?:t|re|ve|ll|d|m)$/iu.test(word)) return true
  if (STOP_WORDS.has(plain) || isVerb(plain) || NOT_NAMES.has(plain)) return true
  // An abbreviation in capitals is a name wherever it stands.
  return opens && !/^\p{Lu}{2,}$/u.test(word) && (isCommonOpening(plain) || known.has(stem(plain)))
}

const JOINT = /^(?:['’]s)?(?:[\s,&/]|\band\b|\bor\b|\bvs\.?|\bversus\b|\bwith\b|\bto\b|\bthe\b|\bin\b|\bof\b)*$/i
const COMPARES = /\b(?:compar\w+|contrast\w*|versus|vs|difference\w*|between|both|each|differ)\b/i

/** Names that the request sets side by side: "Rwanda and Burundi", "compare tea with coffee". */
export function sideBySide(text: string, known: ReadonlySet<string> = NOTHING_KNOWN): string[] {
  const names = namesIn(text, known)
  const compares = COMPARES.test(text)
  const listed = names.filter((name, at) => {
    const next = names[at + 1]
    const before = names[at - 1]
    const touches = (a: Found, b: Found): boolean => JOINT.test(text.slice(a.at + a.text.length, b.at))
    return compares || (next !== undefined && touches(name, next)) || (before !== undefined && touches(before, name))
  })
  if (listed.length >= 2) return listed.slice(0, 4).map((name) => name.text)
  const pair =
    /\b(?:compare|contrast|between|of|in|for)\s+(?:the\s+)?([\p{L}-]{3,30})\s+(?:and|with|vs\.?|versus)\s+([\p{L}-]{3,30})/iu.exec(
      text.slice(0, READ_AT_MOST),
    )
  if (compares && pair && contentWords(`${pair[1]} ${pair[2]}`).length === 2) return [pair[1] ?? '', pair[2] ?? '']
  return []
}
