import { TaskManager } from '../background/task-manager.ts'
import type { TaskSite } from '../background/task-site.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { RootRun, Run } from '../loop/run.ts'
import { type Application, type ApplicationTasks, warnIn } from '../memory/application.ts'
import { InMemoryStorage } from '../storage/in-memory-storage.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredTask } from '../storage/tasks.ts'
import { openDecided, type Verdict } from './decide-run.ts'
import { directEffects } from './direct-effects.ts'
import { HeldLease } from './held-lease.ts'
import { type KeepableTask, type Keeping, keepRoot } from './keepable.ts'
import { removeRun } from './remove-run.ts'
import { type ResumeOptions, resumedWith } from './resume-options.ts'
import { siteOfTask } from './site-of-task.ts'
import { storedTree } from './task-of-decision.ts'
import { wakeWaiting } from './wake-waiting.ts'

/** What runs the background tasks of an application. */
export function taskManagerOf(application: Application, { options }: ApplicationTasks): TaskManager {
  const storage = storageFor(application)
  const site: TaskSite = {
    storage,
    survives: application.storage !== undefined,
    keepable: (standIn, parent, inherited) =>
      keepTask(manager, standIn, parent, { survives: application.storage !== undefined, inherited }),
    reopen: (task, by) => reopen(application, task, by, undefined),
    answer: (task, by, toolCallId, data) =>
      reopen(application, task, by, { verdict: { type: 'answer', data }, toolCallId }),
    isStored: async (taskId) => (await storedTree(storage, taskId)) !== undefined,
    wake: (task) => wakeWaiting(application, manager, task),
    forget: (taskId) => forget(storage, taskId),
    takeAway: (taskId) => takeAway(storage, taskId),
    score: async (root) => {
      if (root.scoring) (await import('./live-scorers.ts')).startScoring(root)
    },
  }
  const manager: TaskManager = new TaskManager(application, options, site)
  return manager
}

/** Where tasks are kept: with the runs of the application, which without a storage are in this process. */
function storageFor(application: Application): Storage {
  if (application.storage) return application.storage
  const holder = application.inProcess ?? { storage: undefined }
  if (!holder.storage) {
    holder.storage = new InMemoryStorage()
    warnIn(
      application,
      'runs-in-process',
      'Background tasks, and runs that wait for a person, are kept in this process alone. To keep them longer, give the application a storage: new Retinue({ agents, storage: new LibSQLStore({ id, url }) }).',
    )
  }
  return holder.storage
}

function keepTask(
  manager: TaskManager,
  standIn: Run,
  parent: RootRun,
  kept: Pick<KeepableTask, 'survives' | 'inherited'>,
): void {
  const { tree } = parent.keeping as Keeping
  const { root } = standIn
  const goOnLater = (): void => void manager.goOnLater(root.runId, root)
  root.keep = keepRoot
  root.keeping = {
    tree: { ...tree, run: standIn, task: { ...kept, goOnLater } },
    taken: undefined,
    keeper: undefined,
  } satisfies Keeping
}

/** Opens a task that nobody works on, with the code of a run that has to do with it if that is of the same agent. */
async function reopen(
  application: Application,
  task: StoredTask,
  by: RootRun | undefined,
  decision: { readonly verdict: Verdict; readonly toolCallId: string } | undefined,
): Promise<Run> {
  const site = siteOfTask(application, task)
  const tree = by && (by.keeping as Keeping).tree
  const isOwn = tree?.parts === site.parts
  const code = isOwn ? { ...resumedWith(tree.call as ResumeOptions), requestContext: tree.run.requestContext } : {}
  const given = { ...code, runId: task.taskId, ...(decision ? { toolCallId: decision.toolCallId } : {}) }
  const opened = await openDecided({ ...site, task }, decision?.verdict, given, false, decision !== undefined)
  return opened.run
}

/** Deletes what is stored of the tree of a task that has ended. Whoever works on it still deletes it himself. */
async function forget(storage: Storage, taskId: string): Promise<void> {
  const lease = new HeldLease(storage, taskId)
  try {
    const stored = await storage.runs.acquire({ runId: taskId, ...lease.terms(), at: directEffects.now() })
    if (stored) await removeRun(storage, stored)
  } catch (thrown) {
    if (!isRetinueError(thrown, 'run-not-found')) throw thrown
  }
}

/** Deletes it, whoever works on it: he loses it with his next sign of life, and stops. */
async function takeAway(storage: Storage, taskId: string): Promise<void> {
  for (;;) {
    try {
      return await removeRun(storage, await storage.runs.get(taskId))
    } catch (thrown) {
      if (isRetinueError(thrown, 'run-not-found')) return
      // He has just written something.
      if (!isRetinueError(thrown, 'storage-conflict')) throw thrown
    }
  }
}
