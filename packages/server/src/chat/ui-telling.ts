import { type Chunk, toUiChunks } from '@retinue/core/agent'
import type { RunEvent } from '../runs/log-entry.ts'
import type { Telling } from '../work/leg-response.ts'

/** How a run is told to the AI SDK's `useChat`: its legs as one message, in the UI message stream protocol. */
export function uiTelling(runId: string, goesOn = false): Telling {
  let told = goesOn ? Number.POSITIVE_INFINITY : 0
  /** The end of a leg, which is that of the message if no other leg follows. */
  let end: Chunk | undefined
  let hasBegun = false
  const encode = ({ chunk }: RunEvent): string | undefined => {
    const isRoots = chunk.runId === runId
    if (isRoots && chunk.type === 'finish') {
      end = chunk
      return undefined
    }
    if (isRoots && chunk.type === 'start') {
      end = undefined
      if (hasBegun) return undefined
      hasBegun = true
    }
    if (isRoots && chunk.type === 'step-start') {
      const { iteration } = chunk.payload
      const isAgain = iteration <= told
      told = iteration
      if (isAgain) return undefined
    }
    return frames(chunk, runId)
  }
  return {
    encode,
    tail: () => (end ? `${frames(end, runId)}data: [DONE]\n\n` : ''),
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  }
}

function frames(chunk: Chunk, runId: string): string {
  return toUiChunks(chunk, runId)
    .map((item) => `data: ${JSON.stringify(item)}\n\n`)
    .join('')
}
