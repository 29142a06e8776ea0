import { bringsOwn, type Stage, waitsFor } from './stage.ts'

/** Who waits for whom, by what descriptions say that they make and take. */
export function linkStages(stages: readonly Stage[], handed = false): void {
  stages.forEach((stage, at) => {
    if (stage.card.carrier && !bringsOwn(stage)) {
      const others = stages.filter((other) => other !== stage && !other.card.carrier && !waitsFor(other, stage))
      stage.after.push(...others.filter((other) => !stage.after.includes(other)))
    }
    if (!stage.card.transformer || (stage.why === 'asked' && bringsOwn(stage))) return
    stages.forEach((other, otherAt) => {
      if (other === stage || stage.after.includes(other) || waitsFor(other, stage)) return
      // Two that look at one text each look at the text, not at what the other says of it.
      if (handed && other.card.reviewer && stage.card.reviewer) return
      const feeds = [...other.card.produces].some((kind) => stage.card.consumes.has(kind))
      const fedBy = [...stage.card.produces].some((kind) => other.card.consumes.has(kind))
      if (other.card.transformer ? (feeds && !fedBy) || (otherAt < at && !fedBy) : true) stage.after.push(other)
    })
  })
}

/** Every stage after those that it waits for. */
export function inOrder(stages: readonly Stage[]): Stage[] {
  const ordered: Stage[] = []
  const visit = (stage: Stage, path: readonly Stage[]): void => {
    if (ordered.includes(stage) || path.includes(stage)) return
    for (const before of stage.after) visit(before, [...path, stage])
    ordered.push(stage)
  }
  for (const stage of stages) visit(stage, [])
  return ordered
}
