import { runBusy } from '../approvals/approval-errors.ts'
import { OPEN } from '../background/open-states.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { isRetinueError, type RetinueError } from '../errors/retinue-error.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredTask, TaskFacts } from '../storage/tasks.ts'
import { openedTask } from './decide-task.ts'
import { directEffects } from './direct-effects.ts'
import { notResumed } from './expired-runs.ts'
import { endForsaken } from './forsaken-tasks.ts'
import { HeldLease } from './held-lease.ts'
import { filedAs } from './keepable.ts'
import { dueAt } from './recover-runs.ts'
import type { ResumeOptions } from './resume-options.ts'
import type { RunStream } from './run-stream.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { storedTree, taskAt } from './task-of-decision.ts'
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
  await endForsaken(site, manager, storage, options)
  const found = await strandedTasks(site, manager, storage)
  await forEachLimited(found.length, AT_ONCE, async (index) => {
    const stream = await recovered(site, manager, storage, found[index] as TaskFacts, options)
    if (stream) streams.push(stream)
  })
  await sweep(site, manager, storage)
  return streams
}

/** Deletes the trees of tasks that had ended when somebody died who was about to do so. */
async function sweep({ parts }: Site, manager: TaskManager, storage: Storage): Promise<void> {
  let cursor: string | undefined
  do {
    const query = { agentId: filedAs({ parts, task: parts }), ...(cursor === undefined ? {} : { cursor }) }
    const page = await storage.runs.list(query)
    for (const { runId } of page.items) {
      const task = await taskAt(storage, runId)
      if (!manager.live(runId) && (task === undefined || task.endedAt !== undefined)) await manager.site.forget(runId)
    }
    cursor = page.next
  } while (cursor !== undefined)
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
    else if (isRetinueError(thrown, 'run-not-found')) await neverBegan(manager, storage, taskId, thrown)
    else if (!isRetinueError(thrown, 'task-not-found')) notResumed(site, taskId, thrown)
  }
  return undefined
}

/** A task without a tree was written down by somebody who died over it: the run that made the call begins it again, if it goes on. */
async function neverBegan(manager: TaskManager, storage: Storage, taskId: string, thrown: RetinueError): Promise<void> {
  const task = await taskAt(storage, taskId)
  const parent = task && (await storedTree(storage, task.parentTree))
  if (task && (!parent || parent.status === 'ended')) await manager.lost(taskId, thrown)
}

/**
 * Whether nobody could be told of it any more: the run that made the call is gone, and no thread is told. Throws `run-busy` while it lives.
 */
async function isOrphan(storage: Storage, { tells, parentTree, taskId }: StoredTask): Promise<boolean> {
  if (tells === 'thread') return false
  if ((await storedTree(storage, parentTree)) !== undefined) return false
  // A run that is not stored lives in the process that works on its tasks. Whether that lives, the store knows best.
  const lease = new HeldLease(storage, taskId)
  if (!(await storage.runs.acquire({ runId: taskId, ...lease.terms(), at: directEffects.now() }))) throw runBusy(taskId)
  await lease.release()
  return true
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
      .then(async (facts) => {
        await endForsaken(site, manager, storage, options, facts.rootRunId)
        return recovered(site, manager, storage, facts, options)
      })
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
