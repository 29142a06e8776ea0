import type { CallRef, Run } from '../loop/run.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'

/** The thread of a delegation: always a new one. Without an owner above, its owner is nobody but itself. */
export function threadFor({ thread, kept, root, state }: Run, key: string, { toolCallId }: CallRef): ThreadIds {
  if (thread) {
    // A conversation may see the id of a call again in another run; the thread of a delegation has one run.
    const own = state.path.length === 1 ? root.effects.newId() : toolCallId
    return {
      threadId: `${thread.threadId}-${own}`,
      resourceId: `${thread.resourceId}-${key}`,
      // What remembers nothing has no thread that anybody could delete.
      parentId: kept ? thread.threadId : thread.parentId,
      readOnly: thread.readOnly,
    }
  }
  const id = `${state.runId}-${toolCallId}`
  return { threadId: id, resourceId: id, readOnly: false }
}
