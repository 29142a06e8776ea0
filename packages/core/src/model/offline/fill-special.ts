import { currencyFor } from './currencies.ts'
import { type FillContext, take } from './fill-context.ts'
import type { JsonRecord } from './json.ts'
import { nameWords } from './tokens.ts'

const TIME = /\b(?:[01]?\d|2[0-3])[:.][0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b)?|\b(?:1[0-2]|0?[1-9])\s?[ap]\.?m\b/gi

/** An hour, where the argument is the moment and not the day. */
export function timeFor(name: string, schema: JsonRecord, context: FillContext): string | undefined {
  if (schema['format'] === 'date' || schema['format'] === 'date-time') return undefined
  if (!/\b(?:time|start|end|begin|hour|at|from|until|till|when)\b/.test(nameWords(name).join(' '))) return undefined
  const plain = context.whole.replace(/\d{4}-\d{2}-\d{2}T?/g, (date) => ' '.repeat(date.length))
  return take(
    [...plain.slice(0, 8000).matchAll(TIME)].map((match) => ({ text: match[0], at: match.index })),
    context,
  )
}

/** Told by the argument's or the tool's own words; the request then says which is changed into which. */
export function currencyArgument(name: string, schema: JsonRecord, context: FillContext): string | undefined {
  const own = `${nameWords(name).join(' ')} ${String(schema['description'] ?? '')}`
  const last = nameWords(name)
  const target = last.some((word) => /^(?:to|target|quote|destination|into)$/.test(word))
  const source = last.some((word) => /^(?:from|source|base|origin)$/.test(word))
  const speaks =
    /\bcurrenc|\bISO 4217/i.test(own) || ((target || source) && /\bcurrenc|\bexchange rate/i.test(context.about ?? ''))
  if (!speaks) return undefined
  const found = currencyFor(target ? 'to' : source ? 'from' : 'any', context.text, context.used)
  if (found) context.used.add(found.at)
  return found?.text
}
