import type { RunStream } from '@retinue/core/agent'

/** Whether a stream is that of a run, and not of a background task alone: what follows a decision can be either. */
export async function isRun(stream: RunStream): Promise<boolean> {
  for await (const { type, path } of stream.events) return type === 'start' && path.length === 1
  return true
}
