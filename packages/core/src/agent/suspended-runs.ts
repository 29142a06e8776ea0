import type { PendingToolCall } from '../approvals/question.ts'
import { askedByTasks, pendingToolCall } from '../background/asked-by-tasks.ts'
import { soundTerms } from '../background/stored-terms.ts'
import { assertKnownKeys, optionInvalid } from '../errors/option-errors.ts'
import { isRetinueError } from '../errors/retinue-error.ts'
import { defined, isObject } from '../shared/records.ts'
import type { Approval, ApprovalQuery, ApprovalStatus } from '../storage/approvals.ts'
import type { Page } from '../storage/page.ts'
import type { RunFacts } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { runNotFound } from '../storage/storage-errors.ts'
import type { TaskFacts, TaskQuery } from '../storage/tasks.ts'
import { callOff } from './call-off.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'
import { taskManagerIn } from './task-manager-in.ts'
import { openTasks, taskAt } from './task-of-decision.ts'

/** Which runs are listed. */
export interface SuspendedRunsQuery {
  threadId?: string
  resourceId?: string
  /** At most so many, the oldest first. Default: 100. */
  limit?: number
  /** `next` of the page before. */
  cursor?: string
}

/** A run that waits for a person. */
export interface SuspendedRun {
  readonly runId: string
  /** The root agent's. */
  readonly path: readonly string[]
  readonly threadId?: string
  readonly resourceId?: string
  /** Milliseconds since 1970. */
  readonly suspendedAt: number
  /** What it waits for, at whatever depth. */
  readonly toolCalls: readonly PendingToolCall[]
}

export interface SuspendedRuns {
  readonly runs: readonly SuspendedRun[]
  /** How many there are on all pages. */
  readonly total: number
  /** The cursor of the next page; undefined if this is the last. */
  readonly next?: string
}

const QUERY: Readonly<Record<keyof SuspendedRunsQuery, true>> = {
  threadId: true,
  resourceId: true,
  limit: true,
  cursor: true,
}

const UNKNOWN = 'These options are not known'

/** The runs of an agent that wait for a person. */
export async function listSuspended(site: Site, query: SuspendedRunsQuery): Promise<SuspendedRuns> {
  if (!isObject(query))
    throw optionInvalid('What is listed is said in an object.', "listSuspendedRuns({ resourceId: 'ada' })")
  assertKnownKeys(query, QUERY, UNKNOWN)
  const storage = storageOf(site.parts, site.application)
  const agentId = site.parts.options.id
  const page = await storage.runs.list({ ...query, agentId, status: 'suspended' })
  const tasks = site.application.background ? await suspendedTasks(storage, agentId, query) : NO_TASKS
  const runs = await Promise.all(page.items.map((facts) => suspendedRun(storage, facts, tasks.get(facts.runId))))
  const { extra, total } = await runsOfTasks(storage, tasks, page.next === undefined)
  return {
    runs: [...runs, ...extra],
    total: page.total + total,
    ...(page.next === undefined ? {} : { next: page.next }),
  }
}

type TasksByRun = ReadonlyMap<string, readonly TaskFacts[]>

const NO_TASKS: TasksByRun = new Map()

