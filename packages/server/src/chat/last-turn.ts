import { isRetinueError } from '@retinue/core/errors'
import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import type { ThreadKey } from '@retinue/core/storage'
import type { KnownRun } from '../http/known-run.ts'
import { isPersons } from './thread-turn.ts'

/** What the person said last in a thread. */
export interface LastTurn {
  readonly said: RememberedMessage | undefined
  /** The runs of what stands closely before. */
  readonly before: ReadonlySet<string>
}

/** Reads the last turn of a thread; that of one that is not there is empty. */
export async function lastTurn(memory: AgentMemory, { threadId, resourceId }: ThreadKey): Promise<LastTurn> {
  let before: number | undefined
  try {
    for (;;) {
      const query = { threadId, resourceId, limit: 100, ...(before === undefined ? {} : { before }) }
      const { messages, hasMore } = await memory.recall(query)
      const said = messages.findLast(isPersons)
      before = (said ?? messages[0])?.sequence
      if (said) {
        const older = (await memory.recall({ threadId, resourceId, before: said.sequence })).messages
        return { said, before: new Set(older.flatMap(({ runId }) => (runId === undefined ? [] : [runId]))) }
      }
      if (!hasMore || before === undefined) return NOTHING_SAID
    }
  } catch (thrown) {
    if (isRetinueError(thrown, 'thread-not-found')) return NOTHING_SAID
    throw thrown
  }
}

const NOTHING_SAID: LastTurn = { said: undefined, before: new Set() }

/**
 * Whether a run is that of the last turn, so that what it says comes last. One that waited while something else was said is not. One of
 * which the thread has nothing yet, such as while processors look at what was said, is that of the turn which comes next.
 */
export function isOfTurn({ runId, createdAt }: KnownRun, { said, before }: LastTurn): boolean {
  if (!said || said.runId === runId) return true
  // It goes on with results of the client's tools: the person said nothing else.
  return !before.has(runId) && createdAt >= said.createdAt
}
