import { isRetinueError } from '@retinue/core/errors'
import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import type { ThreadKey } from '@retinue/core/storage'
import type { KnownRun } from '../http/known-run.ts'
import { isPersons } from './thread-turn.ts'

/** What the person said last in a thread, and the runs that have said something since. */
export interface LastTurn {
  readonly said: RememberedMessage | undefined
  readonly runIds: ReadonlySet<string>
  /** The runs of what stands closely before. */
  readonly before: ReadonlySet<string>
}

/** Reads the last turn of a thread; that of one that is not there is empty. */
export async function lastTurn(memory: AgentMemory, { threadId, resourceId }: ThreadKey): Promise<LastTurn> {
  const runIds = new Set<string>()
  const since: RememberedMessage[] = []
  let said: RememberedMessage | undefined
  let before: number | undefined
  try {
    for (;;) {
      const query = { threadId, resourceId, limit: 100, ...(before === undefined ? {} : { before }) }
      const { messages, hasMore } = await memory.recall(query)
      const at = said ? -1 : messages.findLastIndex(isPersons)
      if (at >= 0) said = messages[at]
      since.push(...messages.slice(said ? at + 1 : 0))
      before = at >= 0 ? said?.sequence : messages[0]?.sequence
      if (said || !hasMore || before === undefined) break
    }
    for (const { runId } of since) if (runId !== undefined) runIds.add(runId)
    const older = before === undefined || !said ? [] : (await memory.recall({ threadId, resourceId, before })).messages
    return { said, runIds, before: new Set(older.flatMap(({ runId }) => (runId === undefined ? [] : [runId]))) }
  } catch (thrown) {
    if (isRetinueError(thrown, 'thread-not-found')) return { said: undefined, runIds, before: new Set() }
    throw thrown
  }
}

/**
 * Whether a run is that of the last turn, so that what it says comes last. One that waited while something else was said is not; nor is
 * one of which the thread has nothing yet.
 */
export function isOfTurn({ runId, createdAt }: KnownRun, { said, runIds, before }: LastTurn): boolean {
  if (!said || said.runId === runId) return true
  // It goes on with results of the client's tools: the person said nothing else.
  return runIds.has(runId) && !before.has(runId) && createdAt >= said.createdAt
}
