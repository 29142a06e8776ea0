import { assign } from './assign.ts'
import { splitPayload } from './clauses.ts'
import type { Conversation } from './conversation.ts'
import { pathsIn } from './extract.ts'
import { inOrder, linkStages } from './links.ts'
import { addProducers } from './producers.ts'
import { wantsDocument } from './products.ts'
import { routerOf } from './route.ts'
import { isWriter, type Stage, waitsFor } from './stage.ts'
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
  /** The agent itself is to write something out of what it has. */
  composes: boolean
}

export function planFor(conversation: Conversation, cards: readonly ToolCard[]): Plan {
  const { task, payload } = splitPayload(conversation.request, isWorkOnText)
  const router = routerOf(cards)
  const handed = payload !== '' || conversation.materials.length > 0
  const { stages, unmet } = assign(task, router, conversation.gather)
  if (stages.length > 0) addMandatory(stages, cards, task)
  addWriter(stages, cards, task, handed)
  if (!handed) for (const stage of [...stages]) addProducers(stage, stages, cards, router, task)
  linkStages(stages)
  const composes = !stages.some((stage) => stage.card.transformer) && (handed || wantsDocument(task))
  addFiles(stages, cards, task, composes)
  return { stages: inOrder(stages), task, payload, unmet, composes }
}

const TEXT_WORK = new Set(['translate', 'summarize', 'review', 'write'])

function isWorkOnText(head: string): boolean {
  return (
    words(head).some((word) => conceptsOf(word).some((concept) => TEXT_WORK.has(concept))) || /\binto\b/i.test(head)
  )
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