/** Background tasks that wait for a person, by the run that began them. */
async function suspendedTasks(
  storage: Storage,
  agentId: string,
  { threadId, resourceId }: SuspendedRunsQuery,
): Promise<TasksByRun> {
  const all = new Map<string, TaskFacts[]>()
  let cursor: string | undefined
  do {
    const filter = { agentId, threadId, resourceId, cursor }
    const page = await storage.tasks.list({ ...(defined(filter) as TaskQuery), status: 'suspended' })
    for (const task of page.items) all.set(task.rootRunId, [...(all.get(task.rootRunId) ?? []), task])
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

/** Runs that do not wait themselves: they have ended, or go on, and a task of them waits. They stand on the last page. */
async function runsOfTasks(
  storage: Storage,
  tasks: TasksByRun,
  isLastPage: boolean,
): Promise<{ extra: SuspendedRun[]; total: number }> {
  const extra: SuspendedRun[] = []
  let total = 0
  for (const [runId, [first, ...others]] of tasks) {
    if (!first || (await isSuspended(storage, runId))) continue
    total += 1
    const { agentId, threadId, resourceId, createdAt } = first
    const facts = { runId, agentId, ...defined({ threadId, resourceId }), updatedAt: createdAt }
    if (isLastPage) extra.push(await suspendedRun(storage, facts, [first, ...others]))
  }
  return { extra, total }
}

async function isSuspended(storage: Storage, runId: string): Promise<boolean> {
  try {
    return (await storage.runs.get(runId)).status === 'suspended'
  } catch (thrown) {
    if (isRetinueError(thrown, 'run-not-found')) return false
    throw thrown
  }
}

async function suspendedRun(
  storage: Storage,
  {
    runId,
    agentId,
    threadId,
    resourceId,
    updatedAt,
  }: Pick<RunFacts, 'runId' | 'agentId' | 'threadId' | 'resourceId' | 'updatedAt'>,
  tasks: readonly TaskFacts[] = [],
): Promise<SuspendedRun> {
  const { items } = await storage.approvals.list({ runId, status: 'pending', limit: 1000 })
  return {
    runId,
    path: [agentId],
    ...(threadId === undefined ? {} : { threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
    suspendedAt: updatedAt,
    toolCalls: [...items.map(pendingToolCall), ...(await askedByTasks(storage, tasks))],
  }
}

const APPROVALS: Readonly<Record<Exclude<keyof ApprovalQuery, 'agentId'>, true>> = {
  runId: true,
  status: true,
  threadId: true,
  resourceId: true,
  limit: true,
  cursor: true,
}

const STATUSES: Readonly<Record<ApprovalStatus, true>> = {
  pending: true,
  approved: true,
  declined: true,
  started: true,
  done: true,
  unknown: true,
  cancelled: true,
  void: true,
}

/** Who was asked what by the runs of an agent, and decided how, in the order in which they were asked. */
export function listApprovals(
  { parts, application }: Site,
  query: Omit<ApprovalQuery, 'agentId'>,
): Promise<Page<Approval>> {
  if (!isObject(query)) throw optionInvalid('What is listed is said in an object.', "listApprovals({ runId: 'run' })")
  assertKnownKeys(query, APPROVALS, UNKNOWN)
  if (query.status !== undefined && !Object.hasOwn(STATUSES, query.status))
    throw optionInvalid(
      `The status ${JSON.stringify(query.status)} is none.`,
      `It can be ${Object.keys(STATUSES).join(', ')}.`,
    )
  return storageOf(parts, application).approvals.list({ ...query, agentId: parts.options.id })
}

/** Ends a run that waits, or that this process works on, and its background tasks; or one of these, by its own id. */
export async function cancel(site: Site, runId: string): Promise<void> {
  if (typeof runId !== 'string' || runId === '')
    throw optionInvalid('The runId is missing.', "cancelRun('the id of the run')")
  if (!site.application.background) return cancelTree(site, runId)
  let isGone = false
  try {
    // A task's tree is the task's to end.
    if (!(await taskAt(storageOf(site.parts, site.application), runId))) await cancelTree(site, runId)
  } catch (thrown) {
    // It may have ended, and its tasks are all that is left of it.
    if (!isRetinueError(thrown, 'run-not-found')) throw thrown
    isGone = true
  }
  if (!(await cancelTasks(site, runId)) && isGone) throw runNotFound(runId)
}

async function cancelTree({ parts, application }: Site, runId: string): Promise<void> {
  const storage = storageOf(parts, application)
  // What has ended has nothing that could be cancelled.
  if (!(await callOff(storage, runId, CANCELLED, parts.options.id))) throw runNotFound(runId)
}

const CANCELLED = 'the run was cancelled'

/** Ends the background tasks of a run but for those that are detached from it, or the one whose id it is. False if there are none. */
async function cancelTasks({ parts, application }: Site, runId: string): Promise<boolean> {
  const manager = await taskManagerIn(application)
  const storage = storageOf(parts, application)
  const tasks = await Promise.all((await openTasks(storage, runId)).map(({ taskId }) => taskAt(storage, taskId)))
  const own = await taskAt(storage, runId)
  const toEnd = [own, ...tasks.filter((task) => !(task && soundTerms(task)?.detached))]
  let any = false
  for (const task of toEnd)
    if (task?.agentId === parts.options.id && (await manager.cancel(task.taskId, CANCELLED))) any = true
  return any
}
