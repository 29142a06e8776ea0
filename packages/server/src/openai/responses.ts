import type { Usage } from '@retinue/core/agent'
import { assertNever } from '../assert-never.ts'
import { requestInvalid, runAborted } from '../errors/request-errors.ts'
import type { RunEvent } from '../runs/log-entry.ts'
import type { Telling } from '../work/leg-response.ts'
import { Answer, type ClientCall } from './answer.ts'
import type { Asked } from './begin.ts'
import { modelSettings, structured } from './begin.ts'
import { clientItems } from './messages.ts'
import type { ResponseBody } from './schemas.ts'
import { toolChoiceOf } from './tool-choice.ts'

/** What a response asks for. `threadId`: its conversation, where there is one. */
export function askedByResponse(body: ResponseBody, threadId: string | undefined): Asked {
  const { model, input, instructions, tools, text } = body
  const told = instructions ? [{ role: 'user', content: instructions }] : []
  const format = text?.format
  const functions = tools ?? []
  return {
    model,
    messages: [...told, ...clientItems(input)],
    functions,
    ...toolChoiceOf(body.tool_choice, functions),
    threadId,
    isNewThread: !body.conversation && !body.previous_response_id,
    options: {
      ...modelSettings({
        temperature: body.temperature,
        topP: body.top_p,
        maxOutputTokens: body.max_output_tokens,
      }),
      ...(format ? structured(format.type, format.type === 'json_schema' ? format.schema : undefined) : {}),
    },
  }
}

/**
 * The id of a response says which conversation goes on after it, so that nothing has to be kept for that. It opens no door: a thread is
 * its owner's, whoever names it.
 */
function responseId(runId: string, threadId: string | undefined): string {
  return threadId === undefined ? `resp_${runId}` : `resp_${runId}_${encodeURIComponent(threadId)}`
}

