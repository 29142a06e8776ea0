import type { CallRef, Run } from '../loop/run.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'

/** The thread of a delegation: always a new one. Without an owner above, its owner is nobody but itself. */
export function threadFor({ thread, root, state }: Run, key: string, { toolCallId }: CallRef): ThreadIds {
  if (thread) {
    const threadId = `${thread.threadId}-${root.effects.newId()}`
    return { threadId, resourceId: `${thread.resourceId}-${key}`, readOnly: thread.readOnly }
  }
  const id = `${state.runId}-${toolCallId}`
  return { threadId: id, resourceId: id, readOnly: false }
}
