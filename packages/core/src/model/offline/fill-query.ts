import { emailsIn, quotedIn } from './extract.ts'
import type { FillContext } from './fill-context.ts'
import { keywordsOf } from './keywords.ts'
import { namesIn } from './names.ts'
import { cutAt, words } from './tokens.ts'

/** What a message is to say, in the request's own words. */
export function saidIn(text: string): string | undefined {
  const plain = text.trim()
  return (
    /(?::|\b(?:saying|that says|which says))\s+(?:that\s+)?([\s\S]{2,})$/i.exec(plain)?.[1] ??
    /^(?:please\s+)?(?:e-?mail|tell|inform|notify|message|text|write|remind|let|send)\b[^.:]{0,80}?\bthat\s+((?!user\b|person\b|one\b)\S+\s[\s\S]{2,})$/i.exec(
      plain,
    )?.[1]
  )
}

export function queryFor(context: FillContext, without: readonly string[] = []): string | undefined {
  const said = context.finder ? undefined : titleSaid(context.text)
  if (said !== undefined) return said
  const address = context.finder ? emailsIn(context.text)[0]?.text : undefined
  if (address !== undefined) return address
  const [called = ''] = (context.about ?? '').split('. ')
  const more = context.finder && namesIn(context.text, context.known).length > 0 ? words(called) : []
  const keywords = keywordsOf(
    context.text,
    context.name === '' ? [...without, ...more] : [context.name, ...context.others, ...without],
  )
  const query = [context.name, keywords].filter(Boolean).join(' ')
  return query || cutAt(context.text.trim(), 200) || undefined
}

/** The title, subject or label that a text gives: in quotation marks, after a colon, or after "about". */
export function titleSaid(text: string): string | undefined {
  const plain = text.trim()
  const said =
    quotedIn(plain)[0]?.text ?? /:\s+([^\n]{2,300})$/.exec(plain)?.[1] ?? /\babout\s+([^\n]{2,300})$/i.exec(plain)?.[1]
  return (said ?? /^(?:please\s+)?(?:remind|ask|tell)\s+\S+\s+to\s+([^\n]{2,300})$/i.exec(plain)?.[1])?.replace(
    /[.!?]$/,
    '',
  )
}

/** "A lentil soup recipe for 4 people" is about lentil soup where the tool is for recipes. */
export function subjectOf(context: FillContext): string | undefined {
  const plain = context.text.replace(/\bfor\s+(?:\d+|two|three|four|five|six|eight|ten|twelve)\s+\p{L}+/giu, ' ')
  const [called = ''] = (context.about ?? '').split('. ')
  return queryFor({ ...context, text: plain }, words(called)) ?? queryFor(context)
}
