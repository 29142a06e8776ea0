import type { Retinue } from '@retinue/core'
import type { TaskQuestion } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { Approval, ApprovalQuery, Page, TaskFacts, UnreadableRow } from '@retinue/core/storage'
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
  const ofRun = runId === undefined ? {} : { runId: [runId, ...(await taskIdsOf(services, runId))] }
  const page = await services.storage.approvals.list({ ...query, ...ofRun })
  return { ...page, items: await Promise.all(page.items.map(listed(services))) }
}

/** What background tasks ask of people, in the order in which they asked. */
export async function listQuestions(
  services: Services,
  { runId, limit = 100, cursor, ...query }: ApprovalQuery & { readonly runId?: string },
): Promise<Page<TaskQuestion>> {
  const ofRun = runId === undefined ? {} : { runId: await taskIdsOf(services, runId) }
  const show = listed(services)
  const items: TaskQuestion[] = []
  const unreadable: UnreadableRow[] = []
  let next = cursor
  do {
    const left = limit - items.length
    const at = next === undefined ? {} : { cursor: next }
    const page = await services.storage.approvals.list({ ...query, ...ofRun, status: 'pending', limit: left, ...at })
    unreadable.push(...page.unreadable)
    for (const approval of page.items) {
      const { taskId } = await show(approval)
      // What runs ask themselves is asked in their own lists.
      if (taskId !== undefined) items.push({ ...pendingCall(approval), taskId })
    }
    next = page.next
  } while (next !== undefined && items.length < limit)
  return { items, unreadable, ...(next === undefined ? {} : { next }) }
}

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

/** The background tasks of a run, whose runs have their ids. */
async function taskIdsOf({ app }: Services, rootRunId: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await app.tasks.list({ rootRunId, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...page.items.map(({ taskId }) => taskId))
    cursor = page.next
  } while (cursor !== undefined)
  return ids
}
