import { isDataLine } from './data-lines.ts'
import { stripNotice } from './framing.ts'
import { isRecord, type JsonRecord } from './json.ts'
import { isRemark, withoutRefusal } from './remarks.ts'
import { countWords } from './tokens.ts'

/** A stretch of text that a tool returned, and what the result says of where it is from. */
export interface Passage {
  text: string
  reference: string
  /** What it is about, as the result or a heading above it says. */
  about: string
  /** It was a quotation already: it is taken whole. */
  quoted: boolean
  /** Values as this planner sets them out: no wording of a tool, so no quotation either. */
  data?: boolean
}

const REFERENCE_KEYS = ['citation', 'cite', 'reference', 'ref']
const PARTS = [
  'source',
  'title',
  'heading',
  'section',
  'subsection',
  'chapter',
  'author',
  'publisher',
  'edition',
  'date',
  'year',
  'page',
  'url',
  'link',
  'href',
  'path',
  'file',
]
const ABOUT = ['title', 'name', 'heading', 'entity', 'country', 'topic', 'subject', 'section']
const TEXT_KEYS = new Set([
  'text',
  'passage',
  'quote',
  'quotation',
  'content',
  'snippet',
  'body',
  'excerpt',
  'summary',
  'answer',
  'fact',
  'description',
  'abstract',
  'extract',
])
const MOST = 400
const LONGEST_QUOTE = 3000

export function passagesOf(value: unknown): Passage[] {
  const found: Passage[] = []
  if (typeof value === 'string') readText(value, found)
  else walk(value, '', { reference: '', about: '' }, found, 0)
  return found.slice(0, MOST)
}

interface Place {
  reference: string
  about: string
}

function walk(value: unknown, key: string, place: Place, found: Passage[], depth: number): void {
  if (depth > 8 || found.length >= MOST) return
  if (typeof value === 'string') {
    if (isProse(value, key)) readProse(value, place, found)
  } else if (Array.isArray(value)) for (const each of value) walk(each, key, place, found, depth + 1)
  else if (isRecord(value)) {
    const here = placeOf(value, place)
    for (const [name, child] of Object.entries(value)) {
      if (
        depth === 0 &&
        /^(?:notes?|notice|warnings?)$/i.test(name) &&
        typeof child === 'string' &&
        Object.keys(value).length > 1
      )
        continue
      if (REFERENCE_KEYS.includes(name.toLowerCase()) || PARTS.includes(name.toLowerCase())) continue
      walk(child, name, here, found, depth + 1)
    }
  }
}

function placeOf(record: JsonRecord, outer: Place): Place {
  const said = (keys: readonly string[]): string[] =>
    keys.flatMap((key) => shortText(record[key] ?? record[key.charAt(0).toUpperCase() + key.slice(1)]))
  const reference = said(REFERENCE_KEYS)[0] ?? [...new Set(said(PARTS))].join(' › ')
  return { reference: reference || outer.reference, about: said(ABOUT).join(' ') || outer.about }
}

function shortText(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 400)
    return [value.trim().replace(/\s*\n\s*/g, ' ')]
  if (isRecord(value)) return shortText(value['title'] ?? value['name'] ?? value['url'])
  return []
}

function isProse(text: string, key: string): boolean {
  if (/^https?:\/\/\S*$/.test(text)) return false
  return TEXT_KEYS.has(key.toLowerCase())
    ? countWords(text.slice(0, 200)) >= 4
    : text.length >= 40 && countWords(text.slice(0, 400)) >= 7
}

function readProse(text: string, place: Place, found: Passage[]): void {
  found.push({ text: stripNotice(text), reference: place.reference, about: place.about, quoted: false })
}

const QUOTE_LINE = /^\s*(?:[-*•>]\s*|\d{1,2}[.)]\s+)?(?:“(.+)”|"(.+)")\s*(?:(?:—|–|--?|\()\s*(.{1,600}?)\)?)?\s*$/u
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/
const SCAFFOLD = /^(?:---+|What is quoted above.*|\(cut here.*\))$/
const FROM = /^From `[^`]{1,80}`(?: \([^)]{0,100}\))?:\s*/

/** Text keeps its own quotations, bullets and headings; a list of sources is no passage. */
function readText(text: string, found: Passage[]): void {
  let about = ''
  let sources = false
  for (const raw of withoutRefusal(stripNotice(text)).split(/\r?\n/)) {
    const line = raw.trim().replace(FROM, '')
    if (line === '' || SCAFFOLD.test(line) || isRemark(line)) continue
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1] ?? /^\*\*([^*]{1,120})\*\*:?$/.exec(line)?.[1]
    if (heading !== undefined) {
      about = heading
      sources = isSourcesHeading(heading)
      continue
    }
    if (sources) continue
    if (isDataLine(line.replace(BULLET, ''))) {
      found.push({ text: line.replace(BULLET, ''), reference: '', about, quoted: true, data: true })
      continue
    }
    const quote = line.length <= LONGEST_QUOTE ? QUOTE_LINE.exec(line) : null
    const quoted = quote?.[1] ?? quote?.[2]
    if (quoted !== undefined) found.push({ text: quoted, reference: (quote?.[3] ?? '').trim(), about, quoted: true })
    else found.push({ text: line.replace(BULLET, ''), reference: '', about, quoted: BULLET.test(line) })
    if (found.length >= MOST) return
  }
}

export function isSourcesHeading(heading: string): boolean {
  return /^(?:sources?|references?|citations?|bibliography|works cited)\b/i.test(heading.trim())
}

/** Whether a text holds values and no sentence: whom to write to, not what to write. */
export function isValuesOnly(text: string): boolean {
  if (text.trim() === '') return false
  const found = passagesOf(text)
  return found.length > 0 && found.every((passage) => passage.data)
}
