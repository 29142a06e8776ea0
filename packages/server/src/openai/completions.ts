import type { FinishReason, Usage } from '@retinue/core/agent'
import { assertNever } from '../assert-never.ts'
import { runAborted } from '../errors/request-errors.ts'
import type { RunEvent } from '../runs/log-entry.ts'
import type { Telling } from '../work/leg-response.ts'
import { Answer, type ClientCall } from './answer.ts'
import type { Asked } from './begin.ts'
import { modelSettings, structured } from './begin.ts'
import { clientMessages } from './messages.ts'
import type { CompletionBody } from './schemas.ts'
import { toolChoiceOf } from './tool-choice.ts'

/** What a chat completion asks for. */
export function askedByCompletion(body: CompletionBody): Asked {
  const { model, messages, tools, stop, response_format: format } = body
  const functions = (tools ?? []).map((tool) => tool.function)
  return {
    model,
    messages: clientMessages(messages),
    functions,
    ...toolChoiceOf(body.tool_choice, functions),
    threadId: undefined,
    options: {
      ...modelSettings({
        temperature: body.temperature,
        topP: body.top_p,
        maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
        seed: body.seed,
        stopSequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
      }),
      ...(format ? structured(format.type, format.type === 'json_schema' ? format.json_schema.schema : undefined) : {}),
    },
  }
}

/** What every object of a completion has. */
interface Head {
  readonly id: string
  readonly created: number
  readonly model: string
}

export function completionHead(runId: string, model: string, at: number): Head {
  return { id: `chatcmpl-${runId}`, created: Math.floor(at / 1000), model }
}

/** A completion, whole. */
export function completion(head: Head, answer: Answer): Record<string, unknown> {
  const { text, calls, reason, usage } = answer
  // The protocol has no reason for it, and "stop" would say that this is all.
  if (reason === 'aborted') throw runAborted()
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls.map(toolCall) } : {}),
  }
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reason) }],
    usage: usageOf(usage),
  }
}

/** A completion as a stream of its chunks. */
export function completionTelling(runId: string, head: Head, includeUsage: boolean, isTyped: boolean): Telling {
  const answer = new Answer(runId, isTyped)
  const frame = (delta: object, finish: string | null = null): string => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
    return data({ ...head, object: 'chat.completion.chunk', choices, ...(includeUsage ? { usage: null } : {}) })
  }
  return {
    head: frame({ role: 'assistant', content: '' }),
    encode: ({ chunk }: RunEvent) => {
      const text = answer.take(chunk)
      return text === '' ? undefined : frame({ content: text })
    },
    tail: () => {
      const { calls, reason, usage, error } = answer
      // What the client takes for an error, wherever it comes in a stream.
      const failed = reason === 'aborted' ? runAborted() : reason === 'error' ? error : undefined
      if (failed) return data({ error: { message: failed.message, type: 'server_error', code: failed.code } })
      const asked =
        calls.length > 0 ? frame({ tool_calls: calls.map((call, index) => ({ index, ...toolCall(call) })) }) : ''
      const total = includeUsage
        ? data({ ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(usage) })
        : ''
      return `${asked}${frame({}, finishReason(reason))}${total}data: [DONE]\n\n`
    },
  }
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function toolCall({ toolCallId, toolName, args }: ClientCall): Record<string, unknown> {
  return { id: toolCallId, type: 'function', function: { name: toolName, arguments: JSON.stringify(args ?? {}) } }
}

function usageOf(usage: Usage | undefined): Record<string, unknown> {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}

/** The reasons that the protocol knows; whatever cut an answer short is `length`. */
function finishReason(reason: FinishReason = 'other'): string {
  switch (reason) {
    case 'stop':
    case 'bailed':
    case 'suspended':
    case 'other':
    case 'error':
    case 'aborted':
      return 'stop'
    case 'length':
    case 'max-steps':
    case 'incomplete':
    case 'over-budget':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return 'tool_calls'
    default:
      return assertNever(reason)
  }
}
