import { plainWords } from './idioms.ts'
import { namesIn } from './names.ts'
import { STOP_WORDS } from './stop-words.ts'
import { isVerb } from './synonyms.ts'
import { cutAt, stem, words } from './tokens.ts'

const MOST_WORDS = 12
/** Words that say what to do with a topic rather than what the topic is. */
const COMMANDS = new Set(
  `compare comparison contrast differ different similar similarities explain describe overview tell show list find search look research investigate gather versus vs difference
   brief report article essay summary draft memo newsletter pager one-pager page paragraph word words short long concise detailed structured
   write compose summarize summarise prepare produce up quote cite source sources notes note fact facts information info topic know learn about
   first second third finally please then also main each identify`
    .split(/\s+/)
    .map(stem),
)

/** The topic of a text as a search would be typed: names kept whole and as written, commands and small words left out. */
export function keywordsOf(text: string, without: readonly string[] = [], most: number = MOST_WORDS): string {
  const dropped = new Set(without.flatMap((name) => words(name)))
  const inNames = new Set(namesIn(text).flatMap((name) => words(name.text)))
  const kept: string[] = []
  const plain = plainWords(text).replace(
    /\S+@\S+|https?:\/\/\S+|\b\d+\s+(?:results?|sources?|hits|items|matches)\b/gi,
    ' ',
  )
  const opening = plain.search(/[\p{L}\p{N}]/u)
  for (const match of plain.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu)) {
    const shown = match[0].replace(/['’]s$/u, '')
    const parts = words(shown)
    const [first = ''] = parts
    if (parts.length === 0 || parts.every((part) => dropped.has(part))) continue
    if (parts.every((part) => STOP_WORDS.has(part) || (COMMANDS.has(stem(part)) && !inNames.has(part)))) continue
    if (/-(?:page|paragraph|word)s?$/i.test(shown)) continue
    if (match.index === opening && isVerb(first) && !inNames.has(first)) continue
    const word = inNames.has(first) ? shown : shown.toLowerCase()
    if (!kept.includes(word)) kept.push(word)
    if (kept.length === most) break
  }
  return cutAt(kept.join(' '), most * 25)
}

const KINDS = 'brief|report|article|essay|summary|draft|memo|newsletter|one-pager|write-up|blog post|paper|overview'
const LEADING = new RegExp(
  String.raw`^(?:please\s+)?(?:(?:write|draft|compose|prepare|produce|create|make|give)\s+)?(?:(?:me|us)\s+)?(?:an?|the|one)?\s*(?:[\w-]+\s+){0,3}?(?:${KINDS})\b\s*(?:on|about|of|for|covering|regarding|that|which)?\s*:?\s*`,
  'i',
)
const BARE = new RegExp(
  String.raw`[;,.]?\s*(?:\band\s+)?(?:(?:write|draft|compose|prepare|produce|create|make|give|in|as|into)\s+)?(?:(?:me|us)\s+)?(?:(?:an?|the|one|it|this)\s+)?(?:[\w-]+\s+){0,2}(?:${KINDS})\s*[.!]?\s*$`,
  'i',
)

/** What becomes of the text when it is written is nothing that it is about: "…, and publish it". */
const ERRAND =
  /[;,.]?\s*(?:\b(?:and|then)\s+)*\b(?:publish|save|store|send|mail|e-?mail|post)\s+(?:it|this|that|them)\b[^.;,]{0,60}[.!]?\s*$/i

/** The request without the words for the kind of text it wants: "Write a brief on tea" is about "tea". */
export function topicOf(request: string): string {
  const line = request.trim().slice(0, 2000).split('\n')[0] ?? ''
  const bare = line.replace(ERRAND, '').replace(BARE, '').trim()
  const topic = (bare === '' ? line : bare)
    .replace(LEADING, '')
    .replace(/^(?:please\s+)?(?:summari[sz]e|outline|write(?:\s+up)?(?:\s+about)?)\s+/i, '')
    .trim()
  const done = topic === '' ? bare || line : topic
  return cutAt(done.replace(/[\s.;,:]+$/u, ''), 400)
}

/** A heading made of the request's own words. */
export function titleOf(request: string): string {
  const topic = topicOf(request).replace(
    /^(?:please|compare|describe|explain|summari[sz]e|outline|find out|tell me(?: about)?|research)\s+/i,
    '',
  )
  const short = cutAt(topic.replace(/\s+/g, ' '), 100).replace(
    /(?:[\s,;:]+(?:of|for|in|on|at|to|with|about|from|by|and|or|the|an?))+$/i,
    '',
  )
  // "Them" and "it" are about something that is said elsewhere: no heading is better than such a one.
  if (words(short).every((word) => STOP_WORDS.has(word))) return ''
  return short === '' ? '' : `${short.charAt(0).toUpperCase()}${short.slice(1)}`
}
