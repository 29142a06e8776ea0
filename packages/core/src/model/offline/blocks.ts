import type { Conversation, PastCall } from './conversation.ts'
import { dataLines } from './data-lines.ts'
import { stripNotice } from './framing.ts'
import { isRecord } from './json.ts'
import { isEmptyOutcome } from './outcome.ts'
import { type Passage, passagesOf } from './passages.ts'
import { plainText } from './plain-text.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { bearingOn, sharesWith } from './relevance.ts'
import { sentencesOf } from './sentences.ts'
import type { Stage } from './stage.ts'
import { cutAt } from './tokens.ts'

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
const LONG_TEXT = 6000

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
      blocks.push(...calls.flatMap((call) => wholeFile(stage, call, calls.length > 1)))
      continue
    }
    const own = blocksOf(stage.card.name, stage.card.delegation, calls)
    blocks.push(...(isSearch(stage) ? own.flatMap((block) => relevant(block, plan.task)) : own))
  }
  // Calls outside the plan: forced by the caller, or made before tools or instructions changed.
  for (const call of conversation.calls) if (!planned.has(call)) blocks.push(...blocksOf(call.tool, false, [call]))
  return blocks
}

const WHOLE = /^(?:please\s+)?(?:read|open|show|print|display|cat|output|quote)\b/i

/** Who asks for a file to be read is shown all of it, or told that it was cut. */
function wholeFile(stage: Stage, call: PastCall, several: boolean): Block[] {
  const text = call.outcome?.status === 'ok' ? fileText(call.outcome.value) : ''
  const base = {
    from: stage.card.name,
    of: several ? argumentsOf(call.input, false) : '',
    delegation: false,
    passages: [],
  }
  if (text === '') return blocksOf(stage.card.name, false, [call])
  if (!text.includes('\n') && text.length <= 300) return [{ ...base, line: `“${text}”` }]
  return [{ ...base, text: shortened(text) }]
}

function fileText(value: unknown): string {
  if (typeof value === 'string') return stripNotice(value)
  if (!isRecord(value)) return ''
  const text = ['content', 'contents', 'text', 'body', 'data']
    .map((key) => value[key])
    .find((each) => typeof each === 'string')
  return typeof text === 'string' ? stripNotice(text) : ''
}

/** The sentences of the files that share a word with the request; else those of a file whose name does. */
export function foundInFiles(stage: Stage, calls: readonly PastCall[], request: string): Block[] {
  const shares = sharesWith(request)
  const sentences = calls.flatMap((call) => {
    const reference = argumentsOf(call.input, false)
    const text = call.outcome?.status === 'ok' ? fileText(call.outcome.value) : ''
    return sentencesOf(text)
      .filter((sentence) => !/^#{1,6}\s/.test(sentence))
      .map((sentence) => ({ text: sentence.replace(/^[-*•]\s+/, ''), reference, about: '', quoted: true }))
  })
  const fitting = sentences.filter(({ text }) => shares(text))
  const passages = fitting.length > 0 ? fitting : sentences.filter(({ reference }) => shares(reference))
  return passages.length === 0 ? [] : [{ from: stage.card.name, of: '', delegation: false, passages }]
}

export function isSearch(stage: Stage): boolean {
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

function shortened(text: string): string {
  if (text.length <= LONG_TEXT) return text
  const cut = text.lastIndexOf('\n', LONG_TEXT)
  return `${cut > LONG_TEXT / 2 ? text.slice(0, cut) : cutAt(text, LONG_TEXT)}\n\n(cut here: the text is longer)`
}

function argumentsOf(input: unknown, delegation: boolean): string {
  if (!isRecord(input) || delegation) return ''
  const shown = Object.values(input).filter((value) => typeof value === 'string' || typeof value === 'number')
  return cutAt(shown.join(', ').replace(/\s+/g, ' '), 80)
}
