import type { ErrorCode } from '../errors/codes.ts'
import { type ErrorInfo, isRetinueError, RetinueError } from '../errors/retinue-error.ts'
import { isEnvelope } from '../events/envelope.ts'
import { PACKED_ENVELOPE } from '../events/packed-envelope.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import { disarm } from '../messages/framework-note.ts'
import type { AbortScope } from '../shared/abort.ts'
import { type PackedJson, packJson, unpackJson } from '../shared/packed-json.ts'
import { isObject } from '../shared/records.ts'
import type { EndedTaskStatus, StoredTask } from '../storage/tasks.ts'
import type { Value } from '../storage/values.ts'
import type { Outcome } from '../tools/outcome.ts'

/** How a task ended. Only what completed is a success: an answer that was cut off, or that came too late, is none. */
export function endedStatus(outcome: Outcome, { aborted, signal }: AbortScope): EndedTaskStatus {
  const status = ownStatus(outcome)
  if (status === 'completed' || !aborted) return status
  return isRetinueError(signal.reason, 'run-timed-out') ? 'timed-out' : 'cancelled'
}

function ownStatus(outcome: Outcome): EndedTaskStatus {
  if (outcome.kind === 'error') return outcome.error.code === 'tool-timed-out' ? 'timed-out' : 'failed'
  if (!isEnvelope(outcome.result)) return 'completed'
  const { status } = outcome.result
  return status === 'completed' || status === 'cancelled' || status === 'timed-out' ? status : 'failed'
}

/** Why a task did not complete; undefined if it did. */
export function errorIn(outcome: Outcome, status: EndedTaskStatus): ErrorInfo | undefined {
  if (status === 'completed') return undefined
  if (outcome.kind === 'error') return outcome.error
  if (!isEnvelope(outcome.result)) return undefined
  const { error, status: own } = outcome.result
  return error
    ? { code: error.code, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
    : { code: 'task-failed', message: `Its delegation ended as ${own}.` }
}

/** What came of a task, and what all its attempts used. */
export interface TaskEnd {
  readonly outcome: Outcome
  readonly usage: Usage
}

/** What came of a task as a store keeps it. */
export function packEnd(end: TaskEnd): Value {
  return packJson(end, [PACKED_ENVELOPE]) as unknown as Value
}

/** How a task ended. One that was called off by somebody who did not work on it has its reason alone; of a damaged one nobody knows. */
export function endOf({ outcome, error }: Pick<StoredTask, 'outcome' | 'error'>): TaskEnd {
  if (outcome === undefined) return withoutOutcome('task-cancelled', error?.message ?? 'it gave none')
  return unpacked(outcome) ?? withoutOutcome('storage-row-unreadable', 'what came of it is damaged')
}

function unpacked(stored: Value): TaskEnd | undefined {
  const packed: unknown = stored
  if (!isObject(packed) || !Array.isArray(packed['texts']) || !Array.isArray(packed['shared'])) return undefined
  const end = unpackJson(packed as unknown as PackedJson, [PACKED_ENVELOPE])
  const { outcome, usage } = isObject(end) ? end : {}
  return isObject(outcome) && isObject(outcome['output']) && isObject(usage) ? (end as unknown as TaskEnd) : undefined
}

function withoutOutcome(code: ErrorCode, why: string): TaskEnd {
  const output = { type: 'error-text', value: disarm(`It has no result: ${why}`) } as const
  return { outcome: { kind: 'error', error: { code, message: why }, output }, usage: noUsage() }
}

/** A task that took longer than it may. */
export function taskTimedOut(toolName: string, timeoutMs: number): RetinueError {
  return new RetinueError({
    code: 'run-timed-out',
    message: `The background task "${toolName}" took longer than ${timeoutMs} ms.`,
    hint: 'Allow more time in `backgroundTasks.tools`, or ask for less at once.',
  })
}
