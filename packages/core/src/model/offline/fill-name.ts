import { quotedIn } from './extract.ts'
import { type FillContext, take } from './fill-context.ts'
import { namesIn } from './names.ts'
import { nameWords } from './tokens.ts'

const FROM = /\bfrom\s+$/i
const TO = /\bto\s+$/i
const PLACED: ReadonlyMap<string, RegExp> = new Map([
  ['from', FROM],
  ['origin', FROM],
  ['source', FROM],
  ['to', TO],
  ['destination', TO],
  ['target', TO],
])

/** The name that stands where the argument's name says: after from, called, in. */
export function nameFor(name: string, context: FillContext): string | undefined {
  if (context.name !== '') return context.name
  const quotations = quotedIn(context.text)
  // A name inside a quotation belongs to what is quoted.
  const names = namesIn(context.text, context.known).filter(
    ({ at }) => !quotations.some((quoted) => at > quoted.at && at <= quoted.at + quoted.text.length),
  )
  const lead = nameWords(name)
    .map((word) => PLACED.get(word))
    .find((pattern) => pattern !== undefined)
  const placed = lead && names.find(({ at }) => lead.test(context.text.slice(0, at)))
  if (placed) {
    context.used.add(placed.at)
    return placed.text
  }
  const called =
    /\b(?:named|called)\s+["“']?([\p{L}\p{N}][\p{L}\p{N} -]{0,60}?)["”']?(?=[,.;!?]|\s+(?:and|with|to|for|in)\b|$)/iu.exec(
      context.text,
    )?.[1]
  const free = lead === FROM ? names.filter(({ at }) => !/\bto\s+$/i.test(context.text.slice(0, at))) : names
  const preferred = free.filter(({ at }) =>
    /\b(?:in|at|for|of|from|near|to)\s+(?:the\s+)?$/i.test(context.text.slice(0, at)),
  )
  const lower = /\b(?:in|at|for|near)\s+(?:the\s+)?([\p{L}][\p{L}-]{2,30})(?=[\s.,;!?]|$)/iu.exec(context.text)?.[1]
  const place =
    lower !== undefined && !/^(?:the|a|an|me|my|next|this|all|each|every|today|tomorrow|now|\d+)$/i.test(lower)
      ? lower
      : undefined
  return (
    called ?? take(quotations, context) ?? take(preferred, context) ?? take(free, context) ?? place ?? onlyName(context)
  )
}

/** Where the request speaks of one name, all of it is about that name. */
function onlyName(context: FillContext): string | undefined {
  const names = namesIn(context.whole, context.known)
  return names.length === 1 ? names[0]?.text : undefined
}
