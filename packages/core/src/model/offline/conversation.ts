import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { newsOf, RUNNING, taskOf } from './background.ts'
import { type Material, splitGather, splitMaterial, stripNotice } from './framing.ts'
import { isRecord, parseIfJson } from './json.ts'
import { type Outcome, readOutcome } from './outcome.ts'
import { textIn } from './text-in.ts'

export interface PastCall {
  id: string
  tool: string
  input: unknown
  outcome: Outcome | undefined
}

/** The prompt as the planner reads it: what is asked now, and what was already done about it. */
export interface Conversation {
  instructions: string
  /** The last user message without its material. */
  request: string
  /** The request came framed as "gather what is needed for …". */
  gather: boolean
  /** Another agent put the request: it stands right behind the one that this agent was called for. */
  delegated: boolean
  /** Text handed over with the request, fenced by a parent or attached as a file. */
  materials: Material[]
  /** The answer of the turn before. */
  earlier: string
  /** The calls since the request, in order. */
  calls: PastCall[]
  /** Calls of earlier turns that worked in the background, and ended after the last answer. */
  news: PastCall[]
  /** All calls in the prompt, so that a new id is new. */
  callCount: number
}

/** Messages that the framework adds begin with a mark of its own; they belong to the turn, they do not open one. */
const ADDED = '[retinue]'

export function readConversation(prompt: LanguageModelV4CallOptions['prompt']): Conversation {
  let asked = -1
  let fallback = -1
  prompt.forEach((message, at) => {
    if (message.role !== 'user') return
    fallback = at
    if (!textIn(message).startsWith(ADDED)) asked = at
  })
  if (asked < 0) asked = fallback
  const message = prompt[asked]
  const { request: framed, materials } = splitMaterial(message ? textIn(message) : '')
  const { gather, request } = splitGather(framed)
  const calls = callsIn(prompt)
  const answered = prompt.findLastIndex(({ role }, at) => role === 'assistant' && at < asked)
  return {
    instructions: prompt.flatMap((each) => (each.role === 'system' ? [each.content] : [])).join('\n\n'),
    request: spoken(withoutLongGaps(request.trim())),
    gather,
    delegated: asked > 0 && prompt[asked - 1]?.role === 'user',
    materials: [...materials, ...(message ? attachedTo(message) : [])],
    earlier: lastAnswer(prompt.slice(0, Math.max(0, asked))),
    calls: calls.filter(({ at }) => at > asked),
    news: calls.filter(({ at, toldAt }) => at < asked && toldAt !== undefined && toldAt > answered),
    callCount: calls.length,
  }
}

/** Patterns that look ahead over blanks take the square of their number. */
function withoutLongGaps(text: string): string {
  return text.replace(/[^\S\n]{40,}/g, ' '.repeat(40)).replace(/(?:[^\S\n]*\n){5,}/g, '\n\n')
}

/** A subagent with an input schema of its own is asked in JSON: its values are the request. */
function spoken(request: string): string {
  const value = parseIfJson(request)
  if (!isRecord(value)) return request
  const parts = Object.entries(value).flatMap(([key, each]) => {
    if (typeof each === 'string') return /\s/.test(each.trim()) ? [each] : [`${key}: ${each}`]
    if (typeof each === 'number' || typeof each === 'boolean') return [`${key}: ${each}`]
    return Array.isArray(each) && each.every((item) => typeof item === 'string') ? [`${key}: ${each.join(', ')}`] : []
  })
  return parts.length > 0 ? parts.join('\n') : request
}

function attachedTo(message: LanguageModelV4Message): Material[] {
  if (message.role !== 'user') return []
  return message.content.flatMap((part) => {
    if (part.type !== 'file' || part.data.type !== 'text') return []
    return [{ from: part.filename ?? 'attached file', text: part.data.text }]
  })
}

/** `toldAt`: the message that told how it ended, where that was in the background. */
type PlacedCall = PastCall & { at: number; toldAt?: number }

function callsIn(prompt: LanguageModelV4CallOptions['prompt']): PlacedCall[] {
  const calls: PlacedCall[] = []
  const open = new Map<string, PlacedCall>()
  const tasks = new Map<string, PlacedCall>()
  prompt.forEach((message, at) => {
    if (message.role !== 'assistant' && message.role !== 'tool') return
    for (const part of message.content) {
      if (part.type === 'tool-call') {
        const call: PlacedCall = { id: part.toolCallId, tool: part.toolName, input: part.input, outcome: undefined, at }
        calls.push(call)
        open.set(part.toolCallId, call)
      } else if (part.type === 'tool-result') {
        const call = open.get(part.toolCallId)
        if (!call) continue
        const task = taskOf(part.output)
        call.outcome = task === undefined ? readOutcome(part.output) : RUNNING
        if (task !== undefined) tasks.set(task, call)
      }
    }
  })
  if (tasks.size > 0)
    for (const [taskId, { at, outcome }] of newsOf(prompt, tasks))
      Object.assign(tasks.get(taskId) ?? {}, { outcome, toldAt: at })
  return calls
}

function lastAnswer(before: LanguageModelV4CallOptions['prompt']): string {
  for (const message of before.toReversed()) {
    if (message.role !== 'assistant') continue
    const text = stripNotice(textIn(message))
    if (text !== '') return text
  }
  return ''
}
