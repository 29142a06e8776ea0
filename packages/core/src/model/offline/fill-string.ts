import { type Kind, kindOf } from './argument-kinds.ts'
import { expressionIn } from './expression.ts'
import { datesIn, emailsIn, type Found, pathsIn, quotedIn, relativeDatesIn, urlsIn } from './extract.ts'
import { asDescribed, besideLabel, freeQuotation } from './fill-beside.ts'
import { type FillContext, take } from './fill-context.ts'
import { nameFor } from './fill-name.ts'
import { queryFor, saidIn, subjectOf, titleSaid } from './fill-query.ts'
import { currencyArgument, timeFor } from './fill-special.ts'
import { fitted } from './fitted.ts'
import type { JsonRecord } from './json.ts'
import { namesIn } from './names.ts'
import { isValuesOnly } from './passages.ts'
import { languageIn } from './signals.ts'
import { isTextName } from './stage.ts'
import { isVerb } from './synonyms.ts'
import { contentWords, cutAt, nameWords, words } from './tokens.ts'

export function fillString(
  name: string,
  schema: JsonRecord,
  required: boolean,
  context: FillContext,
): string | undefined {
  const kind = kindOf(name, schema)
  const labelled = kind === 'task' || kind === 'content' ? undefined : labelledValue(name, context.whole)
  const value = labelled ?? ofKind(kind, name, schema, required, context)
  return value === undefined ? undefined : fitted(value, schema, kind)
}

function ofKind(
  kind: Kind | undefined,
  name: string,
  schema: JsonRecord,
  required: boolean,
  context: FillContext,
): string | undefined {
  const { text, whole } = context
  // What is handed over, fenced or set behind a colon is the text that a tool for texts is for.
  if (required && isTextName(name)) {
    if (context.content !== '' || context.inline !== '') return contentFor(context)
    const snippet = quotedIn(text).find((quoted) => /\W/.test(quoted.text) && !context.used.has(quoted.at))
    if (snippet !== undefined) return take([snippet], context)
  }
  const currency = currencyArgument(name, schema, context)
  if (currency !== undefined) return currency
  switch (kind) {
    case 'email':
      return take(emailsIn(whole), context)
    case 'url':
      return take(urlsIn(whole), context)
    case 'path':
      return take(pathsIn(text), context) ?? take(pathsIn(whole), context)
    case 'date':
      return dateFor(name, schema, context)
    case 'language':
      return languageFor(name, schema, text)
    case 'id':
      return besideLabel(name, whole, context, true) ?? take(markedIn(whole), context)
    case 'code':
      if (context.name !== '') return context.name
      return take(
        [...text.matchAll(/\b\p{Lu}{2,5}\b/gu)].map((match) => ({ text: match[0], at: match.index })),
        context,
      )
  }
  if (!required) return undefined
  switch (kind) {
    case 'expression':
      return expressionIn(text)
    case 'content':
      return contentFor(context)
    case 'query':
      return (context.finder ? undefined : besideLabel(name, text, context)) ?? queryFor(context)
    case 'task':
      return text.trim() || undefined
    case 'name':
      return context.name || (besideLabel(name, text, context) ?? nameFor(name, context))
    default:
      return unknownFor(name, context)
  }
}

function dateFor(name: string, schema: JsonRecord, context: FillContext): string | undefined {
  const time = timeFor(name, schema, context)
  if (time !== undefined) return time
  const strict = schema['format'] === 'date' || schema['format'] === 'date-time'
  return take(datesIn(context.whole), context) ?? (strict ? undefined : take(relativeDatesIn(context.text), context))
}

const ID =
  /#\d{1,12}\b|\b(?=[\w-]*\d)(?=[\w-]{2,40}\b)(?:[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*|[a-z]+[-_][\w-]*\d[\w-]*|\d{3,12}|[0-9a-f]{8}-[0-9a-f-]{27})\b/g

function languageFor(name: string, schema: JsonRecord, text: string): string | undefined {
  const language = languageIn(text, /source|from/i.test(name) ? 'from' : 'to')
  if (language === undefined) return undefined
  const wantsCode = /code|iso/i.test(`${name} ${String(schema['description'] ?? '')}`) || schema['maxLength'] === 2
  return wantsCode ? language.code : language.name
}

function contentFor(context: FillContext): string | undefined {
  if (context.inline !== '') return context.inline
  const own = context.transformer ? undefined : freeQuotation(context)
  if (own !== undefined && own.length > 2) return own
  const said = context.transformer ? undefined : saidIn(context.text)
  if (said !== undefined && context.content !== '') return said
  const about = context.transformer || !isValuesOnly(context.content) ? undefined : titleSaid(context.text)
  if (about !== undefined) return about
  if (context.content !== '') return cutAt(context.content, 12_000)
  const quoted = freeQuotation(context)
  if (quoted !== undefined) return quoted
  const after = saidIn(context.text)
  if (after !== undefined) return after
  if (context.finder) return queryFor(context)
  return context.single && !context.transformer ? context.text.trim() || undefined : undefined
}

/** An argument whose name says nothing: only where it is the one text of the call is the request itself a fair value. */
function unknownFor(name: string, context: FillContext): string | undefined {
  const own =
    besideLabel(name, context.text, context) ??
    freeQuotation(context) ??
    (context.name || (asDescribed(name, context) ?? wordBefore(name, context.text)))
  if (own !== undefined) return own
  const marked = context.finder ? undefined : take(markedIn(context.text), context)
  if (marked !== undefined) return marked
  if (!context.single) return take(namesIn(context.text, context.known), context)
  if (context.finder) return subjectOf(context)
  // A sentence is no value; only a text in words that are not known here may be one.
  const foreign = words(context.text).length === contentWords(context.text).length
  return context.content || (context.alone !== false && foreign ? context.text.trim() : undefined) || undefined
}

/** Words that mark one thing; a year marks none. */
function markedIn(text: string): Found[] {
  return [...text.slice(0, 20_000).matchAll(ID)]
    .filter(([word]) => !/^(?:19|20)\d\d$/.test(word))
    .map((match) => ({ text: match[0].replace(/^#/, ''), at: match.index }))
}

/** "The shopping list" tells which list. */
function wordBefore(name: string, text: string): string | undefined {
  const label = nameWords(name)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .join(' ')
  const word =
    label === '' ? undefined : new RegExp(`([\\p{L}\\p{N}-]{2,40})\\s+${label}\\b`, 'iu').exec(text.slice(0, 4000))?.[1]
  return word === undefined || contentWords(word).length === 0 || isVerb(word.toLowerCase()) ? undefined : word
}

/** `priority: high`, `order 1234`: a value that the request names. */
export function labelledValue(name: string, text: string): string | undefined {
  const label = nameWords(name)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .join('[\\s_-]?')
  if (label.length < 2) return undefined
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${label}\\s*(?::|=|\\bis\\b)\\s*(?:"([^"\\n]{1,400})"|“([^”\\n]{1,400})”|([^\\s,;]{1,200}))`,
    'iu',
  )
  const match = pattern.exec(text.slice(0, 20_000))
  const value = match?.[1] ?? match?.[2] ?? match?.[3]?.replace(/[.!?]+$/, '')
  return value === undefined || /^(?:the|a|an|in|of|at)$/i.test(value) ? undefined : value
}
