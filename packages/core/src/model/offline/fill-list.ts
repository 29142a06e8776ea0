import { emailsIn, numbersIn, pathsIn, quotedIn, urlsIn } from './extract.ts'
import type { FillContext } from './fill-context.ts'
import type { JsonRecord } from './json.ts'
import { keywordsOf } from './keywords.ts'
import { namesIn } from './names.ts'
import { typeOf } from './schema.ts'
import { nameWords } from './tokens.ts'

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
  if (!required) return []
  const quoted = quotedIn(text).map((found) => found.text)
  if (quoted.length > 0) return quoted
  const listed = afterColon(text)
  if (listed.length > 1) return listed
  const names = namesIn(text).map((found) => found.text)
  if (names.length > 0) return names
  const words = keywordsOf(text)
  return words === '' ? [] : /keyword|tag|term/.test(kinds) ? words.split(' ') : [words]
}

function afterColon(text: string): string[] {
  const list = /:\s*([^\n]{3,2000})$/.exec(text.trim())?.[1] ?? ''
  return list
    .split(/,\s*(?:and\s+)?|;\s*|\s+and\s+/)
    .map((item) => item.replace(/[.!?]$/, '').trim())
    .filter(Boolean)
}
