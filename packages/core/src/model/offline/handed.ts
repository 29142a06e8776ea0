import { joinClauses } from './clauses.ts'
import type { Conversation, PastCall } from './conversation.ts'
import { frameMaterial, gatherFor, type Material } from './framing.ts'
import type { JsonRecord } from './json.ts'
import { namesIn } from './names.ts'
import { plainText } from './plain-text.ts'
import type { Plan } from './plan.ts'
import { refersBack } from './signals.ts'
import { inlineText, isWriter, type Stage, takesText, waitsFor } from './stage.ts'

export interface StageCalls {
  inputs: JsonRecord[]
  missing: string[]
}

export type Results = ReadonlyMap<Stage, readonly PastCall[]>

/** What a stage is handed: the results that it waited for, else what came with the request, else the answer before it. */
export function materialsFor(stage: Stage, plan: Plan, conversation: Conversation, results: Results): Material[] {
  if (stage.why === 'producer') return []
  const brought = stage.after.flatMap((before) => {
    if (before.card.files === 'list' || isWorkedIn(before, stage)) return []
    return (results.get(before) ?? []).flatMap((call) => {
      const text = call.outcome ? plainText(call.outcome) : ''
      return text === '' ? [] : [{ from: before.card.name, text }]
    })
  })
  const works = stage.card.transformer || stage.card.carrier || refersBack(stage.clauses.join('. '))
  // "Then" alone is an order of steps, not a wish to have the one worked on by the other.
  if (!works && !feeds(plan, stage)) return []
  const handed = [
    ...conversation.materials,
    ...(plan.payload === '' ? [] : [{ from: 'the request', text: plan.payload }]),
  ]
  if (brought.length + handed.length > 0) return [...brought, ...handed]
  const leans = refersBack(stage.clauses.join('. ')) && inlineText(stage.clauses[0] ?? '') === ''
  return leans && conversation.earlier !== '' ? [{ from: 'the answer before', text: conversation.earlier }] : []
}

/** The request's own text goes to whoever is asked to look at it; what was handed over, to a tool that takes a text. */
function feeds(plan: Plan, stage: Stage): boolean {
  return stage.card.delegation ? plan.payload !== '' || stage.needs === true : takesText(stage.card)
}

/** The notes are in the draft: what is handed the draft is not handed the notes as well. */
function isWorkedIn(before: Stage, stage: Stage): boolean {
  return stage.after.some((other) => other.card.transformer && !other.card.reviewer && other.after.includes(before))
}

/** What a subagent is told: its part of the request, and the material to work from. */
export function promptFor(stage: Stage, plan: Plan, materials: readonly Material[]): string {
  const base = basisOf(stage, plan)
  return materials.length > 0 ? frameMaterial(base, materials) : base
}

/** A writer is told the whole request, but for what is done with its text afterwards; any other its own part. */
function basisOf(stage: Stage, plan: Plan): string {
  if (stage.why === 'producer') return gatherFor(joinClauses(stage.clauses))
  if (!isWriter(stage.card)) return withTheName(spokenTogether(stage, plan), stage, plan)
  const asked = plan.stages.filter((other) => other.why === 'asked')
  const later = asked.filter((other) => other.card.transformer && other.after.includes(stage))
  if (later.length === 0) return plan.task
  return joinClauses([...new Set(asked.filter((other) => !waitsFor(other, stage)).flatMap((other) => other.clauses))])
}

/** A part that names nothing is about what the whole request is about, where that is one thing. */
function withTheName(text: string, stage: Stage, plan: Plan): string {
  const names = namesIn(plan.task)
  const [only] = names
  if (only === undefined || names.length > 1 || stage.card.transformer || plan.stages.length < 2) return text
  // What is said before the name falls is not about it, and what has a figure of its own stands for itself.
  if (plan.task.indexOf(text) < 0 || plan.task.indexOf(text) < only.at || /\d/.test(text)) return text
  return text.includes(only.text) ? text : `${text.replace(/[.!?]$/, '')} (${only.text})`
}

/** The clauses of a stage as the request has them, where they stand together; else one after the other. */
function spokenTogether(stage: Stage, plan: Plan): string {
  const [first = '', ...rest] = stage.clauses
  const last = rest.at(-1)
  const joined = joinClauses(stage.clauses)
  if (last === undefined) return first
  const start = plan.task.indexOf(first)
  const end = plan.task.indexOf(last, start + first.length)
  if (start < 0 || end < 0) return joined
  const span = plan.task.slice(start, end + last.length)
  const shared = plan.stages.some((other) => other !== stage && other.clauses.some((clause) => span.includes(clause)))
  return shared ? joined : span
}
