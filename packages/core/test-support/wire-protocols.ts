import { createOpenAI } from '@ai-sdk/openai'
import { onTestFinished, vi } from 'vitest'
import type { ModelChoice } from '../src/model/language-model.ts'

/** A call as a model makes it: its arguments come in pieces. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly pieces: readonly string[]
}

/** A protocol as its server speaks it: the parts of an event stream, and the model that understands them. */
export interface WireProtocol {
  readonly name: string
  /** What its package is called in errors and options. */
  readonly family: string
  /** The path that requests come to. */
  readonly path: string
  /** The header that carries the key. */
  readonly keyHeader: string
  /** Points the environment to a server, and says by which name, or which object, its model is asked. */
  model(url: string, key?: string): ModelChoice
  /** What comes before the first content. */
  readonly opening: readonly string[]
  delta(text: string): string
  /** What ends an answer of texts: 7 tokens in, 3 out. */
  readonly closing: readonly string[]
  /** A whole answer that calls. */
  calls(...calls: readonly WireCall[]): string[]
  /** What such an answer ends with, after its last call. */
  readonly callsClosing: readonly string[]
  /** An error inside the stream that can pass on retry. */
  error(message: string): string
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const event = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`

function env(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
}

const chunk = (choice: object): string =>
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })
const chatUsage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const chatClosing = (reason: string): string[] => [
  chunk({ delta: {}, finish_reason: reason }),
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: chatUsage }),
  'data: [DONE]\n\n',
]

const chatParts = {
  keyHeader: 'authorization',
  opening: [chunk({ delta: { role: 'assistant' }, finish_reason: null })],
  delta: (text: string) => chunk({ delta: { content: text }, finish_reason: null }),
  closing: chatClosing('stop'),
  callsClosing: chatClosing('tool_calls'),
  calls: (...calls: readonly WireCall[]) => [
    ...chatParts.opening,
    ...calls.flatMap(({ id, name, pieces }, index) => [
      chunk({ delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] } }),
      ...pieces.map((piece) => chunk({ delta: { tool_calls: [{ index, function: { arguments: piece } }] } })),
    ]),
    ...chatParts.callsClosing,
  ],
  error: (message: string) => data({ error: { message, type: 'server_error', code: 'server_error', param: null } }),
}

/** OpenAI's chat completions, by a model object: a string of `openai/…` asks the responses API. */
export const openaiChat: WireProtocol = {
  ...chatParts,
  name: 'openai chat',
  family: 'openai',
  path: '/v1/chat/completions',
  model: (url, apiKey = 'k') => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4.1'),
}

/** What ollama and its like speak. */
export const compatible: WireProtocol = {
  ...chatParts,
  name: 'openai-compatible',
  family: 'ollama',
  path: '/v1/chat/completions',
  model(url, key) {
    env({ OLLAMA_BASE_URL: `${url}/v1`, DEEPSEEK_BASE_URL: `${url}/v1`, DEEPSEEK_API_KEY: key ?? 'k' })
    return key === undefined ? 'ollama/qwen3:8b' : 'deepseek/deepseek-chat'
  },
}

const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] }
const completed = event({
  type: 'response.completed',
  response: { id: 'resp_1', usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 } },
} as never)
const created = event({ type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm' } } as never)

export const openaiResponses: WireProtocol = {
  name: 'openai responses',
  family: 'openai',
  path: '/v1/responses',
  keyHeader: 'authorization',
  model(url, key = 'k') {
    env({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key })
    return 'openai/gpt-5.5'
  },
  opening: [created, event({ type: 'response.output_item.added', output_index: 0, item: message } as never)],
  delta: (text) =>
    event({
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: text,
    } as never),
  closing: [event({ type: 'response.output_item.done', output_index: 0, item: message } as never), completed],
  callsClosing: [completed],
  calls: (...calls) => [
    created,
    ...calls.flatMap(({ id, name, pieces }, index) => {
      const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '' }
      const at = { output_index: index }
      return [
        event({ type: 'response.output_item.added', ...at, item } as never),
        ...pieces.map((delta) =>
          event({ type: 'response.function_call_arguments.delta', item_id: item.id, ...at, delta } as never),
        ),
        event({
          type: 'response.output_item.done',
          ...at,
          item: { ...item, arguments: pieces.join(''), status: 'completed' },
        } as never),
      ]
    }),
    completed,
  ],
  error: (text) =>
    event({ type: 'error', sequence_number: 9, code: 'server_error', message: text, param: null } as never),
}

const messageStart = event({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 1 },
  },
} as never)
const messageEnd = (reason: string): string[] => [
  event({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 3 },
  } as never),
  event({ type: 'message_stop' }),
]
const block = (index: number, content_block: object): string =>
  event({ type: 'content_block_start', index, content_block } as never)
const blockDelta = (index: number, delta: object): string =>
  event({ type: 'content_block_delta', index, delta } as never)
const blockStop = (index: number): string => event({ type: 'content_block_stop', index } as never)

export const anthropic: WireProtocol = {
  name: 'anthropic',
  family: 'anthropic',
  path: '/v1/messages',
  keyHeader: 'x-api-key',
  model(url, key = 'k') {
    env({ ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: key })
    return 'anthropic/claude-sonnet-4-5'
  },
  opening: [messageStart, block(0, { type: 'text', text: '' })],
  delta: (text) => blockDelta(0, { type: 'text_delta', text }),
  closing: [blockStop(0), ...messageEnd('end_turn')],
  callsClosing: messageEnd('tool_use'),
  calls: (...calls) => [
    messageStart,
    ...calls.flatMap(({ id, name, pieces }, index) => [
      block(index, { type: 'tool_use', id, name, input: {} }),
      ...pieces.map((piece) => blockDelta(index, { type: 'input_json_delta', partial_json: piece })),
      blockStop(index),
    ]),
    ...messageEnd('tool_use'),
  ],
  error: (text) => event({ type: 'error', error: { type: 'overloaded_error', message: text } } as never),
}

const candidate = (parts: readonly object[], rest: object = {}): string =>
  data({ candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }] })
const geminiEnd = data({
  candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
})

export const gemini: WireProtocol = {
  name: 'google',
  family: 'google',
  path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  keyHeader: 'x-goog-api-key',
  model(url, key = 'k') {
    env({ GOOGLE_BASE_URL: `${url}/v1beta`, GEMINI_API_KEY: key, GOOGLE_GENERATIVE_AI_API_KEY: '' })
    return 'google/gemini-2.5-flash'
  },
  opening: [],
  delta: (text) => candidate([{ text }]),
  closing: [geminiEnd],
  callsClosing: [geminiEnd],
  // Google sends arguments whole, as an object.
  calls: (...calls) => [
    ...calls.map(({ name, pieces }) => candidate([{ functionCall: { name, args: JSON.parse(pieces.join('')) } }])),
    geminiEnd,
  ],
  error: (text) => data({ error: { code: 503, message: text, status: 'UNAVAILABLE' } }),
}

export const PROTOCOLS: readonly WireProtocol[] = [openaiChat, openaiResponses, anthropic, gemini, compatible]

/** A whole answer of texts. */
export function says({ opening, delta, closing }: WireProtocol, ...texts: readonly string[]): string[] {
  return [...opening, ...texts.map(delta), ...closing]
}
