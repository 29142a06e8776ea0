import { NOTICE } from './framing.ts'
import { isRecord, type JsonRecord } from './json.ts'
import type { Passage } from './passages.ts'
import { bagOf, indexOf, queryOf } from './rank.ts'
import { allowsNull, alternatives, recordAt, resolve, typeOf } from './schema.ts'
import type { Quote } from './select-quotes.ts'
import { cutAt, nameWords, words } from './tokens.ts'

/** What a structured answer may be made of: quotations, and the values that results hold under their own keys. */
export interface Matter {
  request: string
  title: string
  quotes: readonly Quote[]
  values: readonly unknown[]
  passages: readonly Passage[]
}

interface Filling extends Matter {
  root: JsonRecord
}

/** A value that fits the schema as far as the material bears it out. What it does not say is left out, not made up. */
export function structuredAnswer(schema: unknown, matter: Matter): unknown {
  const root = isRecord(schema) ? schema : {}
  const plain = resolve(root, root)
  if (typeOf(plain) !== 'object' && plain['type'] !== undefined)
    return fill('answer', plain, { ...matter, root }, 0) ?? null
  if (Object.keys(recordAt(plain, 'properties')).length === 0) return { answer: texts(matter.quotes), notice: NOTICE }
  return fillObject(plain, { ...matter, root }, 0)
}

function texts(quotes: readonly Quote[]): string {
  return quotes.map((quote) => quote.text).join('\n')
}

function fillObject(schema: JsonRecord, filling: Filling, depth: number): JsonRecord {
  const entries = Object.entries(recordAt(schema, 'properties')).flatMap(([name, property]) => {
    const value = fill(name, resolve(property, filling.root), filling, depth)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

function fill(name: string, schema: JsonRecord, filling: Filling, depth: number): unknown {
  if (depth > 6) return undefined
  if ('const' in schema) return schema['const']
  const others = alternatives(schema)
  if (others.length > 0 && schema['type'] === undefined) {
    for (const other of others) {
      const value = fill(
        name,
        { description: schema['description'], ...resolve(other, filling.root) },
        filling,
        depth + 1,
      )
      if (value !== undefined) return value
    }
    return schema['default'] ?? (allowsNull(schema) ? null : undefined)
  }
  return fillTyped(name, schema, filling, depth) ?? schema['default'] ?? (allowsNull(schema) ? null : undefined)
}

function fillTyped(name: string, schema: JsonRecord, filling: Filling, depth: number): unknown {
  if (Array.isArray(schema['enum'])) return choiceOf(schema['enum'], filling)
  switch (typeOf(schema)) {
    case 'string':
      return textFor(name, schema, filling)
    case 'number':
    case 'integer':
      return valueAt(filling.values, name, 'number') ?? countFor(name, filling)
    case 'boolean':
      return valueAt(filling.values, name, 'boolean')
    case 'array':
      return listFor(name, schema, filling, depth)
    case 'object':
      return fillObject(schema, filling, depth + 1)
    default:
      return undefined
  }
}

function choiceOf(choices: readonly unknown[], filling: Filling): unknown {
  const index = indexOf(choices.map((choice) => bagOf(String(choice).replace(/[_-]/g, ' '))))
  const pick = (text: string): unknown => {
    const query = queryOf(text)
    const scored = choices
      .map((choice, at) => ({ choice, score: index.match(at, query).score }))
      .sort((a, b) => b.score - a.score)
    return scored[0] !== undefined && scored[0].score > 0 ? scored[0].choice : undefined
  }
  return pick(filling.request) ?? pick(texts(filling.quotes))
}

const NOTICE_NAMES = /^(?:notice|note|disclaimer)$/i
const TITLE_NAMES = /^(?:title|heading|headline|topic|subject|request|question)$/i
const REFERENCE_NAMES = /^(?:citation|cite|source|reference|ref|sources|references|citations|url)$/i

function textFor(name: string, schema: JsonRecord, filling: Filling): string | undefined {
  if (NOTICE_NAMES.test(name)) return NOTICE
  if (TITLE_NAMES.test(name)) return filling.title || undefined
  const references = [...new Set(filling.quotes.map((quote) => quote.reference).filter(Boolean))]
  if (REFERENCE_NAMES.test(name)) return references[0]
  const own = valueAt(filling.values, name, 'string')
  if (typeof own === 'string') return limited(own, schema)
  const about = `${nameWords(name).join(' ')} ${typeof schema['description'] === 'string' ? schema['description'] : ''}`
  const index = indexOf(filling.quotes.map((quote) => bagOf(quote.text)))
  const query = queryOf(about)
  const ranked = filling.quotes
    .map((quote, at) => ({ quote, score: index.match(at, query).score }))
    .sort((a, b) => b.score - a.score)
  const fitting = ranked
    .filter(({ score }) => score > 0)
    .slice(0, 3)
    .map(({ quote }) => quote)
  const chosen = fitting.length > 0 ? fitting : filling.quotes.slice(0, 3)
  if (chosen.length === 0)
    return limited(filling.values.filter((value) => typeof value === 'string').join('\n'), schema) || undefined
  return limited(texts(chosen), schema)
}

function limited(text: string, schema: JsonRecord): string {
  return typeof schema['maxLength'] === 'number' ? cutAt(text, schema['maxLength']) : text
}

function countFor(name: string, filling: Filling): number | undefined {
  return /^(?:quotes?_?count|num(?:ber)?_?of_?quotes|quotations)$/i.test(name) ? filling.quotes.length : undefined
}

function listFor(name: string, schema: JsonRecord, filling: Filling, depth: number): unknown[] | undefined {
  const items = resolve(schema['items'], filling.root)
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : 12
  if (typeOf(items) === 'object') {
    const each = filling.quotes
      .slice(0, most)
      .map((quote) =>
        fillObject(items, { ...filling, quotes: [quote], title: quote.about || filling.title, values: [] }, depth + 1),
      )
    return each.filter((value) => Object.keys(value).length > 0)
  }
  const own = valueAt(filling.values, name, 'list')
  if (Array.isArray(own)) return own.slice(0, most)
  if (typeOf(items) !== 'string') return undefined
  const references = [...new Set(filling.quotes.map((quote) => quote.reference).filter(Boolean))]
  return (REFERENCE_NAMES.test(name) ? references : filling.quotes.map((quote) => quote.text)).slice(0, most)
}

/** The value that a result itself holds under this name. */
function valueAt(
  values: readonly unknown[],
  name: string,
  kind: 'number' | 'boolean' | 'string' | 'list',
  depth = 0,
): unknown {
  const wanted = nameWords(name).join(' ')
  for (const value of values) {
    if (!isRecord(value) && !Array.isArray(value)) continue
    for (const [key, each] of Object.entries(value)) {
      const fits =
        kind === 'list' ? Array.isArray(each) && each.every((item) => typeof item !== 'object') : typeof each === kind
      if (fits && !Array.isArray(value) && words(nameWords(key).join(' ')).join(' ') === wanted) return each
    }
    const inner = depth < 5 ? valueAt(Object.values(value), name, kind, depth + 1) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}
