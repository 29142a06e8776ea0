import { foundNothing } from './blocks.ts'
import type { Conversation, PastCall } from './conversation.ts'
import { foundInFiles } from './file-blocks.ts'
import { isRecord } from './json.ts'
import { isEmptyOutcome, type Outcome } from './outcome.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { cutAt } from './tokens.ts'

/** One line for each thing that did not go as asked, in the words of the result where it has any. */
export function troubleLines(plan: Plan, progress: Progress, conversation: Conversation): string[] {
  const lines: string[] = []
  for (const call of conversation.calls) {
    const line = call.outcome ? lineFor(call.tool, call.outcome) : `\`${call.tool}\` has not answered.`
    if (line !== undefined && !lines.includes(line)) lines.push(line)
  }
  for (const [stage, calls] of progress.results) {
    if (stage.searches && foundInFiles(stage, calls, plan.task).length === 0) lines.push(nothingInFiles(calls))
    if (foundNothing(stage, calls, plan.task))
      lines.push(`\`${stage.card.name}\` returned nothing that has to do with the request.`)
  }
  for (const { stage, names } of progress.missing) {
    const made = (progress.results.get(stage) ?? []).length > 0
    lines.push(
      `\`${stage.card.name}\` was ${made ? 'not called for all of the request' : 'not called'}: I could not find a value for ${names.join(', ')} in the request.`,
    )
  }
  for (const stage of progress.idle) {
    lines.push(
      `\`${stage.card.name}\` was not called: what it works on did not come from ${stage.after.map((before) => `\`${before.card.name}\``).join(', ')}.`,
    )
  }
  for (const clause of plan.unmet)
    lines.push(`No tool of this agent fits this part of the request: “${cutAt(clause, 200)}”.`)
  for (const clause of plan.left)
    lines.push(`Left out, because the request says not to: “${cutAt(clause, 200).replace(/[.!?]$/, '')}”.`)
  return [...new Set(lines)]
}

function nothingInFiles(calls: readonly PastCall[]): string {
  const read = calls.flatMap(({ input }) =>
    isRecord(input) ? Object.values(input).map((path) => `\`${String(path)}\``) : [],
  )
  return `Nothing in the files that were read has to do with the request${read.length > 0 ? `: ${read.join(', ')}` : ''}.`
}

const NOTES = ['note', 'notice', 'warning', 'warnings']

/** What a result itself remarks on, beside what it found. */
function noteIn(outcome: Outcome): string {
  const { value } = outcome
  if (!isRecord(value)) return ''
  const notes = NOTES.flatMap((key) => (typeof value[key] === 'string' ? [value[key]] : []))
  return Object.keys(value).length > notes.length ? cutAt(notes.join(' ').replace(/\s+/g, ' '), 300) : ''
}

function lineFor(tool: string, outcome: Outcome): string | undefined {
  const note = noteIn(outcome)
  if (isEmptyOutcome(outcome)) return `\`${tool}\` returned nothing${note === '' ? '.' : `: “${note}”`}`
  if (outcome.status === 'ok' && note !== '') return `\`${tool}\` notes: “${note}”`
  if (outcome.status === 'ok') return undefined
  if (outcome.status === 'running') return `\`${tool}\` works in the background: its result comes when it is there.`
  const word = { partial: 'did not complete', failed: 'failed', denied: 'was denied' }[outcome.status]
  const reason = cutAt(outcome.reason.replace(/\s+/g, ' '), 400)
  return reason === '' ? `\`${tool}\` ${word}.` : `\`${tool}\` ${word}: “${reason}”`
}
