import { isRetinueError } from '../errors/retinue-error.ts'
import type { AgentMemory } from '../memory/agent-memory.ts'
import type { ThreadKey } from '../storage/threads.ts'

/** Whether a thread has a message of a run, the last ones first. What something damaged may be one. */
export async function isSaid(
  memory: AgentMemory,
  { threadId, resourceId }: ThreadKey,
  runId: string,
): Promise<boolean> {
  let before: number | undefined
  try {
    for (;;) {
      const query = { threadId, resourceId, limit: 200, ...(before === undefined ? {} : { before }) }
      const { messages, hasMore, unreadable } = await memory.recall(query)
      if (unreadable.length > 0 || messages.some((message) => message.runId === runId)) return true
      before = messages[0]?.sequence
      if (!hasMore || before === undefined) return false
    }
  } catch (thrown) {
    // Nothing is known of the thread: it is in another memory, or was deleted.
    if (isRetinueError(thrown, 'thread-not-found')) return true
    throw thrown
  }
}
