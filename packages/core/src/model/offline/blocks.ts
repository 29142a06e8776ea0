import { argumentsOf, shortened } from './block-text.ts'
import type { Conversation, PastCall } from './conversation.ts'
import { dataLines } from './data-lines.ts'
import { foundInFiles, WHOLE, wholeFile } from './file-blocks.ts'
import { stripNotice } from './framing.ts'
import { isEmptyOutcome } from './outcome.ts'
import { type Passage, passagesOf } from './passages.ts'
import { plainText } from './plain-text.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { bearingOn } from './relevance.ts'
import type { Stage } from './stage.ts'

/** What one tool contributes to the reply: a whole text, a line of values, or passages to choose from. */
export interface Block {
  from: string
  /** Which of several calls, in the words of its arguments. */
  of: string
  delegation: boolean
  text?: string
  line?: string
  /** The values of a result, not its wording. */
  data?: boolean
  passages: Passage[]
}

const SHORT_TEXT = 1500

/** Results that no later stage took up; what a writer was given is not said again beside the draft. */
export function answerBlocks(plan: Plan, progress: Progress, conversation: Conversation): Block[] {
  const planned = new Set<PastCall>()
  const blocks: Block[] = []
  for (const stage of plan.stages) {
    const calls = progress.results.get(stage) ?? []
    for (const call of calls) planned.add(call)
    if (stage.card.files === 'list' && plan.stages.some((other) => other.after.includes(stage))) continue
    if (stage.why === 'files' || isTakenUp(stage, plan, progress)) continue
    if (stage.searches) {
      blocks.push(...foundInFiles(stage, calls, plan.task))
      continue
    }
    if (stage.card.files === 'read' && WHOLE.test(stage.clauses.join('. '))) {
      blocks.push(
        ...calls.flatMap((call) => {
          const whole = wholeFile(stage, call, calls.length > 1)
          return whole.length > 0 ? whole : blocksOf(stage.card.name, false, [call])
        }),
      )
      continue
    }
    const own = blocksOf(stage.card.name, stage.card.delegation, calls)
    blocks.push(...(isSearch(stage) ? own.flatMap((block) => relevant(block, plan.task)) : own))
  }
  // Calls outside the plan: forced by the caller, or made before tools or instructions changed.
  for (const call of conversation.calls) if (!planned.has(call)) blocks.push(...blocksOf(call.tool, false, [call]))
  for (const call of conversation.news) blocks.push(...blocksOf(call.tool, false, [call]))
  return blocks
}

function isSearch(stage: Stage): boolean {
  return stage.card.finder && !stage.card.delegation
}

/** A search that always returns something has not always found something. */
function relevant(block: Block, request: string): Block[] {
  if (block.text !== undefined || block.line !== undefined) return [block]
  const passages = bearingOn(request, block.passages)
  return passages.length === 0 ? [] : [{ ...block, passages }]
}

/** A search whose hits have nothing to do with the request. */
export function foundNothing(stage: Stage, calls: readonly PastCall[], request: string): boolean {
  const blocks = isSearch(stage) ? blocksOf(stage.card.name, false, calls) : []
  return blocks.length > 0 && blocks.every((block) => relevant(block, request).length === 0)
}

function isTakenUp(stage: Stage, plan: Plan, progress: Progress): boolean {
  return plan.stages.some(
    (later) =>
      later.after.includes(stage) &&
      later.card.transformer &&
      (progress.results.get(later) ?? []).some((call) => call.outcome !== undefined && plainText(call.outcome) !== ''),
  )
}

function blocksOf(from: string, delegation: boolean, calls: readonly PastCall[]): Block[] {
  const blocks: Block[] = []
  for (const call of calls) {
    if (
      !call.outcome ||
      (call.outcome.status !== 'ok' && plainText(call.outcome) === '') ||
      isEmptyOutcome(call.outcome)
    )
      continue
    const of = calls.length > 1 ? argumentsOf(call.input, delegation) : ''
    blocks.push({ from, of, delegation, ...contentOf(call.outcome.value, delegation) })
  }
  return merged(blocks)
}

/** Passages of several searches are chosen from together. */
function merged(blocks: readonly Block[]): Block[] {
  const open = (block: Block): boolean => block.text === undefined && block.line === undefined
  const [first, ...rest] = blocks.filter(open)
  if (!first || rest.length === 0) return [...blocks]
  return [
    { ...first, of: '', passages: [first, ...rest].flatMap((block) => block.passages) },
    ...blocks.filter((block) => !open(block)),
  ]
}

function contentOf(value: unknown, delegation: boolean): Pick<Block, 'text' | 'line' | 'data' | 'passages'> {
  if (typeof value !== 'string') {
    const passages = passagesOf(value)
    if (passages.length > 0) return { passages }
    const lines = dataLines(value)
    return lines.length === 1
      ? { line: lines[0] ?? '', data: true, passages }
      : { text: lines.map((line) => `- ${line}`).join('\n'), data: true, passages }
  }
  const text = stripNotice(value)
  const passages = passagesOf(text)
  if (delegation || text.length <= SHORT_TEXT) {
    if (!delegation && !text.includes('\n') && text.length <= 300) return { line: `“${text}”`, passages }
    return { text: shortened(text), passages }
  }
  return { passages }
}
