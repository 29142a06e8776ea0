import type { LanguageModelV4CallOptions, LanguageModelV4Content, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { answerBlocks } from './blocks.ts'
import { composeAnswer, materialPassages } from './compose.ts'
import { type Conversation, readConversation } from './conversation.ts'
import { withNotice } from './framing.ts'
import { evidenceIn } from './instructions.ts'
import { canonical } from './json.ts'
import { titleOf } from './keywords.ts'
import { sideBySide } from './names.ts'
import { type Plan, planFor } from './plan.ts'
import { type PlannedCall, type Progress, progressOf } from './progress.ts'
import { selectQuotes } from './select-quotes.ts'
import { callsOf } from './stage-calls.ts'
import { structuredAnswer } from './structured.ts'
import { cardsOf, type ToolCard } from './tool-card.ts'

/** The next step of the turn: the calls to make now, or the answer. */
export function replyTo(options: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  const conversation = readConversation(options.prompt)
  const names = (options.tools ?? []).map((tool) => tool.name)
  const cards = cardsOf(options.tools, evidenceIn(conversation.instructions, names))
  const plan = planFor(conversation, cards)
  const progress = progressOf(plan, conversation)
  const calls = chosenCalls(options, plan, progress, conversation, cards)
  if (calls.length > 0) return withIds(calls, conversation)
  if (options.responseFormat?.type === 'json') {
    const value = structuredAnswer(options.responseFormat.schema, matterOf(plan, progress, conversation))
    return [{ type: 'text', text: JSON.stringify(value) }]
  }
  return [{ type: 'text', text: withNotice(composeAnswer(plan, progress, conversation, cards)) }]
}

function chosenCalls(
  options: LanguageModelV4CallOptions,
  plan: Plan,
  progress: Progress,
  conversation: Conversation,
  cards: readonly ToolCard[],
): PlannedCall[] {
  const choice = options.toolChoice ?? { type: 'auto' as const }
  if (choice.type === 'none') return []
  if (choice.type === 'auto') return progress.pending
  const wanted =
    choice.type === 'tool' ? progress.pending.filter((call) => call.tool === choice.toolName) : progress.pending
  if (wanted.length > 0) return wanted
  const card =
    choice.type === 'tool' ? cards.find((each) => each.name === choice.toolName) : forcedCard(plan, conversation, cards)
  return card ? forcedCalls(card, plan, progress, conversation) : []
}

/** Where a call is demanded and none fits, the tool that nothing speaks against is the first that was not used yet. */
function forcedCard(plan: Plan, conversation: Conversation, cards: readonly ToolCard[]): ToolCard | undefined {
  const planned = plan.stages[0]?.card
  return conversation.calls.length > 0 ? undefined : (planned ?? cards[0])
}

function forcedCalls(card: ToolCard, plan: Plan, progress: Progress, conversation: Conversation): PlannedCall[] {
  const stage = {
    card,
    clauses: [plan.task],
    after: [...progress.results.keys()].filter((each) => each.card !== card),
    why: 'asked' as const,
  }
  const { inputs, missing } = callsOf(stage, plan, conversation, progress.results)
  const made = new Set(conversation.calls.map((call) => `${call.tool} ${canonical(call.input)}`))
  const calls = inputs
    .map((input) => ({ tool: card.name, input }))
    .filter((call) => !made.has(`${call.tool} ${canonical(call.input)}`))
  if (inputs.length === 0) progress.missing.push({ stage, names: missing })
  return calls.slice(0, 1)
}

function withIds(calls: readonly PlannedCall[], conversation: Conversation): LanguageModelV4ToolCall[] {
  const mark = hash(`${conversation.instructions}\n${conversation.request}`)
  return calls.map((call, at) => ({
    type: 'tool-call',
    toolCallId: `call_${mark}_${conversation.callCount + at + 1}`,
    toolName: call.tool,
    input: JSON.stringify(call.input),
  }))
}

/** Tells the calls of one agent from those of another in the same run (FNV-1a). */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  return value.toString(36)
}

function matterOf(plan: Plan, progress: Progress, conversation: Conversation): Parameters<typeof structuredAnswer>[1] {
  const passages = [
    ...materialPassages(plan, conversation),
    ...answerBlocks(plan, progress, conversation).flatMap((block) => block.passages),
  ]
  const groups = selectQuotes(passages, plan.task, sideBySide(plan.task))
  const outcomes = conversation.calls.flatMap((call) =>
    call.outcome && call.outcome.status !== 'denied' ? [call.outcome.value] : [],
  )
  return {
    request: plan.task,
    title: titleOf(plan.task),
    quotes: groups.flatMap((group) => group.quotes),
    values: outcomes,
    passages,
  }
}
