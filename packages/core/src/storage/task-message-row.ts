import { assertCount, assertId, assertText, assertTime } from './checks.ts'
import { encodeValue } from './encode-value.ts'
import { decodedText, readRow } from './read-row.ts'
import type { NewTaskMessage, TaskMessage, TaskMessageQuery } from './tasks.ts'

/** Something that was said to a task, as stores keep it: its text as JSON. */
export interface TaskMessageRow {
  readonly taskId: string
  readonly sequence: number
  readonly text: string
  readonly at: number
}

/** A message before the store has given it a place. */
export type NewTaskMessageRow = Omit<TaskMessageRow, 'sequence'>

/** The message as a row, or an error that names what can't be stored. */
export function newTaskMessageRow({ taskId, text, at }: NewTaskMessage): NewTaskMessageRow {
  assertId(taskId, 'taskId')
  assertText(text, 'text')
  assertTime(at, 'at')
  return { taskId, text: encodeValue(text, 'text'), at }
}

export function assertTaskMessageQuery({ taskId, after }: TaskMessageQuery): void {
  assertId(taskId, 'taskId')
  assertCount(after, 'after', 0)
}

/** The message of a row; `storage-row-unreadable` if the row is damaged. */
export function taskMessage({ taskId, sequence, text, at }: TaskMessageRow): TaskMessage {
  return readRow(`${taskId}/${sequence}`, () => ({ sequence, text: decodedText(text), at }))
}
