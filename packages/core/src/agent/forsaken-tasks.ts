import { runIncomplete } from '../approvals/approval-errors.ts'
import { OPEN } from '../background/open-states.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { RequestContext, type RequestContextLike } from '../context/request-context.ts'
import { begunWith, restoredContext } from '../context/saved-context.ts'
import { allPages } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskFacts } from '../storage/tasks.ts'
import { directEffects } from './direct-effects.ts'
import { notResumed } from './expired-runs.ts'
import { HeldLease } from './held-lease.ts'
import { isReplaced } from './is-replaced.ts'
import { memoryOf } from './open-memory.ts'
import type { ResumeOptions } from './resume-options.ts'
import { unpackTree } from './saved-tree.ts'
import type { Site } from './take-run.ts'
import { storedTree } from './task-of-decision.ts'
import { endTasks } from './turns-to-end.ts'

type Given = Omit<ResumeOptions, 'runId'>

/**
 * Ends the background tasks of turns that are gone from their thread: whoever said something else in their place died before he could.
 * A run that still goes on, or waits, is looked at when it is gone on with. A task stays where that can't be
 * known, and while somebody who lives works on it; where it can't be looked up, that is a warning. `rootRunId`: of this run alone.
 */
export async function endForsaken(
  site: Site,
  manager: TaskManager,
  storage: Storage,
  given: Given,
  rootRunId?: string,
): Promise<void> {
  const query = { agentId: site.parts.options.id, ...(rootRunId === undefined ? {} : { rootRunId }) }
  const open = await allPages((page) => storage.tasks.list({ ...query, status: OPEN, ...page }))
  // Of those that have ended somebody may still have to be told.
  const ended = await allPages((page) => storage.tasks.list({ ...query, undelivered: true, ...page }))
  const tellThread = [...open, ...ended].filter(({ tells }) => tells === 'thread')
  for (const [runId, tasks] of Map.groupBy(tellThread, (task) => task.rootRunId)) {
    const { taskId, threadId, resourceId } = tasks[0] as TaskFacts
    if (threadId === undefined || resourceId === undefined) continue
    try {
      if (!(await isTurnGone(site, manager, storage, tasks, given))) continue
      const held = new Set<string>()
      for (const each of tasks) if (await isHeld(storage, each.taskId)) held.add(each.taskId)
      await endTasks(storage, site.application, { threadId, resourceId }, new Set([runId]), taskId, held)
    } catch (thrown) {
      notResumed(site, taskId, thrown)
    }
  }
}

/** Whether the turn of a run that nobody works on any more was replaced. */
async function isTurnGone(
  { parts, application }: Site,
  manager: TaskManager,
  storage: Storage,
  tasks: readonly TaskFacts[],
  given: Given,
): Promise<boolean> {
  const { parentRunId, threadId, resourceId, createdAt } = tasks[0] as TaskFacts
  if (threadId === undefined || resourceId === undefined) return false
  if ((await storedTree(storage, parentRunId))?.status === 'running') return false
  const hasOwn = typeof parts.options.memory === 'function'
  const context = hasOwn ? await contextOf(manager, storage, tasks, given.requestContext) : new RequestContext()
  // Another context could lead to another memory, in which the run never spoke.
  if (!context) return false
  const memory = await memoryOf(parts.options, context, application, true)
  return memory !== undefined && isReplaced(memory, { threadId, resourceId }, parentRunId, createdAt)
}

/** Whether somebody who lives has the lease of a task: the store knows best who does. */
async function isHeld(storage: Storage, taskId: string): Promise<boolean> {
  const at = directEffects.now()
  const until = (await storedTree(storage, taskId))?.lease?.until ?? 0
  if (until <= at) return false
  const lease = new HeldLease(storage, taskId)
  if (!(await storage.runs.acquire({ runId: taskId, ...lease.terms(), at }))) return true
  await lease.release()
  return false
}

/** The context that the run began with which made the calls. Undefined where nothing of it is stored any more. */
async function contextOf(
  manager: TaskManager,
  storage: Storage,
  tasks: readonly TaskFacts[],
  given: RequestContextLike | undefined,
): Promise<RequestContextLike | undefined> {
  for (const { taskId } of tasks) {
    const live = manager.live(taskId)
    if (live) return live.run.requestContext
  }
  for (const runId of [tasks[0]?.rootRunId as string, ...tasks.map(({ taskId }) => taskId)]) {
    const body = (await storedTree(storage, runId))?.body ?? null
    if (body === null) continue
    const saved = unpackTree(runId, body).context
    const { context, lacking } = restoredContext(saved, given)
    if (lacking.length > 0) throw runIncomplete('run-context-missing', runId, lacking)
    return begunWith(context, saved)
  }
  return undefined
}
