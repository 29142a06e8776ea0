import type { Retinue } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import type { Approval, ApprovalQuery, Page, TaskFacts } from '@retinue/core/storage'
import type { Services } from '../http/services.ts'

/** What a person was asked. `taskId`: by a background task of the run. */
export type ListedApproval = Omit<Approval, 'fingerprint'> & { readonly taskId?: string }

/**
 * What people were asked. What a background task asks stands under the run that somebody began, with whose id it is decided; of one run
 * alone it comes after what the run asks itself, on the last page.
 */
export async function listApprovals(services: Services, query: ApprovalQuery): Promise<Page<ListedApproval>> {
  const { approvals } = services.storage
  const page = await approvals.list(query)
  const items = await Promise.all(page.items.map(listed(services)))
  if (query.runId === undefined || page.next !== undefined) return { ...page, items }
  const unreadable = [...page.unreadable]
  const { cursor: _, ...filter } = query
  for await (const { taskId } of tasksOf(services, query.runId)) {
    for await (const asked of pagesOf((at) => approvals.list({ ...filter, runId: taskId, ...at }))) {
      items.push(...asked.items.map((approval) => shown(approval, { taskId, rootRunId: query.runId as string })))
      unreadable.push(...asked.unreadable)
    }
  }
  return { ...page, items, unreadable }
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

async function* tasksOf({ app }: Services, rootRunId: string): AsyncGenerator<TaskFacts> {
  for await (const { items } of pagesOf((at) => app.tasks.list({ rootRunId, ...at }))) yield* items
}

/** All the pages of a list. */
async function* pagesOf<T>(list: (at: { cursor?: string }) => Promise<Page<T>>): AsyncGenerator<Page<T>> {
  let page = await list({})
  yield page
  while (page.next !== undefined) {
    page = await list({ cursor: page.next })
    yield page
  }
}
