import type { Chunk, DelegationEnvelope, ToolResultRecord } from '@retinue/core/agent'
import { toldError } from '../errors/told-error.ts'

/** A chunk as it goes out: plain JSON, and of errors only what people outside may read. */
export function wireChunk(chunk: Chunk): Chunk {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-call-delta':
      return chunk
    case 'error':
      return { ...chunk, payload: { error: toldError(chunk.payload.error) } }
    case 'tool-error': {
      const payload = plain(chunk.payload) as typeof chunk.payload
      return { ...chunk, payload: { ...payload, error: toldError(chunk.payload.error) } }
    }
    case 'tool-result': {
      const payload = plain(chunk.payload) as typeof chunk.payload
      return { ...chunk, payload: { ...payload, result: toldResult(payload.result) } }
    }
    case 'background-task-completed': {
      const payload = plain(chunk.payload) as typeof chunk.payload
      return { ...chunk, payload: { ...payload, result: toldResult(payload.result) } }
    }
    case 'background-task-failed': {
      const { result, ...payload } = plain(chunk.payload) as typeof chunk.payload
      const told = result === undefined ? {} : { result: toldResult(result) }
      return { ...chunk, payload: { ...payload, ...told, error: toldError(chunk.payload.error) } }
    }
    case 'background-task-retrying': {
      const payload = plain(chunk.payload) as typeof chunk.payload
      return { ...chunk, payload: { ...payload, error: toldError(chunk.payload.error) } }
    }
    case 'background-task-timed-out': {
      const payload = plain(chunk.payload) as typeof chunk.payload
      return { ...chunk, payload: { ...payload, error: toldError(chunk.payload.error) } }
    }
    default:
      return { ...chunk, payload: plain(chunk.payload) } as Chunk
  }
}

/** A tool's result in plain JSON. That of a delegation says what went wrong in it, and below. */
export function toldResult(result: unknown): unknown {
  if (
    typeof result !== 'object' ||
    result === null ||
    !('subAgentToolResults' in result || 'subAgentThreadId' in result)
  )
    return result
  const envelope = result as Partial<DelegationEnvelope>
  const { error, hookErrors, subAgentToolResults } = envelope
  return {
    ...envelope,
    ...(error ? { error: toldError(error) } : {}),
    ...(hookErrors ? { hookErrors: hookErrors.map(toldError) } : {}),
    ...(subAgentToolResults ? { subAgentToolResults: subAgentToolResults.map(toldRecord) } : {}),
  }
}

/** A call and how it ended, in plain JSON. */
export function toldRecord(record: ToolResultRecord): ToolResultRecord {
  return {
    ...record,
    ...(record.result === undefined ? {} : { result: toldResult(record.result) }),
    ...(record.error ? { error: toldError(record.error) } : {}),
  }
}

/** A value as JSON carries it. What JSON can't carry says so in its place, and the stream goes on. */
export function plain(value: unknown): unknown {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? null : JSON.parse(text)
  } catch {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOT_JSON
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, fieldOf(field)]))
  }
}

const NOT_JSON = "[This can't be told in JSON.]"

function fieldOf(value: unknown): unknown {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? null : JSON.parse(text)
  } catch {
    return NOT_JSON
  }
}
