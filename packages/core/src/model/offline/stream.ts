import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'

const PIECE = 40

/** A reply as a stream: one part a pull, so that an abort between two parts is seen. */
export function streamOf(
  result: LanguageModelV4GenerateResult,
  abortSignal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = partsOf(result)
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull(controller) {
      if (abortSignal?.aborted) {
        controller.error(abortSignal.reason)
        return
      }
      const next = parts.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}

function* partsOf(result: LanguageModelV4GenerateResult): Generator<LanguageModelV4StreamPart, void> {
  yield { type: 'stream-start', warnings: result.warnings }
  yield { type: 'response-metadata', modelId: result.response?.modelId ?? 'offline' }
  let id = 0
  for (const part of result.content) {
    if (part.type === 'text') {
      const name = `text-${++id}`
      yield { type: 'text-start', id: name }
      for (const delta of piecesOf(part.text)) yield { type: 'text-delta', id: name, delta }
      yield { type: 'text-end', id: name }
    } else if (part.type === 'tool-call') {
      yield { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName }
      for (const delta of piecesOf(part.input)) yield { type: 'tool-input-delta', id: part.toolCallId, delta }
      yield { type: 'tool-input-end', id: part.toolCallId }
      yield part
    }
  }
  yield { type: 'finish', usage: result.usage, finishReason: result.finishReason }
}

/** Pieces of a line or some forty units, none of which ends inside a surrogate pair. */
function* piecesOf(text: string): Generator<string, void> {
  let at = 0
  while (at < text.length) {
    const line = text.indexOf('\n', at)
    let end = line >= 0 && line < at + PIECE ? line + 1 : Math.min(at + PIECE, text.length)
    const code = text.charCodeAt(end - 1)
    if (code >= 0xd800 && code <= 0xdbff && end < text.length) end++
    yield text.slice(at, end)
    at = end
  }
}
