import type { Bag } from './rank.ts'
import { conceptsOf } from './synonyms.ts'
import { contentWords, nameWords, stem, words } from './tokens.ts'

const ANY =
  /\b(?:facts?|factual|sources?|information|topics?|subjects?|web|internet|online|notes?|anything|everything|knowledge|encyclop\w+|wikipedia|corpus|references?|evidence|passages?|citations?|general|literature|library|background|findings|bibliograph\w+|researche[rs]|to research|docs|documentation|documents|faqs?|wikis?|manuals?|handbooks?)\b/gi
/** "Facts about a topic" is anything; "facts about orders" is orders. */
const NARROWED =
  /^\s*(?:notes?\s+)?(?:about|on|regarding|concerning)\s+(?!(?:(?:an?|any|the|some|all|every|given|one|your|user['’]?s?)\s+)*(?:topics?|subjects?|questions?|themes?|things?|anything|everything|world|countries|country|nations?|places?|history|science|geography|people|requests?|web|internet)\b)/i

/** A finder of anything may be asked what nothing else fits; a finder of one kind of thing may not. */
export function findsAnything(about: string, name: string): boolean {
  const text = `${nameWords(name).join(' ')}. ${about}`.slice(0, 4000)
  return [...text.matchAll(ANY)].some((match) => !NARROWED.test(text.slice(match.index + match[0].length)))
}

const SEEKS: ReadonlySet<string> = new Set(
  `find finds search look looks lookup up get fetch retrieve research browse explore gather investigate query show list tell return answer
   use read check describe information info details data by name id result results`
    .trim()
    .split(/\s+/)
    .map(stem),
)

export function isSeeking(word: string): boolean {
  return SEEKS.has(stem(word))
}

/** A word of the request, other than that something is sought, that the tool's own words hold. */
export function speaksOfItsObject(text: string, own: ReadonlySet<string>, bag: Bag, name: string): boolean {
  const called = new Set(
    nameWords(name)
      .filter((word) => !isSeeking(word))
      .map(stem),
  )
  if (words(text).some((word) => called.has(stem(word)))) return true
  return contentWords(text).some(
    (word) =>
      !isSeeking(word) &&
      ((!/^\d+$/.test(word) && own.has(stem(word))) ||
        conceptsOf(word).some((concept) => concept !== 'search' && (bag.get(`~${concept}`) ?? 0) >= 1)),
  )
}

const CREATIVE =
  /\b(?:poems?|poetry|haikus?|songs?|lyrics|limericks?|riddles?|jokes?|sonnets?|ballads?|fairy ?tales?|(?<!user )stor(?:y|ies)|raps?|novels?|screenplays?)(?:\s+(?:please|now|that|which|with|in)\b.*)?\W*$/i
const MAKES =
  /^\W*(?:(?:please|can|could|would|you|i|want|need|like|to|me|us)\s+)*(?:write|compose|tell|make|sing|give|create|invent|draft|generate|produce)\b/i

/** "Write a poem about cats": nothing that is found or quoted is an answer to it. */
export function isCreative(text: string): boolean {
  const head = text.slice(0, 300).split(/\b(?:about|on|of|for)\b/i)[0] ?? ''
  return CREATIVE.test(head) && (MAKES.test(text) || /^\W*an?\s/i.test(text))
}

/** Whether a tool says that it makes such things. */
export function isCreativeTool(about: string): boolean {
  return about.split(/[.,;:]|\b(?:and|or|about|on|for|from|in|with)\b/i).some((part) => CREATIVE.test(part.trim()))
}

/** Nothing but figures and what to do with them. */
export function isSum(text: string): boolean {
  return contentWords(text).every(
    (word) => /^\d/.test(word) || conceptsOf(word).includes('compute') || word === 'times',
  )
}

const LOOKS =
  /^(?:gets?|looks?|lookup|finds?|search(?:es)?|reads?|fetch(?:es)?|returns?|lists?|shows?|tells?|gives?|explains?|defines?|scans?|lints?|checks?|analy[sz]es?|describes?|knows?|quer(?:y|ies)|reports?|measures?|inspects?|counts?|calculates?|computes?|evaluates?)\b/i

/** A tool that says first of itself that it only looks, and changes nothing. */
export function onlyLooks(description: string): boolean {
  return LOOKS.test(description)
}
