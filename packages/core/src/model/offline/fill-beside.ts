import { quotedIn } from './extract.ts'
import { type FillContext, take } from './fill-context.ts'
import { WEAK_WORDS } from './stop-words.ts'
import { isVerb } from './synonyms.ts'
import { contentWords, nameWords, stem } from './tokens.ts'

const NAME = String.raw`\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*){0,3}`
const MARKED = String.raw`(?=[\p{L}\p{N}_-]*\d)#?[\p{L}\p{N}][\p{L}\p{N}_-]{0,60}`
const VALUE = String.raw`(?:"([^"\n]{1,200})"|“([^”\n]{1,200})”|'([^'\n]{1,200})'|(${MARKED}|${NAME}))`

/** "Room Aurora", "server web-1", "assigned to Kim": a name, a marked word or a quotation right behind the argument's own name. */
export function besideLabel(name: string, text: string, context: FillContext, marked = false): string | undefined {
  const own = nameWords(name).map(bare)
  const whole = own.join(' ')
  const core = own.filter((word) => !/^(?:id|ids|name|number|no|code|key|title|label)$/.test(word)).join(' ')
  const holders = (context.path ?? '').split('.').filter(Boolean).flatMap(nameWords).map(bare)
  const labels = [whole, core, ...(holders.length > 0 && /^(?:id|name)$/i.test(name) ? [holders.at(-1) ?? ''] : [])]
  for (const label of new Set(labels.filter((each) => each.length > 1))) {
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}_-])(?:${spelled(label)})s?\\s*[:=]?\\s+(?:(?:the|to|by|is|of|named|called|titled|no\\.?|number)\\s+)?${VALUE}`,
      'gu',
    )
    for (const match of text.slice(0, 8000).matchAll(pattern)) {
      const value = match[1] ?? match[2] ?? match[3] ?? match[4]
      const at = match.index + match[0].length - (match[4]?.length ?? (value?.length ?? 0) + 2)
      if (value === undefined || (marked && !/\d/.test(value)) || context.used.has(at)) continue
      context.used.add(at)
      return value.replace(/^#/, '').replace(/['’]s$/, '')
    }
  }
  return undefined
}

function bare(word: string): string {
  return word.replace(/[^\p{L}\p{N}]/gu, '')
}

/** In capitals or not; of one word, also what else is made of it: an assignee is assigned. */
function spelled(label: string): string {
  const joined = label.split(' ').map(either).join('[\\s_-]?')
  const root = stem(label).replace(/(?:ee|e)$/, '')
  return label.includes(' ') || root.length < 5 ? joined : `${joined}|${either(root)}\\p{L}{0,4}`
}

function either(word: string): string {
  return word.replace(/\p{L}/gu, (letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
    return lower === upper || upper.length > 1 ? letter : `[${lower}${upper}]`
  })
}

/** "The level of billing" fills the service of a tool that "sets the log level of a service". */
export function asDescribed(name: string, context: FillContext): string | undefined {
  const label = nameWords(name).map(bare).join('[\\s_-]?')
  if (label === '' || context.about === undefined) return undefined
  const of = new RegExp(
    `\\b(of|for|in|on|at|from|to|by|about)\\s+(?:an?|the|one|some)\\s+(?:[\\p{L}-]+\\s+)?${label}\\b`,
    'iu',
  ).exec(context.about.slice(0, 4000))?.[1]
  const verb = new RegExp(
    `(?:^|\\. )(\\p{L}{3,20}?)(?:e?s)?\\s+(?:an?|the|one)\\s+(?:[\\p{L}-]+\\s+)?${label}\\b`,
    'iu',
  ).exec(context.about.slice(0, 400))?.[1]
  // Of and for change places freely: the logs of checkout are logs for checkout.
  const said = of !== undefined && /^(?:of|for)$/i.test(of) ? '(?:of|for)' : of
  const lead = said ?? (verb === undefined ? undefined : `${verb}\\p{L}{0,3}`)
  if (lead === undefined) return undefined
  const found = [
    ...context.text
      .slice(0, 4000)
      .matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${lead}\\s+(?:the\\s+)?([\\p{L}\\p{N}][\\p{L}\\p{N}_-]{1,40})`, 'giu')),
  ].flatMap((match) => {
    const word = match[1] ?? ''
    const plain = word.toLowerCase()
    const ordinary = contentWords(word).length === 0 || WEAK_WORDS.has(plain) || isVerb(plain)
    const own = context.known?.has(stem(plain)) === true
    return ordinary || own ? [] : [{ text: word, at: match.index + match[0].length - word.length }]
  })
  return take(found, context)
}

/** Quotations that no other argument has taken. */
export function freeQuotation(context: FillContext): string | undefined {
  return take(quotedIn(context.text), context)
}
