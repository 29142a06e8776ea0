import { OPEN } from '../background/open-states.ts'
import { RequestContext } from '../context/request-context.ts'
import { allPages } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import { isSaid } from './is-said.ts'
import { memoryOf } from './open-memory.ts'
import type { ResumeOptions } from './resume-options.ts'
import type { Site } from './take-run.ts'
import { storedTree, taskAt } from './task-of-decision.ts'
import { endTasks } from './turns-to-end.ts'

/**
 * Ends the background tasks of turns that are gone from their thread: whoever said something else in their place died before he could.
 * A run that still goes on, or waits, is looked at when it is gone on with.
 */
export async function endForsaken(
  { parts, application }: Site,
  storage: Storage,
  { requestContext = new RequestContext() }: Omit<ResumeOptions, 'runId'>,
): Promise<void> {
  const agentId = parts.options.id
  const open = await allPages((page) => storage.tasks.list({ agentId, status: OPEN, ...page }))
  // Of those that have ended somebody may still have to be told.
  const ended = await allPages((page) => storage.tasks.list({ agentId, undelivered: true, ...page }))
  const all = [...open, ...ended]
  const memory = all.length === 0 ? undefined : await memoryOf(parts.options, requestContext, application, true)
  if (!memory) return
  const looked = new Set<string>()
  for (const { taskId, rootRunId, parentRunId, threadId, resourceId } of all) {
    if (threadId === undefined || resourceId === undefined || looked.has(rootRunId)) continue
    const task = await taskAt(storage, taskId)
    if (task?.tells !== 'thread') continue
    looked.add(rootRunId)
    if ((await storedTree(storage, parentRunId))?.status === 'running') continue
    if (await isSaid(memory, { threadId, resourceId }, parentRunId)) continue
    await endTasks(storage, application, { threadId, resourceId }, new Set([rootRunId]), taskId)
  }
}
