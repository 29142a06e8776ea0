import { answerBlocks, type Block } from './blocks.ts'
import type { Conversation } from './conversation.ts'
import { stripNotice } from './framing.ts'
import { titleOf } from './keywords.ts'
import { sideBySide } from './names.ts'
import { type Passage, passagesOf } from './passages.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { quoteLine } from './quote-line.ts'
import { remarksIn } from './remarks.ts'
import { type Quote, type QuoteGroup, selectQuotes } from './select-quotes.ts'
import { fillTemplate, templateIn } from './template.ts'
import { cutAt } from './tokens.ts'
import type { ToolCard } from './tool-card.ts'
import { troubleLines } from './trouble.ts'

/** The reply of a turn, from the plan and what its calls brought: quotations, headings, and what went wrong. */
export function composeAnswer(
  plan: Plan,
  progress: Progress,
  conversation: Conversation,
  cards: readonly ToolCard[],
): string {
  const trouble = [...troubleLines(plan, progress, conversation), ...remarksFrom(plan, conversation)]
  const blocks = answerBlocks(plan, progress, conversation)
  const passages = [...materialPassages(plan, conversation), ...blocks.flatMap((block) => block.passages)]
  const parts: string[] = []
  if (plan.composes && passages.length > 0) {
    const template = templateIn(plan, progress, conversation)
    const groups = selectQuotes(passages, plan.task, namesOf(plan.task, passages))
    if (template) return fillTemplate(template, groups, plan.task, trouble)
    // Values are no quotations, so a document made of quotations does not hold them.
    const values = blocks.filter((block) => block.data && block.passages.length === 0)
    parts.push(...values.map((block) => shown(block, blocks.length, plan.task)).filter(Boolean))
    parts.push(documentOf(groups, plan.task))
  } else parts.push(...blocks.map((block) => shown(block, blocks.length, plan.task)).filter(Boolean))
  const idle = conversation.calls.length === 0 && progress.missing.length === 0 && plan.task !== ''
  if (parts.length === 0 && (idle || trouble.length === 0)) {
    const left = plan.left.length > 0 ? trouble : []
    return [...left, nothingFits(plan, conversation, cards)].join('\n\n')
  }
  const said = parts.join('\n\n')
  const unsaid = [...new Set(trouble)].filter((line) => !said.includes(line))
  return [said, unsaid.join('\n')].filter(Boolean).join('\n\n')
}

export function materialPassages(plan: Plan, conversation: Conversation): Passage[] {
  const handed = conversation.materials.flatMap((material) => passagesOf(stripNotice(material.text)))
  const inline = plan.payload === '' ? [] : passagesOf(stripNotice(plan.payload))
  return [...handed, ...inline]
}

function remarksFrom(plan: Plan, conversation: Conversation): string[] {
  return [...new Set([...conversation.materials.map((material) => material.text), plan.payload].flatMap(remarksIn))]
}

function documentOf(groups: readonly QuoteGroup[], request: string): string {
  const quotes = groups.flatMap((group) => group.quotes)
  const title = titleOf(request)
  return [
    ...(title === '' ? [] : [`# ${title}`]),
    ...groups.map((group) => section(group, groups.length)),
    ...sources(quotes),
  ].join('\n\n')
}

function section(group: QuoteGroup, count: number): string {
  const heading = group.name !== '' ? group.name : count > 1 ? 'Further material' : 'Findings'
  return `## ${heading}\n\n${listed(group.quotes)}`
}

function listed(quotes: readonly Quote[]): string {
  return quotes.map((quote) => quoteLine(quote.text, quote.reference, quote.data)).join('\n')
}

function sources(quotes: readonly Quote[]): string[] {
  const references = [...new Set(quotes.map((quote) => quote.reference).filter(Boolean))]
  return references.length === 0 ? [] : [`## Sources\n\n${references.map((reference) => `- ${reference}`).join('\n')}`]
}

/** The names that the request sets side by side, else the headings that the material is already under. */
function namesOf(request: string, passages: readonly Passage[]): string[] {
  const names = sideBySide(request)
  if (names.length > 1) return names
  const headings = [...new Set(passages.filter((passage) => passage.quoted).map((passage) => passage.about))].filter(
    Boolean,
  )
  return headings.length > 1 && headings.length <= 4 ? headings : []
}

function shown(block: Block, count: number, request: string): string {
  const lead = `From \`${block.from}\`${block.of === '' ? '' : ` (${block.of})`}:`
  if (block.text !== undefined) return count > 1 || !block.delegation ? `${lead}\n\n${block.text}` : block.text
  if (block.line !== undefined) return `${lead} ${block.line}`
  const groups = selectQuotes(block.passages, request, sideBySide(request))
  if (groups.length < 2) return groups.length === 0 ? '' : `${lead}\n\n${listed(groups[0]?.quotes ?? [])}`
  return groups
    .map((group) => `## ${group.name === '' ? 'Further material' : group.name}\n\n${listed(group.quotes)}`)
    .join('\n\n')
}

function nothingFits(plan: Plan, conversation: Conversation, cards: readonly ToolCard[]): string {
  if (cards.length === 0)
    return 'This agent has no tools, and no material to quote came with the request. Without a language model it can only route requests and quote what comes back; it cannot converse.'
  const first =
    conversation.request === ''
      ? 'The request is empty, so no tool was called.'
      : conversation.calls.length > 0 || plan.stages.length > 0
        ? 'There is no result to quote.'
        : 'None of this agent’s tools fits the request, so none was called.'
  const lines = cards.map(
    (card) =>
      `- \`${card.name}\`${card.description === '' ? '' : `: ${cutAt(card.description.replace(/\s+/g, ' '), 300)}`}`,
  )
  return `${first} It has:\n\n${lines.join('\n')}`
}
