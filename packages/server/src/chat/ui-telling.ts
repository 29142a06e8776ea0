import { type Chunk, toUiChunks } from '@retinue/core/agent'
import { toldError } from '../errors/told-error.ts'
import type { RunEvent } from '../runs/log-entry.ts'
import type { Telling } from '../work/leg-response.ts'
import type { Decided } from './chat-decisions.ts'

/**
 * How a run is told to the AI SDK's `useChat`: its legs as one message, in the UI message stream protocol. `decided`: it goes on after
 * decisions; those that could not be taken are told as errors, before the end.
 */
export function uiTelling(runId: string, decided?: Pick<Decided, 'failures'>): Telling {
  let told = decided ? Number.POSITIVE_INFINITY : 0
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
    tail: () => `${failuresOf(decided)}${end ? `${frames(end, runId)}data: [DONE]\n\n` : ''}`,
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  }
}

function failuresOf(decided: Pick<Decided, 'failures'> | undefined): string {
  const told = (decided?.failures ?? []).map((error) => toldError(error.toJSON()))
  const chunks = told.map(({ code, message }) => ({ type: 'error', errorText: `${code}: ${message}` }))
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
}

function frames(chunk: Chunk, runId: string): string {
  return toUiChunks(chunk, runId)
    .map((item) => `data: ${JSON.stringify(item)}\n\n`)
    .join('')
}
