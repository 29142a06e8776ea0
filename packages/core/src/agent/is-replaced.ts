import { isRetinueError } from '../errors/retinue-error.ts'
import type { AgentMemory } from '../memory/agent-memory.ts'
import type { ThreadKey } from '../storage/threads.ts'

/**
 * Whether something stands in a thread in the place of what a run said there: it has no message of the run, and one that was said at
 * `since` or later. Not where nothing is known: of a thread that was deleted, one in which nothing stands, or what is damaged and may be
 * the run's.
 */
export async function isReplaced(
  memory: AgentMemory,
  { threadId, resourceId }: ThreadKey,
  runId: string,
  since: number,
): Promise<boolean> {
  let before: number | undefined
  let hasLater = false
  try {
    for (;;) {
      const query = { threadId, resourceId, limit: 200, ...(before === undefined ? {} : { before }) }
      // The last ones first.
      const { messages, hasMore, unreadable } = await memory.recall(query)
      if (unreadable.length > 0 || messages.some((message) => message.runId === runId)) return false
      hasLater ||= messages.some(({ createdAt }) => createdAt >= since)
      before = messages[0]?.sequence
      if (!hasMore || before === undefined) return hasLater
    }
  } catch (thrown) {
    if (isRetinueError(thrown, 'thread-not-found')) return false
    throw thrown
  }
}
