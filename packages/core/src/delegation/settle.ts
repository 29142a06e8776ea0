import { errorInfo, isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { noUsage } from '../events/usage.ts'
import type { ToolResultRecord } from '../loop/run-state.ts'
import { withoutSecrets } from '../model/model-error.ts'
import { assertNever } from '../shared/assert-never.ts'
import { isObject } from '../shared/records.ts'
import type { DelegatedResult } from './delegate-target.ts'
import { brandEnvelope, type DelegationEnvelope, type DelegationStatus, isEnvelope } from './envelope.ts'

/** The envelope of a child's result: an honest status, and nothing of a nested child's insides. */
export function settle(result: DelegatedResult, subAgentThreadId: string): DelegationEnvelope {
  const status = statusOf(result)
  const { text, object, error, finishReason, usage, totalUsage, sources = [], files = [], toolResults = [] } = result
  return brandEnvelope({
    status,
    text,
    ...(object === undefined ? {} : { object }),
    ...(error ? { error: errorInfo(error) } : {}),
    finishReason,
    usage,
    totalUsage,
    sources,
    files,
    subAgentThreadId,
    subAgentToolResults: toolResults.map(withoutNested),
  })
}

function statusOf({ finishReason, text, object, error }: DelegatedResult): DelegationStatus {
  switch (finishReason) {
    case 'stop':
      return error || (text.trim() === '' && object === undefined) ? 'failed' : 'completed'
    case 'length':
    case 'max-steps':
      return 'partial'
    case 'aborted':
      return 'cancelled'
    case 'error':
    case 'other':
    case 'content-filter':
    case 'tool-calls':
      return 'failed'
    default:
      return assertNever(finishReason, 'finish reason')
  }
}

function withoutNested(record: ToolResultRecord): ToolResultRecord {
  if (!isEnvelope(record.result)) return record
  return { ...record, result: brandEnvelope({ ...record.result, subAgentToolResults: [] }) }
}

/** The result of a child that threw, or gave something that is no result. */
export function failedResult(thrown: unknown, key: string): DelegatedResult {
  const error = isRetinueError(thrown)
    ? thrown
    : new RetinueError({
        code: 'delegation-failed',
        message: `"${key}" failed: ${withoutSecrets(thrownMessage(thrown))}`,
        hint: 'The cause of this error has its stack.',
        cause: thrown,
      })
  return { text: '', finishReason: 'error', usage: noUsage(), totalUsage: noUsage(), error }
}

const FINISH_REASONS: ReadonlySet<unknown> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'max-steps',
  'aborted',
  'error',
  'other',
])

/** A result of code that is not ours, made whole: what is missing is empty, what is no result is a failure. */
export function checkedResult(result: unknown, key: string): DelegatedResult {
  if (!isObject(result) || typeof result['text'] !== 'string' || !FINISH_REASONS.has(result['finishReason'])) {
    return failedResult(new TypeError('it gave no { text, finishReason, … }'), key)
  }
  const usage = isObject(result['usage']) ? result['usage'] : {}
  const totalUsage = isObject(result['totalUsage']) ? result['totalUsage'] : usage
  return {
    ...(result as unknown as DelegatedResult),
    usage: { ...noUsage(), ...usage },
    totalUsage: { ...noUsage(), ...totalUsage },
  }
}

export function cancelledResult(): DelegatedResult {
  return { text: '', finishReason: 'aborted', usage: noUsage(), totalUsage: noUsage() }
}
