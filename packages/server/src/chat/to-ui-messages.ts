import type { RememberedMessage } from '@retinue/core/memory'

type Part = Record<string, unknown>

/** A message as `useChat` begins with it. */
export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: Part[]
}

/** Remembered messages as those of a user interface: what an agent said in a turn, with its calls and their results, is one message. */
export function toUiMessages(messages: readonly RememberedMessage[]): UiMessage[] {
  const all: UiMessage[] = []
  // A run that waited while something else was said goes on in its own message.
  const byRun = new Map<string, UiMessage>()
  let answer: UiMessage | undefined
  for (const message of messages) {
    // What the framework said to the model is nobody's to see.
    if (message.origin !== undefined || message.role === 'system') continue
    if (message.role === 'user') {
      all.push({ id: message.id, role: 'user', parts: contentOf(message).flatMap(plainPart) })
      answer = undefined
      continue
    }
    if (message.role === 'tool') {
      for (const part of contentOf(message)) addResult(all, part)
      continue
    }
    const { runId } = message
    const own = runId === undefined ? undefined : byRun.get(runId)
    const said: UiMessage = own ?? answer ?? { id: idOf(message, all), role: 'assistant', parts: [] }
    if (!own && !answer) {
      all.push(said)
      answer = said
    }
    if (runId !== undefined) byRun.set(runId, said)
    said.parts.push({ type: 'step-start' }, ...contentOf(message).flatMap(assistantPart))
  }
  return all
}

/** That of its run, as the stream told it; what else the run said has its own. */
function idOf({ id, runId = id }: RememberedMessage, before: readonly UiMessage[]): string {
  return before.some((message) => message.id === runId) ? id : runId
}

function contentOf({ content }: RememberedMessage): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown as Part[])
}

function assistantPart(part: Part): Part[] {
  if (part['type'] !== 'tool-call') return plainPart(part)
  const { toolName, toolCallId, input } = part
  return [{ type: `tool-${String(toolName)}`, toolCallId, state: 'input-available', input }]
}

function plainPart({ type, text, data, mediaType, filename }: Part): Part[] {
  if (type === 'text' || type === 'reasoning') return [{ type, text, state: 'done' }]
  const url = type === 'file' ? fileUrl(data, mediaType) : undefined
  return url === undefined ? [] : [{ type, url, mediaType, ...(filename === undefined ? {} : { filename }) }]
}

function fileUrl(file: unknown, mediaType: unknown): string | undefined {
  const { type, data, url } = file as { type?: unknown; data?: unknown; url?: unknown }
  if (type === 'url') return String(url)
  return type === 'data' && typeof data === 'string' ? `data:${String(mediaType)};base64,${data}` : undefined
}

/** A result is told on the call that it is of. */
function addResult(all: readonly UiMessage[], { type, toolCallId, output }: Part): void {
  const isCall = (part: Part): boolean => part['toolCallId'] === toolCallId
  const call = all.findLast(({ parts }) => parts.some(isCall))?.parts.findLast(isCall)
  if (type !== 'tool-result' || !call) return
  const { type: kind, value } = output as { type: string; value?: unknown }
  if (kind === 'execution-denied') Object.assign(call, { state: 'output-denied' })
  else if (kind === 'error-text' || kind === 'error-json')
    Object.assign(call, { state: 'output-error', errorText: typeof value === 'string' ? value : JSON.stringify(value) })
  else Object.assign(call, { state: 'output-available', output: value ?? null })
}
