import { notResumed } from '../background/task-errors.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import { type Application, warnIn } from '../memory/application.ts'
import type { RunFacts } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { TaskFacts } from '../storage/tasks.ts'
import { goOnLater } from './expired-runs.ts'
import { unpackTree, withLog } from './saved-tree.ts'
import { siteOfTask } from './site-of-task.ts'
import { taskAt } from './task-of-decision.ts'

/** Goes on with the trees that wait for a task where nobody works on them: runs, and tasks whose subagent waits for its own. */
export async function wakeWaiting(application: Application, manager: TaskManager, task: TaskFacts): Promise<void> {
  const { storage } = manager.site
  try {
    for (const { runId } of await waitingFor(storage, task)) {
      const waiting = await taskAt(storage, runId)
      if (waiting) await manager.goOnLater(runId, undefined)
      else goOnLater(siteOfTask(application, task), runId, false)
    }
  } catch (thrown) {
    warnIn(application, 'run-not-resumed', notResumed(task.taskId, thrown))
  }
}

/** The stored trees that wait for a task and are in nobody's hands: that of the run which began it, and those that took it over. */
export async function waitingFor(storage: Storage, task: TaskFacts): Promise<RunFacts[]> {
  const found: RunFacts[] = []
  for (const runId of await candidates(storage, task)) {
    const stored = await storage.runs.get(runId).catch((thrown: unknown) => {
      if (isRetinueError(thrown, 'run-not-found')) return undefined
      throw thrown
    })
    if (stored?.status !== 'suspended' || stored.lease || stored.body === null) continue
    const tree = await withLog(storage, runId, unpackTree(runId, stored.body))
    if (waits(tree.run, task.taskId)) found.push(stored)
  }
  return found
}

async function candidates(storage: Storage, { parentTree, tells, threadId, resourceId }: TaskFacts): Promise<string[]> {
  if (tells !== 'thread' || threadId === undefined || resourceId === undefined) return [parentTree]
  const ids = new Set([parentTree])
  let cursor: string | undefined
  do {
    const query = { threadId, resourceId, status: 'suspended', ...(cursor === undefined ? {} : { cursor }) } as const
    const page = await storage.runs.list(query)
    for (const { runId } of page.items) ids.add(runId)
    cursor = page.next
  } while (cursor !== undefined)
  return [...ids]
}

/** Whether a run of a tree has answered and waits for a task. */
function waits({ state, calls }: SavedRun, taskId: string): boolean {
  if (state.idle !== undefined && state.tasks?.some((task) => task.taskId === taskId)) return true
  return (
    calls?.some(({ delegation, outcome }) => !outcome && delegation?.child && waits(delegation.child, taskId)) ?? false
  )
}
