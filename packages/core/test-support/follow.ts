import type { RunStream } from '../src/agent/run-stream.ts'
import type { Chunk } from '../src/events/chunk.ts'

/** A promise, and what settles it. */
export function signal(): { readonly given: Promise<void>; give(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { given: promise, give: resolve }
}

/** Reads a run to its end, and says when the first text of its root has arrived. */
export async function follow(stream: RunStream, onText: () => void = () => {}): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream.events) {
    chunks.push(chunk)
    if (chunk.type === 'text-delta' && chunk.runId === stream.runId) onText()
  }
  return chunks
}
