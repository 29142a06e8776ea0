import type { Chunk } from './chunk.ts'
import type { EventLog } from './event-log.ts'

/** The form that user interfaces know: a child's chunk inside a `tool-output` of its parent's, once for each level. */
export function nest(chunk: Chunk, log: EventLog): Chunk {
  let nested = chunk
  let scope = log.scopeOf(chunk.runId)
  // What a tool wrote for the user interface is not wrapped; its path says where it came from.
  if (!scope || chunk.type.startsWith('data-')) return chunk
  while (scope) {
    const { toolCallId, toolName, parentRunId, path } = scope
    nested = {
      type: 'tool-output',
      runId: parentRunId,
      from: 'USER',
      path,
      payload: { output: nested, toolCallId, toolName },
    }
    scope = log.scopeOf(parentRunId)
  }
  return nested
}
