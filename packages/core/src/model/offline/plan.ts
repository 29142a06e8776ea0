import { assign } from './assign.ts'
import { chainStages } from './chain.ts'
import { splitPayload } from './clauses.ts'
import type { Conversation } from './conversation.ts'
import { pathsIn } from './extract.ts'
import { isCreative, isSum, onlyLooks } from './finder-scope.ts'
import { inOrder, linkStages } from './links.ts'
import { withoutNegated } from './negation.ts'
import { addProducers } from './producers.ts'
import { wantsDocument } from './products.ts'
import { routerOf } from './route.ts'
import { asksForFacts, hasArithmetic } from './signals.ts'
import { isWriter, type Stage, takesText, waitsFor } from './stage.ts'
import { conceptsOf } from './synonyms.ts'
import { words } from './tokens.ts'
import type { ToolCard } from './tool-card.ts'

export interface Plan {
  /** In an order that respects `after`. */
  stages: Stage[]
  /** The request without the material in it. */
  task: string
  payload: string
  /** Errands that no tool is for. */
  unmet: string[]
  /** What the request says not to do. */
  left: string[]
  /** The agent itself is to write something out of what it has. */
  composes: boolean
}

export function planFor(conversation: Conversation, cards: readonly ToolCard[]): Plan {
  const { task: asked, payload } = splitPayload(conversation.request, isWorkOnText)
  const { task, left } = withoutNegated(asked)
  const router = routerOf(cards, conversation.delegated)
  const handed = payload !== '' || conversation.materials.length > 0
  const { stages, unmet } = assign(task, router, conversation.gather)
  if (stages.length === 0 && conversation.delegated) addOnlyTool(stages, unmet, cards, task, handed)
  if (stages.length > 0) addMandatory(stages, cards, task)
  addWriter(stages, cards, task, handed)
  if (!handed) for (const stage of [...stages]) addProducers(stage, stages, cards, router, task)
  linkStages(stages, payload !== '')
  const composes =
    !stages.some((stage) => stage.card.transformer) && (wantsDocument(task) || (handed && stages.length === 0))
  addFiles(stages, cards, task, composes)
  const unanswered = stages.length === 0 && !composes
  if (unanswered) addFileSearch(stages, cards, task, conversation.instructions)
  if (composes || (unanswered && stages.length > 0)) unmet.length = 0
  const plan: Plan = { stages, task, payload, unmet, left, composes }
  chainStages(plan, conversation)
  plan.stages = inOrder(stages)
  return plan
}

const TEXT_WORK = new Set(['translate', 'summarize', 'review', 'write'])

const TEXT_AHEAD =
  /\b(?:this|these|the following|following|my)\s+(?:[\p{L}-]+\s+)?(?:code|text|snippet|function|script|program|class|paragraph|sentence|document|passage|email|letter|query|html|markdown|json|csv|logs?|message|article|story|poem|comment|contract)\b/iu

function isWorkOnText(head: string): boolean {
  return (
    words(head).some((word) => conceptsOf(word).some((concept) => TEXT_WORK.has(concept))) ||
    /\binto\b/i.test(head) ||
    TEXT_AHEAD.test(head)
  )
}

/** Whoever delegated saw what the agent is for; where it has one tool, and that one only looks, that is the one meant. */
function addOnlyTool(
  stages: Stage[],
  unmet: string[],
  cards: readonly ToolCard[],
  task: string,
  handed: boolean,
): void {
  const [card, ...others] = cards.filter((each) => each.files === undefined)
  if (!card || others.length > 0 || card.delegation || !onlyLooks(card.description)) return
  if (!(asksForFacts(task) || (handed && takesText(card))) || isCreative(task) || (hasArithmetic(task) && isSum(task)))
    return
  stages.push({ card, clauses: [task], after: [], why: 'asked' })
  unmet.length = 0
}

function addMandatory(stages: Stage[], cards: readonly ToolCard[], task: string): void {
  for (const card of cards) {
    if (card.always && card.files === undefined && !stages.some((stage) => stage.card === card)) {
      stages.push({ card, clauses: [task], after: card.transformer ? [...stages] : [], why: 'asked' })
    }
  }
}

function addWriter(stages: Stage[], cards: readonly ToolCard[], task: string, handed: boolean): void {
  if (!wantsDocument(task) || stages.some((stage) => isWriter(stage.card)) || (stages.length === 0 && !handed)) return
  const writers = cards.filter(isWriter).sort((a, b) => (b.bag.get('~write') ?? 0) - (a.bag.get('~write') ?? 0))
  const [writer] = writers
  if (writer) stages.push({ card: writer, clauses: [task], after: [...stages], why: 'asked' })
}

const OF_FILES = /\b(?:files?|documents?|workspace|folders?|policies|policy|handbook|manuals?)\b/i

/** A question that no tool is for, to an agent that answers from its files, is looked for in them. */
function addFileSearch(stages: Stage[], cards: readonly ToolCard[], task: string, instructions: string): void {
  const reader = cards.find((card) => card.files === 'read')
  const lister = cards.find((card) => card.files === 'list')
  if (!reader || !lister || !asksForFacts(task) || isCreative(task) || (hasArithmetic(task) && isSum(task))) return
  if (!OF_FILES.test(instructions) && cards.some((card) => card.files === undefined)) return
  const listing: Stage = { card: lister, clauses: [task], after: [], why: 'files' }
  stages.push(listing, { card: reader, clauses: [task], after: [listing], why: 'asked', searches: true })
}

function addFiles(stages: Stage[], cards: readonly ToolCard[], task: string, composes: boolean): void {
  const reader = cards.find((card) => card.files === 'read')
  const lister = cards.find((card) => card.files === 'list')
  const reading = stages.find((stage) => stage.card.files === 'read')
  const touched = stages.some((stage) => stage.card.files === 'other')
  if (reading) {
    if (lister && pathsIn(reading.clauses.join('. ')).length === 0) {
      const listing = stages.find((stage) => stage.card === lister) ?? {
        card: lister,
        clauses: [task],
        after: [],
        why: 'files' as const,
      }
      if (!stages.includes(listing)) stages.unshift(listing)
      if (!reading.after.includes(listing) && !waitsFor(listing, reading)) reading.after.push(listing)
    }
    return
  }
  if (!reader) return
  if (pathsIn(task).length > 0 && !touched) stages.push({ card: reader, clauses: [task], after: [], why: 'asked' })
  else if (composes && lister && !stages.some((stage) => stage.card === lister)) {
    const listing: Stage = { card: lister, clauses: [task], after: [], why: 'files' }
    stages.push(listing, { card: reader, clauses: [task], after: [listing], why: 'files' })
  }
}
