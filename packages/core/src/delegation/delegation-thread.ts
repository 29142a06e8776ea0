import type { Run } from '../loop/run.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import { delegationOwner } from '../memory/thread-owner.ts'

/** The thread of a delegation: always a new one, whatever the ids of run and call. Without an owner above, nobody shares it. */
export function threadFor({ thread, kept, root }: Run, key: string): ThreadIds {
  const id = root.effects.newId()
  if (!thread) return { threadId: id, resourceId: id, owner: delegationOwner(key, id), readOnly: false }
  const above = thread.owner ?? thread.resourceId
  return {
    threadId: `${thread.threadId}-${id}`,
    resourceId: `${thread.resourceId}-${key}`,
    owner: delegationOwner(key, above),
    // What remembers nothing has no thread that anybody could delete.
    parent: kept ? { threadId: thread.threadId, resourceId: above } : thread.parent,
    readOnly: thread.readOnly,
  }
}
