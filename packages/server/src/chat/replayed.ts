import type { RememberedMessage } from '@retinue/core/memory'
import { toldMessage } from '../errors/told-message.ts'
import { RUN_HEADER } from '../work/leg-response.ts'
import { toUiMessages, type UiMessage } from './to-ui-messages.ts'

type Part = UiMessage['parts'][number]
type UiChunk = Record<string, unknown>

/** An answer that a thread has kept, as the UI message stream with which a page reads one. `messages`: with what it answers. */
export function replayed(runId: string, messages: readonly RememberedMessage[]): Response {
  const parts = toUiMessages(messages.map(toldMessage))
    .filter(({ role }) => role === 'assistant')
    .flatMap((message) => message.parts)
  const chunks = [
    { type: 'start', messageId: runId },
    ...parts.flatMap((part, index) => partChunks(part, `${runId}-${index}`)),
    ...(parts.some(({ type }) => type === 'step-start') ? [{ type: 'finish-step' }] : []),
    { type: 'finish', finishReason: 'stop' },
  ]
  const frames = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
  return new Response(`${frames}data: [DONE]\n\n`, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-vercel-ai-ui-message-stream': 'v1',
      [RUN_HEADER]: runId,
    },
  })
}

function partChunks(part: Part, id: string): UiChunk[] {
  const { type, text, toolCallId, input } = part
  switch (type) {
    case 'step-start':
      return [{ type: 'start-step' }]
    case 'text':
    case 'reasoning':
      return [
        { type: `${type}-start`, id },
        { type: `${type}-delta`, id, delta: text },
        { type: `${type}-end`, id },
      ]
    case 'file':
      return [{ type, url: part['url'], mediaType: part['mediaType'] }]
    default:
      return [
        { type: 'tool-input-available', toolCallId, toolName: String(type).slice('tool-'.length), input },
        ...outcomeOf(part),
      ]
  }
}

function outcomeOf({ state, toolCallId, output, errorText }: Part): UiChunk[] {
  switch (state) {
    case 'output-available':
      return [{ type: 'tool-output-available', toolCallId, output }]
    case 'output-error':
      return [{ type: 'tool-output-error', toolCallId, errorText }]
    case 'output-denied':
      return [{ type: 'tool-output-denied', toolCallId }]
    default:
      return []
  }
}
