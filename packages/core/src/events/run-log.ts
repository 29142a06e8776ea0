import type { Chunk } from './chunk.ts'
import type { RunScope } from './event-log.ts'

/** Where the runs of a tree write what happens in them. */
export interface RunLog {
  push(chunk: Chunk): void
  /** Says to which call of the parent's a delegation's run belongs. */
  addScope(runId: string, scope: RunScope): void
}
