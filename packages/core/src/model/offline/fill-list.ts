import { emailsIn, type Found, numbersIn, pathsIn, quotedIn, urlsIn } from './extract.ts'
import type { FillContext } from './fill-context.ts'
import type { JsonRecord } from './json.ts'
import { keywordsOf } from './keywords.ts'
import { namesIn } from './names.ts'
import { typeOf } from './schema.ts'
import { contentWords, nameWords, stem, words } from './tokens.ts'

/** What the request lists, of the kind that the items are. */
export function listedItems(name: string, items: JsonRecord, required: boolean, context: FillContext): unknown[] {
  const text = context.text
  const type = typeOf(items)
  if (type === 'number' || type === 'integer') {
    const numbers = numbersIn(text).map((number) => number.value)
    return required ? numbers.filter((value) => type === 'number' || Number.isInteger(value)) : []
  }
  if (type !== 'string') return []
  const kinds = nameWords(name).join(' ')
  if (items['format'] === 'email' || /\b(?:emails?|recipients?|to|cc)\b/.test(kinds))
    return emailsIn(context.whole).map((found) => found.text)
  if (items['format'] === 'uri' || /\b(?:urls?|links?)\b/.test(kinds))
    return urlsIn(context.whole).map((found) => found.text)
  if (/\b(?:paths?|files?)\b/.test(kinds)) return pathsIn(context.whole).map((found) => found.text)
  const lead = nameWords(name).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
  const labelled = listAfter(text, context.labels ?? [], lead)
  if (labelled.length > 0) return labelled
  if (!required) return []
  const quoted = quotedIn(text).filter((found) => !context.used.has(found.at))
  if (quoted.length > 0) return taken(quoted, context)
  const listed = afterColon(text)
  if (listed.length > 1) return listed
  const loose = listAfter(text, context.labels ?? [])
  if (loose.length > 1) return loose
  const names = namesIn(text, context.known).filter((found) => !context.used.has(found.at))
  if (names.length > 0) return taken(names, context)
  const one = ADDED.exec(text.trim())?.[1]?.replace(/^(?:an?|the|some|my|our)\s+/i, '')
  if (one !== undefined && contentWords(one).length > 0) return [one]
  const keywords = /keyword|tag|term|topic|quer/.test(kinds) ? keywordsOf(text) : ''
  return keywords === '' ? [] : keywords.split(' ')
}

function taken(found: readonly Found[], context: FillContext): string[] {
  for (const { at } of found) context.used.add(at)
  return found.map((each) => each.text)
}

const ITEM = String.raw`(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|“[^”\n]{1,80}”|[\p{L}\p{N}][\p{L}\p{N}'’_./-]*(?:[^\S\n]+(?!(?:and|or|with|in|on|at|by|for|to|from|of|as|then)\b)[\p{L}\p{N}][\p{L}\p{N}'’_./-]*){0,4})`
const MANY = new RegExp(
  `^(${ITEM}(?:\\s*,\\s*(?!and\\b|or\\b)${ITEM}){0,30})(?:,?\\s+(?:and|or|&)\\s+(${ITEM}))?`,
  'iu',
)
const LEADS = 'of|with|containing|including|namely|like|for|from|between|have|has|got|need|needs|buy|add|invite|to'
const ADDED =
  /^(?:please\s+)?(?:add|buy|put|include|invite|order|remove|drop)\s+([^.,;:]{2,60}?)\s+(?:to|on|onto|in|into|from|off)\b/i
const NO_ITEM = /^(?:assigned|due|please|it|them|me|us|you|i|then|also|high|low)\b/i

/** The items of a list behind "of", "with" or the argument's own name; one that begins another argument ends it. */
export function listAfter(source: string, labels: readonly string[], lead: readonly string[] = []): string[] {
  const text = source.slice(0, 4000)
  const own = lead.join('[\\s_-]?')
  if (lead.length > 0 && own.length < 3) return []
  const starts = text.matchAll(
    lead.length > 0
      ? new RegExp(`\\b${own}\\s*(?::|=|\\bare\\b|\\s)\\s*`, 'giu')
      : new RegExp(`\\b(?:${LEADS})\\s+`, 'giu'),
  )
  const others = new Set(
    labels
      .flatMap(nameWords)
      .map(stem)
      .filter((word) => !lead.map(stem).includes(word)),
  )
  for (const start of starts) {
    const match = MANY.exec(text.slice(start.index + start[0].length))
    if (!match) continue
    const items: string[] = []
    for (const raw of [...(match[1] ?? '').split(/\s*,\s*/), ...(match[2] === undefined ? [] : [match[2]])]) {
      const item = raw
        .replace(/^(?:an?|the|some|my|our)\s+/i, '')
        .replace(/^["'“](.*)["'”]$/, '$1')
        .trim()
      const [first = ''] = words(item)
      if (item === '' || NO_ITEM.test(item) || (others.has(stem(first)) && words(item).length > 1)) break
      items.push(item)
    }
    if (items.length > 1) return items
  }
  return []
}

function afterColon(text: string): string[] {
  const list = /:\s+([^\n]{3,2000})$/.exec(text.trim())?.[1] ?? ''
  return list
    .split(/,\s*(?:and\s+)?|;\s*|\s+and\s+/)
    .map((item) => item.replace(/[.!?]$/, '').trim())
    .filter(Boolean)
}
