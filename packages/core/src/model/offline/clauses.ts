import { isVerb } from './synonyms.ts'
import { contentWords, words } from './tokens.ts'

export interface Clause {
  text: string
  /** The request asks for it after what came before. */
  later: boolean
}

const MOST_CLAUSES = 24
const READ_AT_MOST = 20_000
const CONNECTOR = /^(?:and\s+)?(?:then|afterwards|after that|finally|lastly|next)\b[,:]?\s*/i
const LEAD = /^(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|also|please|and|but|so)\b[,:]?\s+/i

/** One clause for each thing that the request asks for; what is quoted stays whole. */
export function splitClauses(request: string): Clause[] {
  const text = request.slice(0, READ_AT_MOST)
  const whole = quotedSpans(text)
  const cuts = new Set<number>()
  for (const match of text.matchAll(
    /[.!?]+["”')\]]*\s+|[。！？]+\s*|;\s*|\n+\s*(?:(?:\d{1,2}[.)]|[-*•])\s+)?|(?<=:)\s+(?=1[.)]\s)|(?<=\S)\s+(?=\d[.)]\s+\p{L})/gu,
  )) {
    const before = text.slice(0, match.index)
    if (
      /^\./.test(match[0]) &&
      (/\b(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|st|no|approx|\p{Lu})$/iu.test(before) ||
        /^\s*\d{1,2}$/.test(before.split('\n').at(-1) ?? ''))
    )
      continue
    cuts.add(match.index + match[0].length)
  }
  for (const match of text.matchAll(/,?\s+(?=(?:and\s+)?(?:then|afterwards|after that|finally)\s)/gi))
    cuts.add(match.index + match[0].length)
  for (const match of text.matchAll(/,?\s+and\s+(?:(?:also|please)\s+)?(?=(\p{L}+)\s)/giu)) {
    if (opensClause(match[1] ?? '')) cuts.add(match.index + match[0].length)
  }
  for (const match of text.matchAll(/,\s+(?=(\p{L}+)\s)/gu))
    if (isVerb((match[1] ?? '').toLowerCase())) cuts.add(match.index + match[0].length)
  const points = [
    0,
    ...[...cuts].filter((at) => !whole.some(([from, to]) => at > from && at < to)).sort((a, b) => a - b),
    text.length,
  ]
  const pieces: Clause[] = []
  for (let at = 0; at + 1 < points.length; at++) addPiece(pieces, text.slice(points[at], points[at + 1]))
  return pieces.slice(0, MOST_CLAUSES)
}

function opensClause(word: string): boolean {
  return isVerb(word.toLowerCase()) || /^(?:what|how|why|who|when|where|which)$/i.test(word)
}

function addPiece(pieces: Clause[], raw: string): void {
  let text = raw
    .replace(/^\s*(?:(?:\d{1,2}[.)]|[-*•])\s+)?/, '')
    .replace(/\s+(?:\d{1,2}[.)]|[-*•])\s*$/, '')
    .replace(/(?:[\s,;:]|\band(?:\s+also|\s+please)?\b)+$/i, '')
    .trim()
  const later = CONNECTOR.test(text)
  text = text.replace(CONNECTOR, '').replace(LEAD, '').trim()
  if (text === '') return
  const last = pieces.at(-1)
  if (last !== undefined && contentWords(text).length === 0 && words(text).length < 3)
    last.text = `${last.text} ${text}`
  else pieces.push({ text, later })
}

/** Clauses one after the other, with one mark between them. */
export function joinClauses(clauses: readonly string[]): string {
  return clauses.join('. ').replace(/([.!?])\. /g, '$1 ')
}

/** "Compare A and B": where each half fits a tool of its own, the halves are two clauses. */
export function halvesOf(text: string): [string, string][] {
  const spans = quotedSpans(text)
  const halves: [string, string][] = []
  for (const match of text.slice(0, 2000).matchAll(/,?\s+and\s+|,\s+/gi)) {
    if (spans.some(([from, to]) => match.index > from && match.index < to)) continue
    halves.push([text.slice(0, match.index).trim(), text.slice(match.index + match[0].length).trim()])
  }
  return halves.slice(0, 8)
}

export function quotedSpans(text: string): [number, number][] {
  const spans: [number, number][] = []
  for (const match of text.matchAll(
    /```[\s\S]{0,20000}?```|"[^"]{0,4000}"|“[^”]{0,4000}”|«[^»]{0,4000}»|(?<![\p{L}\p{N}])'[^'\n]{1,400}'(?!\p{L})/gu,
  )) {
    spans.push([match.index, match.index + match[0].length])
  }
  return spans
}

const MATERIAL_LABEL =
  /(?:^|\n)\s*(?:#+\s*)?(?:notes|research notes|research|findings|facts|material|materials|context|data|sources|draft|text|input|document|article)\s*:\s*\n?/i

/** "Translate into French: …", "Notes: …": what is to be worked on, apart from what is to be done with it. */
export function splitPayload(request: string, works: (head: string) => boolean): { task: string; payload: string } {
  const label = MATERIAL_LABEL.exec(request)
  if (label && label.index > 0) {
    const payload = request.slice(label.index + label[0].length).trim()
    if (payload !== '') return { task: request.slice(0, label.index).trim(), payload }
  }
  const fence = /```[\w-]{0,20}\n?([\s\S]{1,20000}?)```/.exec(request)
  if (fence) {
    const rest = `${request.slice(0, fence.index)}${request.slice(fence.index + fence[0].length)}`.trim()
    if (rest !== '') return { task: rest.replace(/\s*:\s*$/, ''), payload: (fence[1] ?? '').trim() }
  }
  const colon = /^([^:\n]{3,240}):\s+([\s\S]+)$/.exec(request)
  if (colon && works(colon[1] ?? '') && !/^\s*(?:1[.)]|[-*•]\s)/.test(colon[2] ?? '')) {
    return { task: (colon[1] ?? '').replace(/\s+(?:of|for|in|on|about|with)$/i, ''), payload: (colon[2] ?? '').trim() }
  }
  const blank = request.search(/\n\s*\n/)
  if (blank > 0 && works(request.slice(0, blank)) && request.length - blank > 200) {
    return { task: request.slice(0, blank).trim(), payload: request.slice(blank).trim() }
  }
  return { task: request, payload: '' }
}
