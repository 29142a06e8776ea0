import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { assertCount, assertId, assertOneOf, assertText, assertTime } from './checks.ts'
import { decodeValue, encodeValue } from './encode-value.ts'
import type { PageRequest, UnreadableRow } from './page.ts'
import { readRow, readRows } from './read-row.ts'
import { type CheckedQuery, sequencePosition } from './sequence-cursor.ts'
import { valueRefused } from './storage-errors.ts'
import type {
  EndedTaskStatus,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskDelivery,
  TaskFacts,
  TaskQuery,
  TaskStatus,
} from './tasks.ts'
import { DEFAULT_PAGE } from './thread-cursor.ts'
import type { Value } from './values.ts'

/** The facts of a task as stores keep them: what is looked for as it is, the rest as JSON text. */
export interface TaskFactsRow {
  /** In which place tasks were made, from 1. */
  readonly sequence: number
  readonly taskId: string
  readonly rootRunId: string
  readonly parentTree: string
  readonly parentRunId: string
  readonly tells: string
  readonly agentId: string
  readonly toolCallId: string
  /** The path and the tool's name, as JSON. */
  readonly call: string
  readonly threadId: string | null
  readonly resourceId: string | null
  readonly status: string
  readonly attempts: number
  readonly createdAt: number
  readonly startedAt: number | null
  /** Of a task in a final state, and of no other. */
  readonly endedAt: number | null
  readonly deliveredAt: number | null
  readonly error: string | null
}

/** A task as stores keep it. */
export interface TaskRow extends TaskFactsRow {
  readonly args: string
  readonly terms: string
  readonly claims: number
  readonly outcome: string | null
}

/** A task that is pending, before the store has given it a place. */
export type NewTaskRow = Omit<
  TaskRow,
  'sequence' | 'status' | 'attempts' | 'startedAt' | 'endedAt' | 'deliveredAt' | 'error' | 'claims' | 'outcome'
>

