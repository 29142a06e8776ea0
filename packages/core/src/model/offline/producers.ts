import { keywordsOf, topicOf } from './keywords.ts'
import { wantsDocument } from './products.ts'
import type { Router } from './route.ts'
import { bringsOwn, isWriter, type Stage } from './stage.ts'
import type { ToolCard } from './tool-card.ts'

/** A writer needs notes: where nothing else in the plan makes them, the tool that does is asked first. */
export function addProducers(
  stage: Stage,
  stages: Stage[],
  cards: readonly ToolCard[],
  router: Router,
  task: string,
  depth = 0,
): void {
  const { card } = stage
  if (!card.transformer || card.reviewer || depth > 3 || bringsOwn(stage) || stage.after.length > 0) return
  const needs =
    card.consumes.size > 0
      ? card.consumes
      : new Set(isWriter(card) && wantsDocument(task) ? (['material'] as const) : [])
  for (const need of needs) {
    const makes = (each: ToolCard): boolean => each !== card && each.files === undefined && each.produces.has(need)
    if (stages.some((each) => makes(each.card) || (each.card.finder && need === 'material'))) continue
    const ranked = router.choose(task, { gather: true }).map((fit) => fit.card)
    const able = cards
      .filter((each) => makes(each) && !each.transformer)
      .sort(
        (a, b) => rankIn(ranked, a) - rankIn(ranked, b) || Number(b.finder) - Number(a.finder) || a.mention - b.mention,
      )
    const producer = able[0] ?? cards.find((each) => makes(each) && !each.produces.has('document'))
    if (!producer) continue
    const own = topicOf(stage.clauses.join(' '))
    const about = keywordsOf(own) === '' ? topicOf(task) : own
    const added: Stage = { card: producer, clauses: [about], after: [], why: 'producer' }
    stages.push(added)
    addProducers(added, stages, cards, router, task, depth + 1)
  }
}

function rankIn(ranked: readonly ToolCard[], card: ToolCard): number {
  const at = ranked.indexOf(card)
  return at < 0 ? ranked.length : at
}
