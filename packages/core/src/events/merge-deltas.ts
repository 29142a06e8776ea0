import type { Chunk } from './chunk.ts'

/** A log with the deltas of each block made one, and where an old index stands in it. */
export interface Merged {
  chunks: Chunk[]
  /** How many chunks of the merged log stand for what began before old index `index`. */
  before(index: number): number
}

/** Makes the deltas of each text, reasoning and tool-input block one chunk, at the place of its first delta. */
export function mergeDeltas(log: readonly Chunk[]): Merged {
  const chunks: Chunk[] = []
  const origin: number[] = []
  const open = new Map<string, Deltas>()
  const all: { at: number; deltas: Deltas }[] = []
  let last: Deltas | undefined
  for (let i = 0; i < log.length; i++) {
    const chunk = log[i] as Chunk
    // Deltas of one block mostly follow each other: then nothing has to be looked up.
    if (last && continues(last.first, chunk)) {
      last.rest.push(textOf(chunk))
      continue
    }
    const block = blockOf(chunk)
    if (block?.delta !== undefined) {
      const known = open.get(block.key)
      last = known
      if (known) {
        known.rest.push(block.delta)
        continue
      }
      const deltas: Deltas = { first: chunk, text: block.delta, rest: [] }
      last = deltas
      open.set(block.key, deltas)
      all.push({ at: chunks.length, deltas })
    } else if (block) {
      open.delete(block.key)
      last = undefined
    }
    origin.push(i)
    chunks.push(chunk)
  }
  for (const { at, deltas } of all) chunks[at] = joined(deltas)
  return { chunks, before: (index) => lowerBound(origin, index) }
}

/** What a reader at `index` has not read of the blocks that it is in the middle of, one chunk a block. */
export function tailDeltas(log: readonly Chunk[], index: number): Chunk[] {
  if (index >= log.length) return []
  const begun = new Set<string>()
  for (let i = 0; i < index; i++) {
    const block = blockOf(log[i] as Chunk)
    if (block?.delta !== undefined) begun.add(block.key)
    else if (block) begun.delete(block.key)
  }
  const tails = new Map<string, Deltas>()
  for (let i = index; i < log.length && begun.size > 0; i++) {
    const chunk = log[i] as Chunk
    const block = blockOf(chunk)
    if (!block || !begun.has(block.key)) continue
    const known = tails.get(block.key)
    if (block.delta === undefined) begun.delete(block.key)
    else if (known) known.rest.push(block.delta)
    else tails.set(block.key, { first: chunk, text: block.delta, rest: [] })
  }
  return [...tails.values()].map(joined)
}

/** Whether a delta is of the same block as another. */
function continues(first: Chunk, chunk: Chunk): boolean {
  if (chunk.type !== first.type || chunk.runId !== first.runId) return false
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.payload.id === (first as typeof chunk).payload.id
    case 'tool-call-delta':
      return chunk.payload.toolCallId === (first as typeof chunk).payload.toolCallId
    default:
      return false
  }
}

function textOf(chunk: Chunk): string {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.payload.text
  return chunk.type === 'tool-call-delta' ? chunk.payload.argsTextDelta : ''
}

/** Deltas of one block: the first, and the texts of those after it. */
interface Deltas {
  readonly first: Chunk
  readonly text: string
  readonly rest: string[]
}

/** The deltas as one. They are joined at once: a text that grew piece by piece would keep every piece alive. */
function joined({ first, text, rest }: Deltas): Chunk {
  return rest.length === 0 ? first : withText(first, text + rest.join(''))
}

/** The block that a chunk belongs to; `delta` is undefined for the chunk that opens or closes it. */
function blockOf(chunk: Chunk): { key: string; delta: string | undefined } | undefined {
  switch (chunk.type) {
    case 'text-delta':
      return { key: `t ${chunk.runId} ${chunk.payload.id}`, delta: chunk.payload.text }
    case 'text-start':
    case 'text-end':
      return { key: `t ${chunk.runId} ${chunk.payload.id}`, delta: undefined }
    case 'reasoning-delta':
      return { key: `r ${chunk.runId} ${chunk.payload.id}`, delta: chunk.payload.text }
    case 'reasoning-start':
    case 'reasoning-end':
      return { key: `r ${chunk.runId} ${chunk.payload.id}`, delta: undefined }
    case 'tool-call-delta':
      return { key: `c ${chunk.runId} ${chunk.payload.toolCallId}`, delta: chunk.payload.argsTextDelta }
    case 'tool-call-input-streaming-start':
    case 'tool-call-input-streaming-end':
      return { key: `c ${chunk.runId} ${chunk.payload.toolCallId}`, delta: undefined }
    default:
      return undefined
  }
}

function withText(chunk: Chunk, text: string): Chunk {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { ...chunk, payload: { id: chunk.payload.id, text } }
    case 'tool-call-delta':
      return { ...chunk, payload: { toolCallId: chunk.payload.toolCallId, argsTextDelta: text } }
    default:
      return chunk
  }
}

/** How many of the ascending numbers are below `limit`. */
function lowerBound(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}
