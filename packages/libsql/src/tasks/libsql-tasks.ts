import type { InStatement, Row } from '@libsql/client'
import {
  allTaskFacts,
  assertId,
  assertSharedQuery,
  assertTaskClaim,
  assertTaskDelivery,
  assertTaskMessageQuery,
  checkedTaskQuery,
  type NewTask,
  type NewTaskMessage,
  newSharedItemRows,
  newTaskMessageRow,
  newTaskRow,
  type Page,
  type SharedItems,
  type SharedQuery,
  type StoredTask,
  sequenceCursor,
  sharedItems,
  storedTask,
  storedTasks,
  type TaskChange,
  type TaskClaim,
  type TaskDelivery,
  type TaskFacts,
  type TaskMessage,
  type TaskMessageQuery,
  type TaskQuery,
  type TaskStorage,
  taskConflict,
  taskEnded,
  taskMessage,
  taskMove,
  taskNotFound,
  type Value,
} from '@retinue/core/storage'
import type { Database } from '../database/database.ts'
import { sharedItemOf, taskFactsOf, taskMessageOf, taskOf } from './rows.ts'
import { deleteSharedItems, insertSharedItems, listSharedItems } from './shared-item-statements.ts'
import {
  claimTasks,
  deleteTask,
  deliverTasks,
  dropClaims,
  findTask,
  getTask,
  insertTask,
  insertTaskMessage,
  listTaskMessages,
  listTasks,
  moveTask,
} from './task-statements.ts'

/** Background tasks in a database: a row each. A move is one statement, and so is a claim: of two one finds the other made. */
export class LibSQLTasks implements TaskStorage {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async create(task: NewTask): Promise<void> {
    const [row] = await this.#write(insertTask(newTaskRow(task)))
    if (!row) throw taskConflict(task.taskId)
  }

  async get(taskId: string): Promise<StoredTask> {
    assertId(taskId, 'taskId')
    const [row] = await this.#database.read(getTask(taskId))
    if (!row) throw taskNotFound(taskId)
    return storedTask(taskOf(row))
  }

  async list(query: TaskQuery): Promise<Page<TaskFacts>> {
    const { filter, after, limit } = checkedTaskQuery(query)
    const rows = (await this.#database.read(listTasks(filter, after, limit))).map(taskFactsOf)
    const page = allTaskFacts(rows.slice(0, limit))
    const last = rows[limit - 1]
    return rows.length > limit && last ? { ...page, next: sequenceCursor('t', last.sequence) } : page
  }

  async change(change: TaskChange): Promise<StoredTask | undefined> {
    const [row] = await this.#write(moveTask(taskMove(change)))
    return row && storedTask(taskOf(row))
  }

  async claim(claim: TaskClaim): Promise<readonly StoredTask[]> {
    assertTaskClaim(claim)
    const rows = (await this.#write(claimTasks(claim))).map(taskOf)
    try {
      return storedTasks(rows, claim.taskIds)
    } catch (error) {
      // Who can't read them tells nobody of them.
      await this.#write(dropClaims(claim))
      throw error
    }
  }

  async deliver(delivery: TaskDelivery): Promise<void> {
    assertTaskDelivery(delivery)
    await this.#write(deliverTasks(delivery))
  }

  async remove(taskId: string): Promise<void> {
    assertId(taskId, 'taskId')
    await this.#write(deleteTask(taskId))
  }

  async send(message: NewTaskMessage): Promise<number> {
    const [row] = await this.#write(insertTaskMessage(newTaskMessageRow(message)))
    if (row) return Number(row['sequence'])
    const { taskId } = message
    const [there] = await this.#database.read(findTask(taskId))
    throw there ? taskEnded(taskId) : taskNotFound(taskId)
  }

  async messages(query: TaskMessageQuery): Promise<readonly TaskMessage[]> {
    assertTaskMessageQuery(query)
    const rows = await this.#database.read(listTaskMessages(query))
    return rows.map((row) => taskMessage(taskMessageOf(row)))
  }

  async share(list: SharedItems): Promise<void> {
    await this.#database.write(insertSharedItems(newSharedItemRows(list)))
  }

  async shared(query: SharedQuery): Promise<readonly Value[]> {
    assertSharedQuery(query)
    const rows = await this.#database.read(listSharedItems(query))
    return sharedItems(query, rows.map(sharedItemOf))
  }

  async unshare(listId: string): Promise<void> {
    assertId(listId, 'listId')
    await this.#write(deleteSharedItems(listId))
  }

  async #write(statement: InStatement): Promise<Row[]> {
    const [rows = []] = await this.#database.write([statement])
    return rows
  }
}
