import { quotedSpans } from './clauses.ts'
import { isVerb } from './synonyms.ts'

const OPENS = String.raw`(?:^|[.!?;:,\n(—–]\s*|\b(?:and|but|so|just|please|also|then|or|simply|you)\s+)`
const NEGATOR = String.raw`(?:(?:i\s+(?:do\s+not|don['’]?t)\s+want\s+(?:you\s+)?to|do\s+not|don['’]?t|never|(?:must|should|may|shall)\s+not|(?:must|should|shall)n['’]?t|refrain\s+from|avoid|under\s+no\s+circumstances|(?:there\s+is\s+)?no\s+need\s+to)\b)`
const IMPERATIVE = new RegExp(
  `${OPENS}(?:please\\s+)?(${NEGATOR})(?!\\s+(?:you|we|they|i|he|she|it|forget|hesitate|fail|know|understand|have|worry|mind|miss)\\b)`,
  'giu',
)
const CONTRAST = /(?:,\s*(?:and\s+|but\s+)?|\bbut\s+|\band\s+)(not\s+(?!only\b|sure\b))/giu
const ASIDE = /\b((?:without|instead\s+of|rather\s+than)\s+)/giu
/** "What happens without rain", "why do cats not swim": a question may be about what is not. */
const ASKS = /^\s*(?:what|why|how|who|when|where|which|is|are|does|do|did|explain|describe|compare|discuss|research)\b/i

/** What a request says not to do, apart from the rest of it: it chooses no tool and fills no argument. */
export function withoutNegated(request: string): { task: string; left: string[] } {
  const text = request.slice(0, 20_000)
  const spans = [...quotedSpans(text), ...wordings(text)]
  const cuts: [number, number][] = []
  const add = (match: RegExpMatchArray, joint: boolean): void => {
    const at = (match.index ?? 0) + match[0].lastIndexOf(match[1] ?? '')
    if (spans.some(([from, to]) => at > from && at < to) || cuts.some(([from, to]) => at >= from && at < to)) return
    cuts.push([at, endOf(text, at + (match[1] ?? '').length, joint)])
  }
  for (const match of text.matchAll(IMPERATIVE)) add(match, true)
  for (const match of text.matchAll(CONTRAST)) add(match, false)
  for (const match of text.matchAll(ASIDE)) if (!ASKS.test(sentenceAt(text, match.index))) add(match, false)
  if (cuts.length === 0) return { task: request, left: [] }
  cuts.sort((a, b) => a[0] - b[0])
  let task = ''
  let from = 0
  for (const [start, end] of cuts) {
    task += text.slice(from, start).replace(/(?:[\s,;(—–-]|\b(?:and|but|or|please|so|you)\b)+$/i, '')
    const joint = /^\s*(?:(?:and|but|so|just|only|instead)\s+)*(?=\p{L})/iu.exec(text.slice(end))?.[0] ?? ''
    // What ended the clause ends what is left of it too.
    if (/[\p{L}\p{N}"”'’]$/u.test(task) && joint !== '') task += '. '
    from = task === '' || task.endsWith('. ') ? end + joint.length : end
  }
  task += text.slice(from) + request.slice(20_000)
  return {
    task: task.replace(/^(?:[\s,;.!?:)—–-]|\b(?:and|but|so|just|instead|only|then)\b)+/i, '').trim(),
    left: cuts.map(([start, end]) => text.slice(start, end).replace(/[\s,;—–]+$/u, '')),
  }
}

const SAYS = '(?:e-?mail|mail|send|write|tell|message|text|post|notify|inform|remind|translate|say|reply|answer|note)'
const WORDING = new RegExp(
  String.raw`\b(?:saying|that says|which says)\b[^.!?\n]*|\b${SAYS}\b[^.!?:\n]{0,80}?\bthat\b[^.!?\n]*|\b${SAYS}\b[^:\n]{0,200}:\s[\s\S]*`,
  'gi',
)

/** What a message is to say is not said to whoever sends it. */
function wordings(text: string): [number, number][] {
  return [...text.slice(0, 8000).matchAll(WORDING)].map((match) => [match.index, match.index + match[0].length])
}

function sentenceAt(text: string, at: number): string {
  return (
    text
      .slice(0, at)
      .split(/[.!?\n]\s*/)
      .at(-1) ?? ''
  )
}

/** A prohibition holds for all that "and" and "or" add to it; anything else ends with the phrase. */
function endOf(text: string, from: number, joint: boolean): number {
  for (const match of text
    .slice(from)
    .matchAll(
      /[.!?](?=\s|$)|[;\n—–)]|,\s*|\s+(?=(?:but|instead|unless)\b)|\s+and\s+(?:then\s+|just\s+|only\s+|instead\s+|please\s+)?(?=(\p{L}+))/giu,
    )) {
    const end = from + match.index
    const rest = text.slice(end + match[0].length)
    if (match[0].startsWith(',') && joint && /^(?:\p{L}+,\s*){0,6}(?:\p{L}+\s+)?or\s/iu.test(rest)) continue
    if (/^\s+and\s/i.test(match[0])) {
      const sequel = /\b(?:then|just|only|instead|please)\s+$/i.test(match[0])
      if (!sequel && (joint || !isVerb((match[1] ?? '').toLowerCase()))) continue
      return end
    }
    return match[0].startsWith(',') || /^[.!?;\n]/.test(match[0]) ? end + match[0].trimEnd().length : end
  }
  return text.length
}
