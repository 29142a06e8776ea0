import type { Conversation } from './conversation.ts'
import { quotedIn } from './extract.ts'
import { listAfter } from './fill-list.ts'
import type { Plan } from './plan.ts'
import { type Stage, waitsFor } from './stage.ts'
import { callsOf } from './stage-calls.ts'
import { contentWords, stem, words } from './tokens.ts'

/** A stage whose arguments the request does not give waits for those that may bring them. */
export function chainStages(plan: Plan, conversation: Conversation): void {
  const { stages } = plan
  stages.forEach((stage, at) => {
    if (stage.card.files !== undefined || stages.length < 2 || stage.card.transformer) return
    const able = (other: Stage): boolean =>
      other !== stage && !other.card.carrier && other.card.files === undefined && !waitsFor(other, stage)
    const before = stages.slice(0, at).filter(able)
    if (stage.card.delegation) {
      const makers = before.filter((other) => makesFor(other, stage))
      if (makers.length > 0) stage.needs = true
      wait(stage, makers)
      return
    }
    if (callsOf(stage, plan, conversation, new Map()).missing.length === 0) return
    wait(stage, before.length > 0 ? before : stages.slice(at + 1).filter((other) => able(other) && other.card.finder))
  })
}

function wait(stage: Stage, others: readonly Stage[]): void {
  stage.after.push(...others.filter((other) => !stage.after.includes(other)))
}

/** "Makes a list out of ingredients": what another tool speaks of finding or returning, where the request lists none. */
function makesFor(maker: Stage, taker: Stage): boolean {
  const text = taker.clauses.join('. ')
  if (quotedIn(text).length > 0 || listAfter(text, []).length > 0 || /:\s/.test(text)) return false
  const takes = [...taker.card.description.matchAll(/\b(?:out of|from|based on|given)\s+([^.,;]{3,60})/gi)].flatMap(
    (match) => contentWords(match[1] ?? '').map(stem),
  )
  return words(maker.card.description).some((word) => takes.includes(stem(word)))
}
