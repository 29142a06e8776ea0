import type { RetinueError } from '../errors/retinue-error.ts'
import type { TaskTerms } from '../loop/run-tasks.ts'
import { isObject } from '../shared/records.ts'
import { rowUnreadable } from '../storage/storage-errors.ts'
import type { StoredTask } from '../storage/tasks.ts'
import type { Value } from '../storage/values.ts'
import type { InheritedPart } from './inherited.ts'

/** How a task is run, as it is stored with it. */
export interface StoredTerms {
  /** In milliseconds, of one attempt. */
  readonly timeoutMs?: number
  readonly maxRetries: number
  readonly detached: boolean
  readonly ask?: 'parent' | 'person'
  /** What its subagent was handed, where that stands in a list. */
  readonly inherits?: InheritedPart
  /** The agent that does the work, of which only so many work at a time. */
  readonly worker: string
  /** Whether it is a plain tool: no model works on it that could be told anything. */
  readonly isTool?: true
}

/** `worker`: the agent that does the work. `isTool`: whether it is a plain tool. */
export function storedTermsOf(
  { timeoutMs, maxRetries, detached, ask }: TaskTerms,
  { worker, isTool }: { readonly worker: string; readonly isTool: boolean },
): StoredTerms {
  return {
    ...(isTool ? { isTool } : {}),
    maxRetries,
    detached,
    worker,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(ask === undefined ? {} : { ask }),
  }
}

/** The terms as a store keeps them. */
export function packTerms(terms: StoredTerms): Value {
  return { ...terms } as unknown as Value
}

/** The terms of a stored task; `storage-row-unreadable` if something damaged them. */
export function termsOf(task: Pick<StoredTask, 'taskId' | 'terms'>): StoredTerms {
  const terms = soundTerms(task)
  if (!terms) throw termsDamaged(task)
  return terms
}

/** The terms of a stored task, or undefined if something damaged them. */
export function soundTerms({ terms }: Pick<StoredTask, 'terms'>): StoredTerms | undefined {
  return isTerms(terms) ? terms : undefined
}

export function termsDamaged({ taskId }: Pick<StoredTask, 'taskId'>): RetinueError {
  return rowUnreadable(taskId, 'its terms are none of a background task')
}

function isTerms(terms: unknown): terms is StoredTerms & Value {
  if (!isObject(terms)) return false
  const { timeoutMs, maxRetries, detached, ask, inherits, worker, isTool } = terms
  return (
    (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) &&
    isCount(maxRetries) &&
    typeof detached === 'boolean' &&
    (ask === undefined || ask === 'parent' || ask === 'person') &&
    (inherits === undefined || isPart(inherits)) &&
    typeof worker === 'string' &&
    (isTool === undefined || isTool === true)
  )
}

function isPart(part: unknown): part is InheritedPart {
  return isObject(part) && typeof part['listId'] === 'string' && isCount(part['from']) && isCount(part['count'])
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
