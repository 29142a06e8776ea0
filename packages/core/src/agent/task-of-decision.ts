import { approvalAmbiguous } from '../approvals/approval-errors.ts'
import { OPEN } from '../background/open-states.ts'
import type { TaskManager } from '../background/task-manager.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import type { StoredRun } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredTask, TaskFacts } from '../storage/tasks.ts'
import { askedCalls } from './asked-calls.ts'
import type { DecisionOptions } from './resume-options.ts'
import { unpackTree, withLog } from './saved-tree.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'

/**
 * The background task whose call is decided: by its own id, or by that of the run that began it. Undefined if the run itself is meant, or
 * nothing is found: then the run says what is wrong.
 */
export async function taskOfDecision(
  { parts, application }: Site,
  manager: TaskManager,
  { runId, toolCallId }: Pick<DecisionOptions, 'runId' | 'toolCallId'>,
  decides: boolean,
): Promise<StoredTask | undefined> {
  const storage = storageOf(parts, application)
  const named = await taskAt(storage, runId)
  if (named) return named.agentId === parts.options.id ? named : undefined
  if (!decides) return undefined
  if (await asks(storage, runId, toolCallId)) {
    // Which of them is meant can't be told without the id of the call.
    if (toolCallId !== undefined || !(await firstAsking(storage, manager, runId, undefined))) return undefined
    throw approvalAmbiguous(runId, [])
  }
  const found =
    (await firstAsking(storage, manager, runId, toolCallId)) ?? (await takenOver(storage, runId, toolCallId))
  return found && taskAt(storage, found.taskId)
}

/** The task of an earlier run on the thread that a run waits for, and that asks about a call. */
async function takenOver(
  storage: Storage,
  runId: string,
  toolCallId: string | undefined,
): Promise<TaskFacts | undefined> {
  const { body } = await storage.runs.get(runId).catch((thrown: unknown) => {
    if (isRetinueError(thrown, 'run-not-found')) return { body: null }
    throw thrown
  })
  if (body === null) return undefined
  const { run } = await withLog(storage, runId, unpackTree(runId, body))
  const asking: TaskFacts[] = []
  for (const { taskId } of run.state.tasks ?? []) {
    const task = await taskAt(storage, taskId)
    if (task?.status === 'suspended' && (await asks(storage, taskId, toolCallId))) asking.push(task)
  }
  if (asking.length > 1) throw approvalAmbiguous(runId, [])
  return asking[0]
}

export async function taskAt(storage: Storage, taskId: string): Promise<StoredTask | undefined> {
  try {
    return await storage.tasks.get(taskId)
  } catch (thrown) {
    if (isRetinueError(thrown, 'task-not-found')) return undefined
    throw thrown
  }
}

export async function storedTree(storage: Storage, runId: string): Promise<StoredRun | undefined> {
  try {
    return await storage.runs.get(runId)
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found')) return undefined
    throw thrown
  }
}

/** The task of a run that asks about a call. Throws `approval-ambiguous` if several do. */
async function firstAsking(
  storage: Storage,
  manager: TaskManager,
  rootRunId: string,
  toolCallId: string | undefined,
): Promise<TaskFacts | undefined> {
  const found: { readonly task: TaskFacts; readonly calls: readonly string[] }[] = []
  for (const task of await openTasks(storage, rootRunId)) {
    const calls = await askedIn(storage, manager, task.taskId)
    if (toolCallId === undefined ? calls.length > 0 : calls.includes(toolCallId)) found.push({ task, calls })
  }
  const all = found.flatMap(({ calls }) => calls)
  if (found.length > 1 || (toolCallId === undefined && all.length > 1)) throw approvalAmbiguous(rootRunId, all)
  return found[0]?.task
}

/** The calls that a task asks about; those that are not written down yet too: who was told of one can decide it. */
async function askedIn(storage: Storage, manager: TaskManager, taskId: string): Promise<readonly string[]> {
  const { items } = await storage.approvals.list({ runId: taskId, status: 'pending', limit: 1_000 })
  const calls = new Set(items.map(({ toolCallId }) => toolCallId))
  const live = manager.live(taskId)
  for (const { call } of live ? askedCalls(live.run) : []) calls.add(call.toolCallId)
  return [...calls]
}

async function asks(storage: Storage, runId: string, toolCallId: string | undefined): Promise<boolean> {
  if (toolCallId !== undefined) return (await storage.approvals.get({ runId, toolCallId })) !== undefined
  return (await storage.approvals.list({ runId, status: 'pending', limit: 1 })).items.length > 0
}

/** The tasks of a root run that have not ended. */
export async function openTasks(storage: Storage, rootRunId: string): Promise<TaskFacts[]> {
  const all: TaskFacts[] = []
  let cursor: string | undefined
  do {
    const page = await storage.tasks.list({ rootRunId, status: OPEN, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}
