import { assertId } from './checks.ts'
import { fits } from './fits.ts'
import type { Page } from './page.ts'
import { sequenceCursor } from './sequence-cursor.ts'
import { assertSharedQuery, newSharedItemRows, type SharedItemRow, sharedItems } from './shared-item-row.ts'
import { taskConflict, taskEnded, taskNotFound } from './storage-errors.ts'
import { assertTaskMessageQuery, newTaskMessageRow, type TaskMessageRow, taskMessage } from './task-message-row.ts'
import {
  allTaskFacts,
  assertTaskClaim,
  assertTaskDelivery,
  checkedTaskQuery,
  newTaskRow,
  storedTask,
  storedTasks,
  type TaskFilter,
  type TaskRow,
  taskMove,
} from './task-row.ts'
import type {
  NewTask,
  NewTaskMessage,
  SharedItems,
  SharedQuery,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskDelivery,
  TaskFacts,
  TaskMessage,
  TaskMessageQuery,
  TaskQuery,
  TaskStorage,
} from './tasks.ts'
import type { Value } from './values.ts'

/** A task as it lies in the memory of the process. */
interface KeptTask {
  row: TaskRow
  claim: { readonly by: string; readonly until: number } | undefined
  readonly messages: TaskMessageRow[]
}

const PENDING = {
  status: 'pending',
  attempts: 0,
  startedAt: null,
  endedAt: null,
  deliveredAt: null,
  error: null,
  claims: 0,
  outcome: null,
} as const

/** The tasks of `InMemoryStorage`. No call waits between its checks and its writes, so each is a transaction. */
export class InMemoryTasks implements TaskStorage {
  readonly #assertOpen: () => void
  readonly #tasks = new Map<string, KeptTask>()
  /** By id, then by position. */
  readonly #lists = new Map<string, Map<number, SharedItemRow>>()
  #sequence = 0

  constructor(assertOpen: () => void) {
    this.#assertOpen = assertOpen
  }

  async create(task: NewTask): Promise<void> {
    this.#assertOpen()
    const row = newTaskRow(task)
    if (this.#tasks.has(row.taskId)) throw taskConflict(row.taskId)
    const kept = { ...row, ...PENDING, sequence: ++this.#sequence }
    this.#tasks.set(row.taskId, { row: kept, claim: undefined, messages: [] })
  }

  async get(taskId: string): Promise<StoredTask> {
    this.#assertOpen()
    assertId(taskId, 'taskId')
    return storedTask(this.#found(taskId).row)
  }

  async list(query: TaskQuery): Promise<Page<TaskFacts>> {
    this.#assertOpen()
    const { filter, after, limit } = checkedTaskQuery(query)
    const rows: TaskRow[] = []
    // The map has them in the order in which they were made.
    for (const { row } of this.#tasks.values()) {
      if (row.sequence > after && isOf(row, filter)) rows.push(row)
      if (rows.length > limit) break
    }
    const page = allTaskFacts(rows.slice(0, limit))
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: sequenceCursor('t', last.sequence) } : page
  }

  async change(change: TaskChange): Promise<StoredTask | undefined> {
    this.#assertOpen()
    const { taskId, from, to, attempts, startedAt, endedAt, error, outcome } = taskMove(change)
    const task = this.#tasks.get(taskId)
    if (!task || !from.some((status) => status === task.row.status)) return undefined
    const { row } = task
    task.row = {
      ...row,
      status: to,
      attempts: attempts ?? row.attempts,
      startedAt: row.startedAt ?? startedAt,
      endedAt: endedAt ?? row.endedAt,
      error: error ?? row.error,
      outcome: outcome ?? row.outcome,
    }
    return storedTask(task.row)
  }

  async claim(claim: TaskClaim): Promise<readonly StoredTask[]> {
    this.#assertOpen()
    assertTaskClaim(claim)
    const { taskIds, by, until, at } = claim
    const free = this.#those(taskIds).filter(({ row, claim: there }) => {
      const isTaken = there !== undefined && there.by !== by && there.until > at
      return row.endedAt !== null && row.deliveredAt === null && !isTaken
    })
    for (const task of free) {
      task.claim = { by, until }
      task.row = { ...task.row, claims: task.row.claims + 1 }
    }
    return storedTasks(
      free.map(({ row }) => row),
      taskIds,
    )
  }

  async deliver(delivery: TaskDelivery): Promise<void> {
    this.#assertOpen()
    assertTaskDelivery(delivery)
    for (const task of this.#those(delivery.taskIds)) {
      const { row, claim } = task
      if (claim?.by === delivery.by && row.deliveredAt === null) task.row = { ...row, deliveredAt: delivery.at }
    }
  }

  async remove(taskId: string): Promise<void> {
    this.#assertOpen()
    assertId(taskId, 'taskId')
    this.#tasks.delete(taskId)
  }

  async send(message: NewTaskMessage): Promise<number> {
    this.#assertOpen()
    const sent = newTaskMessageRow(message)
    const { row, messages } = this.#found(sent.taskId)
    if (row.endedAt !== null) throw taskEnded(sent.taskId)
    return messages.push({ ...sent, sequence: messages.length + 1 })
  }

  async messages(query: TaskMessageQuery): Promise<readonly TaskMessage[]> {
    this.#assertOpen()
    assertTaskMessageQuery(query)
    return (this.#tasks.get(query.taskId)?.messages ?? []).slice(query.after).map(taskMessage)
  }

  async share(list: SharedItems): Promise<void> {
    this.#assertOpen()
    const rows = newSharedItemRows(list)
    const there = this.#lists.get(list.listId) ?? new Map<number, SharedItemRow>()
    for (const row of rows) if (!there.has(row.position)) there.set(row.position, row)
    if (there.size > 0) this.#lists.set(list.listId, there)
  }

  async shared(query: SharedQuery): Promise<readonly Value[]> {
    this.#assertOpen()
    assertSharedQuery(query)
    const list = this.#lists.get(query.listId) ?? []
    const rows = [...list.values()].sort((one, other) => one.position - other.position)
    return sharedItems(query, rows)
  }

  async unshare(listId: string): Promise<void> {
    this.#assertOpen()
    assertId(listId, 'listId')
    this.#lists.delete(listId)
  }

  /** Deletes the lists whose ids begin so. */
  unshareAll(prefix: string): void {
    for (const listId of this.#lists.keys()) if (listId.startsWith(prefix)) this.#lists.delete(listId)
  }

  /** A thread was deleted: `owners` are its owner, and what the owner is called. */
  forget(threadId: string, owners: readonly string[]): void {
    for (const [taskId, { row }] of this.#tasks)
      if (row.threadId === threadId && row.resourceId !== null && owners.includes(row.resourceId))
        this.#tasks.delete(taskId)
  }

  #found(taskId: string): KeptTask {
    const task = this.#tasks.get(taskId)
    if (!task) throw taskNotFound(taskId)
    return task
  }

  /** Each once. */
  #those(taskIds: readonly string[]): KeptTask[] {
    return [...new Set(taskIds)].flatMap((taskId) => this.#tasks.get(taskId) ?? [])
  }
}

function isOf(row: TaskRow, { statuses, undelivered, ...filter }: TaskFilter): boolean {
  if (statuses && !statuses.some((status) => status === row.status)) return false
  const isUndelivered = row.tells === 'thread' && row.endedAt !== null && row.deliveredAt === null
  return (!undelivered || isUndelivered) && fits(row, filter)
}
