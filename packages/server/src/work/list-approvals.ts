import type { Retinue } from '@retinue/core'
import type { TaskQuestion } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { Approval, ApprovalQuery, Page, TaskFacts, TaskQuery, UnreadableRow } from '@retinue/core/storage'
import { defined } from '../defined.ts'
import type { Services } from '../http/services.ts'
import { pendingCall } from './view-run.ts'

/** What a person was asked. `taskId`: by a background task of the run. */
export type ListedApproval = Omit<Approval, 'fingerprint'> & { readonly taskId?: string }

/**
 * What people were asked, in the order in which they were. What a background task asks stands under the run that somebody began, with
 * whose id it is decided.
 */
export async function listApprovals(
  services: Services,
  { runId, ...query }: ApprovalQuery & { readonly runId?: string },
): Promise<Page<ListedApproval>> {
  const ofRun =
    runId === undefined ? {} : { runId: [runId, ...(await tasksOf(services.app, { rootRunId: runId })).ids] }
  const page = await services.storage.approvals.list({ ...query, ...ofRun })
  return { ...page, items: await Promise.all(page.items.map(listed(services))) }
}

/**
 * What background tasks ask of people, in the order in which they asked. It is looked up by the tasks that have not ended, so that what
 * runs ask themselves, be it ever so much, is not read.
 */
export async function listQuestions(
  { app, storage }: Services,
  { runId: rootRunId, ...query }: ApprovalQuery & { readonly runId?: string },
): Promise<Page<TaskQuestion>> {
  const { ids, unreadable } = await tasksOf(app, {
    status: OPEN,
    ...defined({ rootRunId, resourceId: query.resourceId }),
  })
  const page = await storage.approvals.list({ ...query, runId: ids, status: 'pending' })
  const items = page.items.map((approval) => ({ ...pendingCall(approval), taskId: approval.runId }))
  // The tasks are the same on every page.
  const damaged = query.cursor === undefined ? unreadable : []
  return { ...page, items, unreadable: [...damaged, ...page.unreadable] }
}

/** Where a task can still ask something. */
const OPEN = ['pending', 'running', 'suspended'] as const

/** How an approval is shown. That it is a task's is found once for each run. */
function listed({ app }: Services): (approval: Approval) => Promise<ListedApproval> {
  const tasks = new Map<string, Promise<TaskFacts | undefined>>()
  return async (approval) => {
    const { runId } = approval
    const task = tasks.get(runId) ?? taskAt(app, runId)
    tasks.set(runId, task)
    return shown(approval, await task)
  }
}

/** Undefined for a run that is none, and for a task whose record is damaged. */
async function taskAt(app: Retinue, runId: string): Promise<TaskFacts | undefined> {
  try {
    return await app.tasks.get(runId)
  } catch (thrown) {
    if (isRetinueError(thrown, 'task-not-found') || isRetinueError(thrown, 'storage-row-unreadable')) return undefined
    throw thrown
  }
}

function shown(
  { fingerprint: _, ...approval }: Approval,
  task: Pick<TaskFacts, 'taskId' | 'rootRunId'> | undefined,
): ListedApproval {
  return task ? { ...approval, runId: task.rootRunId, taskId: task.taskId } : approval
}

/** The background tasks that a query is of, whose runs have their ids. */
async function tasksOf(
  app: Retinue,
  query: TaskQuery,
): Promise<{ readonly ids: readonly string[]; readonly unreadable: readonly UnreadableRow[] }> {
  const ids: string[] = []
  const unreadable: UnreadableRow[] = []
  let cursor: string | undefined
  do {
    const page = await app.tasks.list({ ...query, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...page.items.map(({ taskId }) => taskId))
    unreadable.push(...page.unreadable)
    cursor = page.next
  } while (cursor !== undefined)
  return { ids, unreadable }
}
