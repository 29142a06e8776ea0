import type { Conversation, PastCall } from './conversation.ts'
import { canonical, type JsonRecord } from './json.ts'
import { namesIn } from './names.ts'
import { isEmptyOutcome } from './outcome.ts'
import { plainText } from './plain-text.ts'
import type { Plan } from './plan.ts'
import type { Stage } from './stage.ts'
import { callsOf } from './stage-calls.ts'
import { requiredOf } from './tool-card.ts'

export interface PlannedCall {
  tool: string
  input: JsonRecord
}

/** How far the plan has come, read off the conversation. */
export interface Progress {
  /** The calls to make now. */
  pending: PlannedCall[]
  results: Map<Stage, PastCall[]>
  missing: { stage: Stage; names: string[] }[]
  /** Stages left out because what they work on did not come. */
  idle: Stage[]
}

const MOST_CALLS = 12

/** The nth call planned for a tool is the nth that was made: so the same conversation always leads to the same next step. */
export function progressOf(plan: Plan, conversation: Conversation): Progress {
  const made = new Map<string, PastCall[]>()
  for (const call of conversation.calls) made.set(call.tool, [...(made.get(call.tool) ?? []), call])
  const progress: Progress = { pending: [], results: new Map(), missing: [], idle: [] }
  const open = new Set<Stage>()
  for (const stage of plan.stages) {
    if (stage.after.some((before) => open.has(before))) {
      open.add(stage)
      continue
    }
    if (isIdle(stage, plan, conversation, progress)) {
      progress.idle.push(stage)
      continue
    }
    const { inputs, missing } = callsOf(stage, plan, conversation, progress.results)
    if (missing.length > 0) progress.missing.push({ stage, names: missing })
    const own = made.get(stage.card.name) ?? []
    const done = own.splice(0, inputs.length)
    let next = unmade(stage, inputs.slice(done.length), conversation)
    if (next.length === 0) {
      const again = broaderSearches(stage, done, inputs)
      const redone = own.splice(0, again.length)
      done.push(...redone)
      next = unmade(stage, again.slice(redone.length), conversation)
    }
    progress.results.set(stage, done)
    if (next.length > 0 || done.some(({ outcome }) => outcome?.status === 'running')) open.add(stage)
    progress.pending.push(...next.map((input) => ({ tool: stage.card.name, input })))
  }
  progress.pending = progress.pending.slice(0, Math.max(0, MOST_CALLS - conversation.calls.length))
  return progress
}

/** Without what this turn has called already, or would call twice. */
function unmade(stage: Stage, inputs: readonly JsonRecord[], conversation: Conversation): JsonRecord[] {
  const made = conversation.calls.filter((call) => call.tool === stage.card.name)
  const known = new Set(made.map((call) => canonical(call.input)))
  return inputs.filter((input) => {
    const key = canonical(input)
    if (known.has(key)) return false
    known.add(key)
    return true
  })
}

/** A stage that works on the results of others has nothing to do when none of them brought any. */
function isIdle(stage: Stage, plan: Plan, conversation: Conversation, progress: Progress): boolean {
  if (!stage.card.transformer || stage.after.length === 0) return false
  if (plan.payload !== '' || conversation.materials.length > 0) return false
  return !stage.after.some((before) =>
    (progress.results.get(before) ?? []).some((call) => call.outcome && plainText(call.outcome) !== ''),
  )
}

/** A search that found nothing is tried once more with less: the name alone, or the first words. */
function broaderSearches(stage: Stage, done: readonly PastCall[], inputs: readonly JsonRecord[]): JsonRecord[] {
  if (!stage.card.finder || stage.card.delegation) return []
  return done.flatMap((call, at) => {
    const input = inputs[at]
    const key = requiredOf(stage.card.schema).find((name) => typeof input?.[name] === 'string')
    if (!call.outcome || !isEmptyOutcome(call.outcome) || input === undefined || key === undefined) return []
    const query = String(input[key])
    const fewer = namesIn(query)[0]?.text ?? query.split(' ').slice(0, 2).join(' ')
    return fewer === query || fewer === '' ? [] : [{ ...input, [key]: fewer }]
  })
}
