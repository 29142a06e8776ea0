import { toJson } from '../shared/json.ts'
import type { Chunk, DataChunk, Source } from './chunk.ts'
import type { EventLog } from './event-log.ts'
import type { FinishReason } from './finish-reason.ts'
import { ReplayStream } from './replay-stream.ts'

/** Options of the web response. */
export interface UiResponseOptions {
  /** Default: 200. */
  status?: number
  headers?: Readonly<Record<string, string>>
}

/** A chunk of the AI SDK's UI message stream (protocol v1). */
export type UiChunk = { type: string } & Record<string, unknown>

/** A root run's events as the server-sent events that the AI SDK's `useChat` reads. A reader that leaves ends nothing. */
export function uiMessageResponse(log: EventLog, rootRunId: string, options: UiResponseOptions = {}): Response {
  const encoder = new TextEncoder()
  const frame = (chunk: Chunk): Uint8Array | undefined => {
    const ui = toUiChunks(chunk, rootRunId)
    if (ui.length === 0) return undefined
    const done = chunk.type === 'finish' && chunk.runId === rootRunId ? 'data: [DONE]\n\n' : ''
    return encoder.encode(ui.map((item) => `data: ${jsonText(item)}\n\n`).join('') + done)
  }
  return new Response(new ReplayStream(() => log.read(frame)).toReadableStream(), {
    status: options.status ?? 200,
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
      ...options.headers,
    },
  })
}

/** A UI chunk as JSON. What JSON can't carry (a result with a bigint, say) says so in its place, and the stream goes on. */
function jsonText(item: UiChunk): string {
  try {
    return JSON.stringify(item)
  } catch {
    const entries = Object.entries(item).map(([key, value]): [string, unknown] => {
      const json = toJson(value)
      return [key, json.ok ? json.value : `This can't be told in JSON: ${json.reason}`]
    })
    return JSON.stringify(Object.fromEntries(entries))
  }
}

/** The UI chunks of an event of a run: the root's own, delegations as data parts, and whatever tools wrote for the user interface. */
export function toUiChunks(chunk: Chunk, rootRunId: string): UiChunk[] {
  if (isDataChunk(chunk)) return [{ type: chunk.type, ...chunk.payload }]
  if (chunk.type === 'delegation-start' || chunk.type === 'delegation-end') {
    const { runId } = chunk.payload
    return [{ type: 'data-delegation', id: runId, data: { path: chunk.path, ...chunk.payload } }]
  }
  if (isTaskChunk(chunk)) return [taskChunk(chunk)]
  if (chunk.type === 'tool-call-approval' || chunk.type === 'tool-call-suspended') return [askedChunk(chunk)]
  return chunk.runId === rootRunId ? rootChunks(chunk as Exclude<Chunk, { type: `data-${string}` }>) : []
}

type TaskChunk = Extract<Chunk, { type: `background-task-${string}` }>

function isTaskChunk(chunk: Chunk): chunk is TaskChunk {
  return chunk.type.startsWith(TASK)
}

const TASK = 'background-task-'

/** How a background task stands: one part, which each later chunk of the task replaces. */
function taskChunk({ type, path, payload }: TaskChunk): UiChunk {
  return {
    type: 'data-background-task',
    id: payload.taskId,
    data: { path, status: type.slice(TASK.length), ...payload },
  }
}

/** The protocol knows approvals of calls that the message itself has; what else waits for a person is a data part. */
function askedChunk({
  type,
  path,
  payload,
}: Extract<Chunk, { type: 'tool-call-approval' | 'tool-call-suspended' }>): UiChunk {
  const { toolCallId } = payload
  if (type === 'tool-call-approval' && path.length === 1)
    return { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }
  return { type: `data-${type}`, id: toolCallId, data: { path, ...payload } }
}

function isDataChunk(chunk: Chunk): chunk is DataChunk {
  return chunk.type.startsWith('data-')
}

function rootChunks(chunk: Exclude<Chunk, { type: `data-${string}` }>): UiChunk[] {
  switch (chunk.type) {
    case 'start':
      return [{ type: 'start', messageId: chunk.payload.messageId }]
    case 'step-start':
      return [{ type: 'start-step' }]
    case 'step-finish':
      return [{ type: 'finish-step' }]
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return [{ type: chunk.type, id: chunk.payload.id }]
    case 'text-delta':
    case 'reasoning-delta':
      return [{ type: chunk.type, id: chunk.payload.id, delta: chunk.payload.text }]
    case 'source':
      return [sourceChunk(chunk.payload)]
    case 'file': {
      const { mediaType } = chunk.payload
      return [
        {
          type: 'file',
          mediaType,
          url: 'url' in chunk.payload ? chunk.payload.url : `data:${mediaType};base64,${chunk.payload.data}`,
        },
      ]
    }
    case 'error':
      return [{ type: 'error', errorText: chunk.payload.error.message }]
    case 'abort':
      return [{ type: 'abort', ...chunk.payload }]
    case 'finish':
      return [{ type: 'finish', finishReason: uiFinishReason(chunk.payload.stepResult.reason) }]
    default:
      return toolChunks(chunk)
  }
}

function toolChunks(chunk: Exclude<Chunk, { type: `data-${string}` }>): UiChunk[] {
  switch (chunk.type) {
    case 'tool-call-input-streaming-start':
      return [{ type: 'tool-input-start', toolCallId: chunk.payload.toolCallId, toolName: chunk.payload.toolName }]
    case 'tool-call-delta':
      return [
        { type: 'tool-input-delta', toolCallId: chunk.payload.toolCallId, inputTextDelta: chunk.payload.argsTextDelta },
      ]
    case 'tool-call': {
      const { toolCallId, toolName, args, providerExecuted } = chunk.payload
      return [
        {
          type: 'tool-input-available',
          toolCallId,
          toolName,
          input: args,
          ...(providerExecuted ? { providerExecuted } : {}),
        },
      ]
    }
    case 'tool-result': {
      const { toolCallId, result, providerExecuted } = chunk.payload
      return [
        {
          type: 'tool-output-available',
          toolCallId,
          output: result ?? null,
          ...(providerExecuted ? { providerExecuted } : {}),
        },
      ]
    }
    case 'tool-output-denied':
      return [{ type: 'tool-output-denied', toolCallId: chunk.payload.toolCallId }]
    case 'tool-error':
      return [
        { type: 'tool-output-error', toolCallId: chunk.payload.toolCallId, errorText: chunk.payload.error.message },
      ]
    default:
      return []
  }
}

function sourceChunk(source: Source): UiChunk {
  const { id: sourceId, sourceType, ...rest } = source
  return { type: sourceType === 'url' ? 'source-url' : 'source-document', sourceId, ...rest }
}

/** The finish reasons that the protocol knows; ours beyond them are `other`. */
function uiFinishReason(reason: FinishReason): string {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'error':
      return reason
    case 'max-steps':
    case 'bailed':
    case 'incomplete':
    case 'over-budget':
    case 'suspended':
    case 'aborted':
    case 'other':
      return 'other'
  }
}