/** What a move writes: `null` leaves what is there. */
export interface TaskMove {
  readonly taskId: string
  readonly from: readonly TaskStatus[]
  readonly to: TaskStatus
  readonly attempts: number | null
  /** Written if nothing is there. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly error: string | null
  readonly outcome: string | null
}

const ENDED: readonly EndedTaskStatus[] = ['completed', 'failed', 'cancelled', 'timed-out']
const STATUSES: readonly TaskStatus[] = ['pending', 'running', 'suspended', ...ENDED]
const TOLD: readonly TaskFacts['tells'][] = ['run', 'thread']

function isEnded(status: TaskStatus): status is EndedTaskStatus {
  return ENDED.some((each) => each === status)
}

/** The task as a row, or an error that names what can't be stored. */
export function newTaskRow({ path, toolName, args, terms, at, ...facts }: NewTask): NewTaskRow {
  const { taskId, rootRunId, parentTree, parentRunId, tells, agentId, toolCallId, threadId, resourceId } = facts
  for (const [name, id] of Object.entries({ taskId, rootRunId, parentTree, parentRunId, agentId, toolCallId }))
    assertId(id, name)
  if (threadId !== undefined) assertId(threadId, 'threadId')
  if (resourceId !== undefined) assertId(resourceId, 'resourceId')
  assertOneOf(tells, TOLD, 'tells')
  if (!Array.isArray(path)) throw valueRefused('path', 'it is no list')
  for (const [index, key] of path.entries()) assertText(key, `path[${index}]`)
  assertText(toolName, 'toolName')
  assertTime(at, 'at')
  return {
    ...{ taskId, rootRunId, parentTree, parentRunId, tells, agentId, toolCallId },
    call: encodeValue({ path, toolName }, 'call'),
    threadId: threadId ?? null,
    resourceId: resourceId ?? null,
    createdAt: at,
    args: encodeValue(args, 'args'),
    terms: encodeValue(terms, 'terms'),
  }
}

/** A move as what it writes, or an error that names what can't be stored, or is no move. */
export function taskMove({ taskId, from, to, attempts, outcome, error, at }: TaskChange): TaskMove {
  assertId(taskId, 'taskId')
  for (const status of from) assertOneOf(status, STATUSES, 'from')
  assertOneOf(to, STATUSES, 'to')
  if (from.some(isEnded)) throw noMove('from', 'names a final state, which never changes again')
  if (!isEnded(to)) {
    if (outcome !== undefined) throw noMove('outcome', `comes only with a final state, and '${to}' is none`)
    if (error !== undefined) throw noMove('error', `comes only with a final state, and '${to}' is none`)
  }
  if (attempts !== undefined) assertCount(attempts, 'attempts', 0)
  assertTime(at, 'at')
  return {
    taskId,
    from,
    to,
    attempts: attempts ?? null,
    startedAt: to === 'running' ? at : null,
    endedAt: isEnded(to) ? at : null,
    error: error === undefined ? null : encodedError(error),
    outcome: outcome === undefined ? null : encodeValue(outcome, 'outcome'),
  }
}

function encodedError({ code, message }: NonNullable<TaskChange['error']>): string {
  assertText(code, 'error.code')
  assertText(message, 'error.message')
  return encodeValue({ code, message }, 'error')
}

function noMove(option: string, reason: string): RetinueError {
  return new RetinueError({
    code: 'option-invalid',
    message: `\`${option}\` ${reason}.`,
    hint: `Final states are ${ENDED.join(', ')}.`,
    data: { option },
  })
}

/** What rows must have; what is undefined is of no account. */
export type TaskFilter = {
  readonly [Name in Exclude<keyof TaskQuery, keyof PageRequest | 'status'>]: TaskQuery[Name] | undefined
} & { readonly statuses: readonly TaskStatus[] | undefined }

/** A query with everything that has a default; throws for one that can't be answered. */
export function checkedTaskQuery({
  cursor,
  limit = DEFAULT_PAGE,
  status,
  ...query
}: TaskQuery): CheckedQuery<TaskFilter> {
  const { rootRunId, parentRunId, agentId, threadId, resourceId, undelivered } = query
  for (const [name, id] of Object.entries({ rootRunId, parentRunId, agentId, threadId, resourceId }))
    if (id !== undefined) assertId(id, name)
  const statuses = status === undefined ? undefined : [status].flat()
  for (const each of statuses ?? []) assertOneOf(each, STATUSES, 'status')
  assertCount(limit, 'limit')
  const filter = { rootRunId, parentRunId, agentId, threadId, resourceId, undelivered: undelivered || undefined }
  return { filter: { ...filter, statuses }, after: sequencePosition('t', cursor), limit }
}

export function assertTaskClaim({ until, ...claim }: TaskClaim): void {
  assertTaskDelivery(claim)
  assertTime(until, 'until')
}

export function assertTaskDelivery({ taskIds, by, at }: TaskDelivery): void {
  for (const [index, taskId] of taskIds.entries()) assertId(taskId, `taskIds[${index}]`)
  assertId(by, 'by')
  assertTime(at, 'at')
}

/** The task of a row; `storage-row-unreadable` if the row is damaged. */
export function storedTask(row: TaskRow): StoredTask {
  return readRow(row.taskId, () => ({
    ...taskFacts(row),
    args: decodeValue(row.args) as Value,
    terms: decodeValue(row.terms) as Value,
    claims: row.claims,
    ...(row.outcome === null ? {} : { outcome: decodeValue(row.outcome) as Value }),
  }))
}

/** The tasks of rows in the order of their ids; `storage-row-unreadable` if one is damaged. */
export function storedTasks(rows: readonly TaskRow[], taskIds: readonly string[]): StoredTask[] {
  const places = new Map(taskIds.toReversed().map((taskId, index) => [taskId, -index]))
  const place = ({ taskId }: TaskRow): number => places.get(taskId) as number
  return rows.toSorted((one, other) => place(one) - place(other)).map(storedTask)
}

export function allTaskFacts(rows: Iterable<TaskFactsRow>): { items: TaskFacts[]; unreadable: UnreadableRow[] } {
  const { whole, damaged } = readRows(rows, taskFacts)
  return { items: whole, unreadable: damaged.map(({ row, reason }) => ({ id: row.taskId, reason })) }
}

/** Throws if the row is damaged. */
function taskFacts(row: TaskFactsRow): TaskFacts {
  const { taskId, rootRunId, parentTree, parentRunId, agentId, toolCallId, attempts, createdAt } = row
  const { threadId, resourceId, startedAt, endedAt, deliveredAt } = row
  const { path, toolName } = callOf(decodeValue(row.call))
  const status = wordOf(row.status, STATUSES, 'status')
  if (isEnded(status) !== (endedAt !== null)) throw new TypeError(`its status '${status}' and its end contradict`)
  return {
    ...{ taskId, rootRunId, parentTree, parentRunId },
    tells: wordOf(row.tells, TOLD, 'reader'),
    ...{ agentId, path, toolName, toolCallId },
    ...(threadId === null ? {} : { threadId }),
    ...(resourceId === null ? {} : { resourceId }),
    ...{ status, attempts, createdAt },
    ...(startedAt === null ? {} : { startedAt }),
    ...(endedAt === null ? {} : { endedAt }),
    ...(row.error === null ? {} : { error: errorOf(decodeValue(row.error)) }),
    ...(deliveredAt === null ? {} : { deliveredAt }),
  }
}

function wordOf<T extends string>(text: string, words: readonly T[], what: string): T {
  const word = words.find((each) => each === text)
  if (word === undefined) throw new TypeError(`'${text}' is no ${what} of a task`)
  return word
}

/** The path decides what runs, so its outline is checked. */
function callOf(value: unknown): Pick<TaskFacts, 'path' | 'toolName'> {
  if (isObject(value) && Array.isArray(value['path'])) {
    const { path, toolName } = value
    const keys: unknown[] = path
    if (typeof toolName === 'string' && keys.every((key) => typeof key === 'string')) return { path: keys, toolName }
  }
  throw new TypeError('what is stored is no call')
}

function errorOf(value: unknown): NonNullable<TaskFacts['error']> {
  const { code, message } = isObject(value) ? value : {}
  if (typeof code !== 'string' || typeof message !== 'string') throw new TypeError('what is stored is no error')
  return { code, message }
}
