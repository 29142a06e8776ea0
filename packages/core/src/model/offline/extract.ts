import { words } from './tokens.ts'

/** A value that stands in the request, with the words around it. Each may be used for one argument only. */
export interface Found {
  text: string
  at: number
}

export interface NumberFound extends Found {
  value: number
  before: string
  after: string
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,120}\.\p{L}{2,24}/gu
const URL_PATTERN = /\bhttps?:\/\/[^\s<>"'“”)\]]{1,2000}/giu
const PATH = /(?<![\w@/.-])(?:[\w-]{1,60}\/){0,8}[\w-]{1,80}(?:\.[\w-]{1,40}){0,3}\.[a-z][a-z0-9]{0,7}(?![\w@/])/giu
const QUOTED =
  /"([^"\n]{1,4000})"|“([^”\n]{1,4000})”|«([^»\n]{1,4000})»|(?<![\p{L}\p{N}])['‘]([^'’\n]{1,400})['’](?!\p{L})|`([^`\n]{1,400})`/gu
const NUMBER = /(?<![\p{L}\p{N}_.#-])-?\d[\d,]{0,20}(?:\.\d{1,12})?(?![\p{N}_]|-\p{L}{0,1}\d|[:/]\d)/gu
export const MONTHS: readonly string[] = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const MONTH = `(?:${MONTHS.map((month) => `${month}|${month.slice(0, 3)}`).join('|')})`
const ISO_DATE = /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g
const SPOKEN_DATE = new RegExp(
  String.raw`\b(?:(\d{1,2})(?:st|nd|rd|th)?\s+(${MONTH})\.?|(${MONTH})\.?\s+(\d{1,2})(?:st|nd|rd|th)?),?\s+(\d{4})\b`,
  'gi',
)
const RELATIVE_DATE =
  /\b(?:today|tonight|tomorrow|yesterday|(?:next|this|last|on)\s+(?:week|month|year|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b/gi
const NUMBER_WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]
const READ_AT_MOST = 40_000

export function emailsIn(text: string): Found[] {
  return all(text, EMAIL)
}

export function urlsIn(text: string): Found[] {
  return all(text, URL_PATTERN).map(({ text: url, at }) => ({ text: url.replace(/[.,;:!?]+$/, ''), at }))
}

/** File names and relative paths; an address or a link is neither. */
export function pathsIn(text: string): Found[] {
  const taken = [...emailsIn(text), ...urlsIn(text)]
  return all(text, PATH).filter(
    ({ at, text: path }) => !/^(?:e\.g|i\.e|[a-z]\.[a-z])$/i.test(path) && !inside(at, taken),
  )
}

export function quotedIn(text: string): Found[] {
  return [...text.slice(0, READ_AT_MOST).matchAll(QUOTED)].map((match) => ({
    text: match.slice(1).find((group) => group !== undefined) ?? '',
    at: match.index,
  }))
}

export function datesIn(text: string): Found[] {
  const found = all(text, ISO_DATE)
  for (const match of text.slice(0, READ_AT_MOST).matchAll(SPOKEN_DATE)) {
    const month =
      MONTHS.findIndex((name) => name.startsWith((match[2] ?? match[3] ?? '').toLowerCase().slice(0, 3))) + 1
    const day = (match[1] ?? match[4] ?? '').padStart(2, '0')
    found.push({ text: `${match[5]}-${String(month).padStart(2, '0')}-${day}`, at: match.index })
  }
  return found.sort((a, b) => a.at - b.at)
}

export function relativeDatesIn(text: string): Found[] {
  return all(text, RELATIVE_DATE).map(({ text: date, at }) => ({ text: date.replace(/^on\s+/i, ''), at }))
}

export function numbersIn(source: string): NumberFound[] {
  const text = source.slice(0, READ_AT_MOST)
  const taken = [
    ...emailsIn(text),
    ...urlsIn(text),
    ...pathsIn(text),
    ...all(text, ISO_DATE),
    ...all(text, SPOKEN_DATE),
  ]
  const found: NumberFound[] = []
  const push = (match: string, at: number, value: number): void => {
    const before = words(text.slice(Math.max(0, at - 40), at))
      .slice(-2)
      .join(' ')
    const after = words(text.slice(at + match.length, at + match.length + 40))
      .slice(0, 2)
      .join(' ')
    found.push({ text: match, at, value, before, after })
  }
  for (const match of text.matchAll(NUMBER)) {
    if (inside(match.index, taken)) continue
    const value = Number(match[0].replace(/,/g, ''))
    if (Number.isFinite(value)) push(match[0], match.index, value)
  }
  for (const match of text.matchAll(/\b\p{L}{3,6}\b/gu)) {
    const value = NUMBER_WORDS.indexOf(match[0].toLowerCase())
    if (value >= 0) push(match[0], match.index, value)
  }
  return found.sort((a, b) => a.at - b.at)
}

function all(text: string, pattern: RegExp): Found[] {
  return [...text.slice(0, READ_AT_MOST).matchAll(pattern)].map((match) => ({ text: match[0], at: match.index }))
}

function inside(at: number, spans: readonly Found[]): boolean {
  return spans.some((span) => at >= span.at && at < span.at + span.text.length)
}
