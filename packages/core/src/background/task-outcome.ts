import { type ErrorInfo, isRetinueError, RetinueError } from '../errors/retinue-error.ts'
import { isEnvelope } from '../events/envelope.ts'
import { PACKED_ENVELOPE } from '../events/packed-envelope.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import type { AbortScope } from '../shared/abort.ts'
import { type PackedJson, packJson, unpackJson } from '../shared/packed-json.ts'
import { isObject } from '../shared/records.ts'
import { rowUnreadable } from '../storage/storage-errors.ts'
import type { EndedTaskStatus } from '../storage/tasks.ts'
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

/** What the work of a task used. */
export function usageOf(outcome: Outcome): Usage {
  return outcome.kind === 'result' && isEnvelope(outcome.result) ? outcome.result.totalUsage : noUsage()
}

/** What came of a task as a store keeps it. */
export function packOutcome(outcome: Outcome): Value {
  return packJson(outcome, [PACKED_ENVELOPE]) as unknown as Value
}

/** Throws `storage-row-unreadable` for what is none. */
export function unpackOutcome(taskId: string, stored: unknown): Outcome {
  const packed = isObject(stored) && Array.isArray(stored['texts']) && Array.isArray(stored['shared'])
  const outcome = packed ? unpackJson(stored as unknown as PackedJson, [PACKED_ENVELOPE]) : undefined
  if (isObject(outcome) && isObject(outcome['output'])) return outcome as unknown as Outcome
  throw rowUnreadable(taskId, 'what came of the task is damaged')
}

/** A task that took longer than it may. */
export function taskTimedOut(toolName: string, timeoutMs: number): RetinueError {
  return new RetinueError({
    code: 'run-timed-out',
    message: `The background task "${toolName}" took longer than ${timeoutMs} ms.`,
    hint: 'Allow more time in `backgroundTasks.tools`, or ask for less at once.',
  })
}
