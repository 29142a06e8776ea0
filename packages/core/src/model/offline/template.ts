import type { Conversation } from './conversation.ts'
import { isTemplateName } from './files.ts'
import { plainWords } from './idioms.ts'
import { titleOf } from './keywords.ts'
import { isSourcesHeading } from './passages.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { quoteLine } from './quote-line.ts'
import { addWords, type Bag, type Index, indexOf, queryOf } from './rank.ts'
import type { Quote, QuoteGroup } from './select-quotes.ts'
import { words } from './tokens.ts'

interface Section {
  marks: string
  heading: string
  guidance: string
}

/** The headings of the template that the agent read for its composition, if it read one. */
export function templateIn(plan: Plan, progress: Progress, conversation: Conversation): Section[] | undefined {
  for (const stage of plan.stages) {
    if (stage.card.files !== 'read') continue
    for (const call of progress.results.get(stage) ?? []) {
      const asTemplate = stage.why === 'files' || isTemplateName(JSON.stringify(call.input) ?? '')
      const text = call.outcome?.status === 'ok' ? textIn(call.outcome.value) : ''
      const sections = asTemplate || conversation.instructions.includes('template') ? sectionsOf(text) : []
      if (sections.length > 1) return sections
    }
  }
  return undefined
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).find((each) => typeof each === 'string' && each.includes('\n')) ?? ''
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  for (const line of text.slice(0, 40_000).split(/\r?\n/)) {
    const match = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line)
    const last = sections.at(-1)
    if (match) sections.push({ marks: match[1] ?? '#', heading: match[2] ?? '', guidance: '' })
    else if (last) last.guidance = `${last.guidance} ${line}`.slice(0, 2000)
  }
  return sections.slice(0, 40)
}

const NOTHING = '(Nothing in the material fits this heading.)'
const NO_SUMMARY = '(A summary takes a language model; the quotations below stand for themselves.)'
const PLACEHOLDER = /\{\{?[^}]*\}\}?|<[^>]+>|\[[^\]]+\]|\$\{[^}]*\}/
const GENERAL = /\b(?:findings|body|details|evidence|analysis|background|facts|notes|main|discussion|content)\b/i
const SUMMARY = /^(?:executive |short )?(?:summary|overview|abstract|in brief|key points|highlights|tl;?dr)\b/i
const LIMITS = /\b(?:limits?|limitations?|gaps?|caveats?|open questions|not found|unknowns?)\b/i

/** The template's headings in their order; each quotation stands once, under the heading that it fits best. */
export function fillTemplate(
  sections: readonly Section[],
  groups: readonly QuoteGroup[],
  request: string,
  remarks: readonly string[],
): string {
  const quotes = groups.flatMap((group) => group.quotes)
  const places = placesFor(sections, groups)
  const references = [...new Set(quotes.map((quote) => quote.reference).filter(Boolean))]
  const limits = sections.findLastIndex((section) => LIMITS.test(section.heading))
  const blocks = sections.map((section, at) => {
    const lines = [`${section.marks} ${isTitle(section, at) ? titled(section, request) : section.heading}`]
    if (isSourcesHeading(section.heading)) {
      lines.push(references.map((reference) => `- ${reference}`).join('\n') || '(The material names no sources.)')
      return lines.join('\n\n')
    }
    const own = quotes
      .filter((quote) => places.get(quote) === at)
      .map((quote) => quoteLine(quote.text, quote.reference, quote.data))
    if (at === limits) own.push(...remarks.map((remark) => `- ${remark}`))
    if (own.length > 0) lines.push(own.join('\n'))
    else if (!isTitle(section, at) && !opensGroup(sections, at))
      lines.push(SUMMARY.test(section.heading) ? NO_SUMMARY : NOTHING)
    return lines.join('\n\n')
  })
  if (limits < 0 && remarks.length > 0) blocks.push(remarks.join('\n'))
  return blocks.join('\n\n')
}

/** A heading that only opens a group of deeper ones. */
function opensGroup(sections: readonly Section[], at: number): boolean {
  return (sections[at + 1]?.marks.length ?? 0) > (sections[at]?.marks.length ?? 0)
}

function isTitle(section: Section, at: number): boolean {
  return (at === 0 && section.marks === '#') || /^(?:title|headline)$/i.test(section.heading)
}

function titled(section: Section, request: string): string {
  const title = titleOf(request)
  if (title === '') return section.heading
  if (PLACEHOLDER.test(section.heading)) return section.heading.replace(PLACEHOLDER, () => title)
  return /^(?:title|headline|draft|template|draft template|brief|report|article)$/i.test(section.heading)
    ? title
    : `${section.heading}: ${title}`
}

/** Each where the words agree; a summary then takes, for each name, what says most of what is left over. */
function placesFor(sections: readonly Section[], groups: readonly QuoteGroup[]): Map<Quote, number> {
  const places = new Map<Quote, number>()
  const open = sections
    .map((section, at) => ({ section, at }))
    .filter(
      ({ section, at }) => !isTitle(section, at) && !isSourcesHeading(section.heading) && !LIMITS.test(section.heading),
    )
  const summary = open.find(({ section }) => SUMMARY.test(section.heading))
  const usable = open.filter((each) => each !== summary && !opensGroup(sections, each.at))
  const spots = usable.length > 0 ? usable : open
  const index = indexOf(spots.map(({ section }) => headingBag(section)))
  const general = (spots.find(({ section }) => GENERAL.test(section.heading)) ?? spots[0])?.at ?? 0
  for (const { quotes } of groups) {
    for (const quote of quotes) places.set(quote, bestSpot(quote, spots, index) ?? general)
    const [first, second] = quotes
      .filter((quote) => places.get(quote) === general)
      .toSorted((a, b) => b.score - a.score)
    if (summary && first && second) places.set(first, summary.at)
  }
  return places
}

function headingBag(section: Section): Bag {
  const bag: Bag = new Map()
  addWords(bag, words(plainWords(section.heading)), 2)
  addWords(bag, words(section.guidance), 0.3)
  return bag
}

function bestSpot(quote: Quote, spots: readonly { at: number }[], index: Index): number | undefined {
  const query = queryOf(`${quote.about} ${quote.text}`)
  const ranked = spots
    .map(({ at }, doc) => ({ at, ...index.match(doc, query) }))
    .filter(({ evidence }) => evidence >= 0.7)
  return ranked.sort((a, b) => b.score - a.score || a.at - b.at)[0]?.at
}
