import { terms } from './terms.ts'

const LONGEST = 600 // characters of a passage
const MOST = 3 // sentences of a passage
const ENOUGH = 160 // a shorter passage is widened by a neighbour where it can be
const LONG_SENTENCE = 300 // a longer one is cut into its clauses

/** How much each term matters. */
export type Weights = ReadonlyMap<string, number>

interface Span {
  readonly start: number
  readonly end: number
}

/** The one to three consecutive sentences that say most about the wanted terms: always an exact piece of the text. */
export function excerpt(text: string, wanted: Weights): string {
  const spans = pieces(text)
  if (wanted.size === 0) return tidy(text, opening(text, spans))
  const values = spans.map(({ start, end }) => seen(text.slice(start, end), wanted))
  let best = opening(text, spans)
  let bestScore = Number.NEGATIVE_INFINITY
  for (const [first, { start }] of spans.entries()) {
    const found = new Map<string, number>()
    for (let last = first; last < Math.min(first + MOST, spans.length); last += 1) {
      const end = spans[last]?.end ?? start
      if (last > first && !continues(text, { start, end: spans[last - 1]?.end ?? start }, end)) break
      for (const [term, count] of values[last] ?? []) found.set(term, (found.get(term) ?? 0) + count)
      // A text says first what matters most.
      const score = worth(found, wanted, text.slice(start, end)) + (start === 0 ? 0.1 : 0)
      // Strictly better: of equals, the one that stands first.
      if (score > bestScore) {
        bestScore = score
        best = { start, end }
      }
    }
  }
  return tidy(text, best)
}

/** As much of the beginning as a passage may hold. */
function opening(text: string, spans: readonly Span[]): Span {
  let end = spans[0]?.end ?? 0
  for (const span of spans.slice(1, MOST)) {
    if (!continues(text, { start: 0, end }, span.end)) break
    end = span.end
  }
  return { start: 0, end }
}

/** Whether a passage may grow: not past its length, and into the next paragraph only from a line that says little. */
function continues(text: string, { start, end }: Span, next: number): boolean {
  return next - start <= LONGEST && (text[end] !== '\n' || end - start < ENOUGH)
}

/** Without the comma or semicolon that led on to the next clause. */
function tidy(text: string, { start, end }: Span): string {
  return text.slice(start, end).replace(/[\s,;]+$/, '')
}

/** Distinct terms weigh most, repetition a little; length costs a little, and so does being too short to follow. */
function worth(found: ReadonlyMap<string, number>, wanted: Weights, passage: string): number {
  let score = 0
  for (const [term, count] of found) score += (wanted.get(term) ?? 0) * (1 + 0.15 * Math.min(count - 1, 2))
  if (passage.length < ENOUGH) score -= 0.3
  // A letter that the edition had already lost makes a poor quotation.
  if (passage.includes('\ufffd')) score -= 0.5
  return score - passage.length / 4000
}

function seen(piece: string, wanted: Weights): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms(piece)) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

function pieces(text: string): Span[] {
  const spans: Span[] = []
  for (const sentence of split(text, { start: 0, end: text.length }, /\n|(?<=[.!?]["')\]]{0,2}) (?=["'(]?[A-Z0-9])/g)) {
    if (unfinished(text, spans.at(-1))) spans.push({ start: spans.pop()?.start ?? sentence.start, end: sentence.end })
    else spans.push(sentence)
  }
  return spans.flatMap((span) => shorten(text, span))
}

/** "U.S. Army", "St. Lucia", "J. Smith": the point before the gap ended no sentence. */
function unfinished(text: string, span: Span | undefined): boolean {
  if (!span || text[span.end] === '\n') return false
  return /(?:^|[\s(.])(?:[A-Z]|St|Mt|Dr|Mr|Mrs|Gen|Lt|Col|No|approx|ca|est|vs|etc|e\.g|i\.e)\.$/.test(
    text.slice(Math.max(span.start, span.end - 12), span.end),
  )
}

function shorten(text: string, span: Span): Span[] {
  let spans = [span]
  if (span.end - span.start > LONG_SENTENCE) spans = join(split(text, span, /(?<=;) /g), LONG_SENTENCE)
  // Lists without a semicolon: at commas, then anywhere between words.
  for (const gap of [/(?<=,) /g, / /g]) {
    spans = spans.flatMap((part) =>
      part.end - part.start > LONGEST ? join(split(text, part, gap), LONG_SENTENCE) : part,
    )
  }
  return spans
}

function split(text: string, { start, end }: Span, gap: RegExp): Span[] {
  const spans: Span[] = []
  let from = start
  for (const match of text.slice(start, end).matchAll(gap)) {
    const at = start + match.index
    if (at > from) spans.push({ start: from, end: at })
    from = at + match[0].length
  }
  if (from < end) spans.push({ start: from, end })
  return spans
}

/** Neighbours together again as long as they stay short: a clause of three words is no quotation. */
function join(spans: readonly Span[], longest: number): Span[] {
  const joined: Span[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last && span.end - last.start <= longest) joined[joined.length - 1] = { start: last.start, end: span.end }
    else joined.push(span)
  }
  return joined
}
