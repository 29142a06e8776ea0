import { type Kind, kindOf } from './argument-kinds.ts'
import { expressionIn } from './expression.ts'
import { datesIn, emailsIn, type Found, pathsIn, quotedIn, relativeDatesIn, urlsIn } from './extract.ts'
import { asDescribed, besideLabel, freeQuotation } from './fill-beside.ts'
import { type FillContext, take } from './fill-context.ts'
import { nameFor } from './fill-name.ts'
import { currencyArgument, timeFor } from './fill-special.ts'
import { fitted } from './fitted.ts'
import type { JsonRecord } from './json.ts'
import { keywordsOf } from './keywords.ts'
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
  if (required && isTextName(name) && (context.content !== '' || context.inline !== '')) return contentFor(context)
  const currency = currencyArgument(name, schema, context)
  if (currency !== undefined) return currency
  switch (kind) {
    case 'email':
      return take(emailsIn(whole), context)
    case 'url':
      return take(urlsIn(whole), context)
    case 'path':
      return take(pathsIn(text), context) ?? take(pathsIn(whole), context)
    case 'date': {
      const time = timeFor(name, schema, context)
      if (time !== undefined) return time
      const strict = schema['format'] === 'date' || schema['format'] === 'date-time'
      return take(datesIn(whole), context) ?? (strict ? undefined : take(relativeDatesIn(text), context))
    }
    case 'language':
      return languageFor(name, schema, text)
    case 'id': {
      const beside = besideLabel(name, whole, context, true)
      if (beside !== undefined) return beside
      return take(
        [...whole.matchAll(ID)].map((match) => ({ text: match[0].replace(/^#/, ''), at: match.index })),
        context,
      )
    }
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

/** What a message is to say, in the request's own words. */
function saidIn(text: string): string | undefined {
  const plain = text.trim()
  return (
    /(?::|\b(?:saying|that says|which says))\s+(?:that\s+)?([\s\S]{2,})$/i.exec(plain)?.[1] ??
    /^(?:please\s+)?(?:e-?mail|tell|inform|notify|message|text|write|remind|let|send)\b[^.:]{0,80}?\bthat\s+((?!user\b|person\b|one\b)\S+\s[\s\S]{2,})$/i.exec(
      plain,
    )?.[1]
  )
}

function queryFor(context: FillContext, without: readonly string[] = []): string | undefined {
  const said = context.finder ? undefined : titleSaid(context.text)
  if (said !== undefined) return said
  const keywords = keywordsOf(
    context.text,
    context.name === '' ? without : [context.name, ...context.others, ...without],
  )
  const query = [context.name, keywords].filter(Boolean).join(' ')
  return query || cutAt(context.text.trim(), 200) || undefined
}

/** The title, subject or label that a text gives: in quotation marks, after a colon, or after "about". */
function titleSaid(text: string): string | undefined {
  const plain = text.trim()
  const said =
    quotedIn(plain)[0]?.text ?? /:\s+([^\n]{2,300})$/.exec(plain)?.[1] ?? /\babout\s+([^\n]{2,300})$/i.exec(plain)?.[1]
  return (said ?? /^(?:please\s+)?(?:remind|ask|tell)\s+\S+\s+to\s+([^\n]{2,300})$/i.exec(plain)?.[1])?.replace(
    /[.!?]$/,
    '',
  )
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
  return context.content || (context.finder ? queryFor(context) : context.text.trim()) || undefined
}

/** "A lentil soup recipe for 4 people" is about lentil soup where the tool is for recipes. */
function subjectOf(context: FillContext): string | undefined {
  const plain = context.text.replace(/\bfor\s+(?:\d+|two|three|four|five|six|eight|ten|twelve)\s+\p{L}+/giu, ' ')
  const [called = ''] = (context.about ?? '').split('. ')
  return queryFor({ ...context, text: plain }, words(called)) ?? queryFor(context)
}

function markedIn(text: string): Found[] {
  return [...text.slice(0, 8000).matchAll(ID)].map((match) => ({ text: match[0].replace(/^#/, ''), at: match.index }))
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
