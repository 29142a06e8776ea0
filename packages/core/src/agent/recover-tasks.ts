import { OPEN } from '../background/open-states.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredTask, TaskFacts } from '../storage/tasks.ts'
import { openedTask } from './decide-task.ts'
import { directEffects, LONGEST_TIMER_MS } from './direct-effects.ts'
import { notResumed } from './expired-runs.ts'
import { dueAt } from './recover-runs.ts'
import type { ResumeOptions } from './resume-options.ts'
import type { RunStream } from './run-stream.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { taskStream } from './task-stream.ts'

/** How many tasks are gone on with at the same time. */
const AT_ONCE = 10

/** Goes on with the background tasks of an agent that somebody died over, and with those that need not wait any more. */
export async function recoverTasks(site: Site, options: Omit<ResumeOptions, 'runId'>): Promise<RunStream[]> {
  const { parts, application } = site
  if (!application.background) return []
  const manager = await taskManagerIn(application)
  const storage = storageOf(parts, application)
  const streams: RunStream[] = []
  const found = await strandedTasks(site, manager, storage)
  await forEachLimited(found.length, AT_ONCE, async (index) => {
    const stream = await recovered(site, manager, storage, found[index] as TaskFacts, options)
    if (stream) streams.push(stream)
  })
  return streams
}

async function recovered(
  site: Site,
  manager: TaskManager,
  storage: Storage,
  { taskId }: TaskFacts,
  options: Omit<ResumeOptions, 'runId'>,
): Promise<RunStream | undefined> {
  try {
    const task = await storage.tasks.get(taskId)
    if (!OPEN.includes(task.status) || manager.live(taskId)) return undefined
    if (await isOrphan(storage, task)) await manager.cancel(taskId, 'the run that waited for it died')
    else return taskStream(await openedTask(site, manager, task, undefined, { ...options, runId: taskId }, false))
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-busy')) await lookAgainAt(site, manager, storage, taskId, options)
    else if (isRetinueError(thrown, 'run-not-found')) await manager.lost(taskId, thrown)
    else if (!isRetinueError(thrown, 'task-not-found')) notResumed(site, taskId, thrown)
  }
  return undefined
}

/** Whether nobody could be told of it any more: the run that made the call is gone, and no thread is told. */
async function isOrphan(storage: Storage, { tells, parentTree, taskId }: StoredTask): Promise<boolean> {
  if (tells === 'thread') return false
  const { lease } = await storage.runs.get(taskId)
  if (lease && lease.until > directEffects.now()) return false
  try {
    await storage.runs.get(parentTree)
    return false
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found')) return true
    throw thrown
  }
}

/** Whether the process of a task lives is known when its lease is over, since who lives has a new one. */
async function lookAgainAt(
  site: Site,
  manager: TaskManager,
  storage: Storage,
  taskId: string,
  options: Omit<ResumeOptions, 'runId'>,
): Promise<void> {
  const { lease } = await storage.runs.get(taskId)
  later(lease?.until ?? 0, () => {
    storage.tasks
      .get(taskId)
      .then((facts) => recovered(site, manager, storage, facts, options))
      .catch((thrown: unknown) => notResumed(site, taskId, thrown))
  })
}

function later(at: number, callback: () => void): void {
  const wait = Math.min(Math.max(0, at - directEffects.now()), LONGEST_TIMER_MS - 1)
  directEffects.startTimer(wait + 1, callback, true)
}

async function strandedTasks(site: Site, manager: TaskManager, storage: Storage): Promise<TaskFacts[]> {
  const found: TaskFacts[] = []
  let cursor: string | undefined
  do {
    const query = { agentId: site.parts.options.id, status: OPEN, ...(cursor === undefined ? {} : { cursor }) }
    const page = await storage.tasks.list(query)
    for (const task of page.items) {
      if (manager.live(task.taskId)) continue
      const due = task.status === 'suspended' ? await waitsUntil(storage, task.taskId) : 0
      if (due !== undefined && due <= directEffects.now()) found.push(task)
      // The process that had its clock is gone.
      else if (due !== undefined) later(due, () => void recovered(site, manager, storage, task, {}))
    }
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

/** From when on a task that waits need not wait any more: whoever worked on it may have died before he could write down that it waits. */
async function waitsUntil(storage: Storage, taskId: string): Promise<number | undefined> {
  try {
    const { status } = await storage.runs.get(taskId)
    return status === 'suspended' ? await dueAt(storage, taskId) : 0
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found')) return 0
    throw thrown
  }
}
