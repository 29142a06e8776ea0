import type { Chunk } from '@retinue/core/agent'

type Delta = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>

export function isDelta(chunk: Chunk): chunk is Delta {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' || chunk.type === 'tool-call-delta'
}

/** Whether a chunk says more of what another one said. */
export function continues(before: Chunk, chunk: Chunk): boolean {
  if (!isDelta(before) || !isDelta(chunk) || before.type !== chunk.type || before.runId !== chunk.runId) return false
  return blockOf(before) === blockOf(chunk)
}

function blockOf({ type, payload }: Delta): string {
  return type === 'tool-call-delta' ? payload.toolCallId : payload.id
}

export function deltaText(delta: Delta): string {
  return delta.type === 'tool-call-delta' ? delta.payload.argsTextDelta : delta.payload.text
}

export function withText(delta: Delta, text: string): Delta {
  return delta.type === 'tool-call-delta'
    ? { ...delta, payload: { ...delta.payload, argsTextDelta: text } }
    : ({ ...delta, payload: { ...delta.payload, text } } as Delta)
}