/** The conversation that a request names; a new one where it names none and the agent remembers. */
export function threadOf(body: ResponseBody, hasMemory: boolean): string | undefined {
  const { conversation, previous_response_id: previous, store } = body
  if (conversation && previous)
    throw requestInvalid('The body has a conversation and a previous_response_id.', 'Send one of them.')
  if (conversation) return typeof conversation === 'string' ? conversation : conversation.id
  if (!previous) return hasMemory && store !== false ? `conv_${crypto.randomUUID()}` : undefined
  const encoded = /^resp_[^_]+_(.+)$/s.exec(previous)?.[1]
  const threadId = encoded === undefined ? undefined : decoded(encoded)
  if (threadId !== undefined) return threadId
  throw requestInvalid(
    'The previous_response_id is none that can be gone on from.',
    'Its agent has no memory: send the whole conversation as input.',
  )
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** What every form of a response has. */
export interface ResponseHead {
  readonly id: string
  readonly created_at: number
  readonly model: string
  readonly conversation: { readonly id: string } | null
}

export function responseHead(runId: string, threadId: string | undefined, model: string, at: number): ResponseHead {
  return {
    id: responseId(runId, threadId),
    created_at: Math.floor(at / 1000),
    model,
    conversation: threadId === undefined ? null : { id: threadId },
  }
}

type Json = Record<string, unknown>

/** A response as far as it got. */
function responseOf(head: ResponseHead, status: string, output: readonly Json[], answer?: Answer): Json {
  const failed = answer?.reason === 'aborted' ? runAborted() : answer?.error
  const error = status === 'failed' ? { code: 'server_error', message: failed?.message ?? NO_END } : null
  const reason = isFiltered(answer) ? 'content_filter' : 'max_output_tokens'
  return {
    ...head,
    object: 'response',
    status,
    error,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    instructions: null,
    metadata: {},
    output,
    parallel_tool_calls: true,
    temperature: null,
    top_p: null,
    tool_choice: 'auto',
    tools: [],
    usage: answer ? usageOf(answer.usage) : null,
  }
}

/** A response, whole. Throws `run-aborted`: who waits for an answer got none. */
export function response(head: ResponseHead, answer: Answer): Json {
  if (answer.reason === 'aborted') throw runAborted()
  return ended(head, answer)
}

function ended(head: ResponseHead, answer: Answer): Json {
  return responseOf(head, statusOf(answer), outputOf(head, answer), answer)
}

const NO_END = 'The run came to no end.'

/** A processor of the agent's stopped what was asked or said, or the provider did. */
function isFiltered(answer: Answer | undefined): boolean {
  return answer?.reason === 'content-filter' || (answer?.reason === 'other' && answer.error !== undefined)
}

/** How a response ended: what has an event of its own in the protocol, which knows no other at the end of a stream. */
function statusOf(answer: Answer): 'completed' | 'incomplete' | 'failed' {
  const { reason } = answer
  switch (reason) {
    case 'stop':
    case 'bailed':
    case 'suspended':
    case 'tool-calls':
      return 'completed'
    case 'other':
      return isFiltered(answer) ? 'incomplete' : 'completed'
    case 'length':
    case 'content-filter':
    case 'max-steps':
    case 'incomplete':
    case 'over-budget':
      return 'incomplete'
    case 'error':
    case 'aborted':
    case undefined:
      return 'failed'
    default:
      return assertNever(reason)
  }
}

function outputOf(head: ResponseHead, answer: Answer): Json[] {
  return [...(isSilent(answer) ? [] : [said(head, answer)]), ...answer.calls.map(functionCall)]
}

/** Whether there is no message: a completed response has one, or calls. */
function isSilent(answer: Answer): boolean {
  return answer.text === '' && (answer.calls.length > 0 || statusOf(answer) === 'failed')
}

/** The message of a response that has ended. */
function said(head: ResponseHead, answer: Answer): Json {
  return message(head, statusOf(answer) === 'completed' ? 'completed' : 'incomplete', answer.text)
}

function message({ id }: ResponseHead, status: string, text: string | undefined): Json {
  const content = text === undefined ? [] : [textPart(text)]
  return { type: 'message', id: `msg_${id}`, status, role: 'assistant', content }
}

function textPart(text: string): Json {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function functionCall({ toolCallId, toolName, args }: ClientCall): Json {
  return {
    type: 'function_call',
    id: `fc_${toolCallId}`,
    call_id: toolCallId,
    name: toolName,
    arguments: JSON.stringify(args ?? {}),
    status: 'completed',
  }
}

/** A response as a stream of its events. */
export function responseTelling(runId: string, head: ResponseHead, isTyped: boolean): Telling {
  const answer = new Answer(runId, isTyped)
  const place = { item_id: `msg_${head.id}`, output_index: 0, content_index: 0 }
  let sequence = 0
  let hasText = false
  const frame = (type: string, fields: Json): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`
  const begun = (): string => {
    if (hasText) return ''
    hasText = true
    return (
      frame('response.output_item.added', { output_index: 0, item: message(head, 'in_progress', undefined) }) +
      frame('response.content_part.added', { ...place, part: textPart('') })
    )
  }
  const added = (text: string): string =>
    begun() + frame('response.output_text.delta', { ...place, delta: text, logprobs: [] })
  const done = (): string => {
    const { text } = answer
    return (
      frame('response.output_text.done', { ...place, text, logprobs: [] }) +
      frame('response.content_part.done', { ...place, part: textPart(text) }) +
      frame('response.output_item.done', { output_index: 0, item: said(head, answer) })
    )
  }
  const called = (call: ClientCall, index: number): string => {
    const item = functionCall(call)
    const at = { item_id: item['id'], output_index: index }
    return (
      frame('response.output_item.added', {
        output_index: index,
        item: { ...item, arguments: '', status: 'in_progress' },
      }) +
      frame('response.function_call_arguments.delta', { ...at, delta: item['arguments'] }) +
      frame('response.function_call_arguments.done', { ...at, name: item['name'], arguments: item['arguments'] }) +
      frame('response.output_item.done', { output_index: index, item })
    )
  }
  const opening = responseOf(head, 'in_progress', [])
  return {
    head: frame('response.created', { response: opening }) + frame('response.in_progress', { response: opening }),
    encode: ({ chunk }: RunEvent) => {
      const text = answer.take(chunk)
      return text === '' ? undefined : added(text)
    },
    tail: () => {
      const hasMessage = !isSilent(answer)
      const opened = hasMessage ? begun() + done() : ''
      const asked = answer.calls.map((call, index) => called(call, index + (hasMessage ? 1 : 0))).join('')
      const whole = ended(head, answer)
      return opened + asked + frame(`response.${String(whole['status'])}`, { response: whole })
    },
  }
}

function usageOf(usage: Usage | undefined): Json {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  }
}
