import { type ErrorInfo, errorInfo, isRetinueError, RetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { brandEnvelope, type DelegationEnvelope, type DelegationStatus, isEnvelope } from '../events/envelope.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import { noUsage } from '../events/usage.ts'
import type { ThreadIds } from '../memory/kept-conversation.ts'
import { assertNever } from '../shared/assert-never.ts'
import type { DelegatedResult } from './delegate-target.ts'

/** The envelope of a child's result: an honest status, and nothing of a nested child's insides. */
export function settle(result: DelegatedResult, { threadId, resourceId }: ThreadIds): DelegationEnvelope {
  const status = statusOf(result)
  const { text, object, error, finishReason, usage, totalUsage, sources = [], files = [], toolResults = [] } = result
  return brandEnvelope({
    status,
    text,
    ...(object === undefined ? {} : { object }),
    ...(error ? { error: errorOf(error) } : {}),
    finishReason,
    usage,
    totalUsage,
    sources,
    files,
    subAgentThreadId: threadId,
    subAgentResourceId: resourceId,
    subAgentToolResults: toolResults.map(withoutNested),
  })
}

function statusOf(result: DelegatedResult): DelegationStatus {
  const { finishReason, error } = result
  switch (finishReason) {
    case 'stop':
    // Who bails out ends with the text of the delegation that was enough.
    case 'bailed':
      return error || isEmpty(result) ? 'failed' : 'completed'
    case 'length':
    case 'max-steps':
    case 'incomplete':
      return 'partial'
    case 'over-budget':
      return 'over-budget'
    case 'aborted':
      return error?.code === 'run-timed-out' ? 'timed-out' : 'cancelled'
    case 'error':
    case 'other':
    case 'content-filter':
    case 'tool-calls':
    // Nobody but an agent of this package can be gone on with.
    case 'suspended':
      return 'failed'
    default:
      return assertNever(finishReason, 'finish reason')
  }
}

/** Whether there is nothing to show for the work: a picture is an answer too. */
function isEmpty({ text, object, files }: DelegatedResult): boolean {
  return text.trim() === '' && object === undefined && !files?.length
}

function withoutNested(record: ToolResultRecord): ToolResultRecord {
  if (!isEnvelope(record.result)) return record
  return { ...record, result: brandEnvelope({ ...record.result, subAgentToolResults: [] }) }
}

/** The envelope of a delegation that a start hook rejected: its child never ran. */
export function rejectedEnvelope(reason: string | undefined, thread: ThreadIds): DelegationEnvelope {
  const message = reason?.trim() ? reason : 'The application rejected this delegation.'
  const error = new RetinueError({ code: 'delegation-rejected', message })
  const result: DelegatedResult = { text: '', finishReason: 'other', usage: noUsage(), totalUsage: noUsage(), error }
  return brandEnvelope({ ...settle(result, thread), status: 'rejected' })
}

/** An error for the application. Its `cause` is not enumerable: whoever prints or stores the envelope leaves it out. */
export function errorOf(error: RetinueError): ErrorInfo & { readonly cause?: unknown } {
  const info = errorInfo(error)
  return error.cause === undefined ? info : Object.defineProperty(info, 'cause', { value: error.cause })
}

/** The result of a child that threw, or gave something that is no result. */
export function failedResult(thrown: unknown, key: string): DelegatedResult {
  const error = failureOf(thrown, key)
  return { text: '', finishReason: 'error', usage: noUsage(), totalUsage: noUsage(), error }
}

/** Whatever made a child fail, as a typed error: its words without keys, the thing itself as `cause`. */
export function failureOf(thrown: unknown, key: string): RetinueError {
  if (isRetinueError(thrown)) return thrown
  return new RetinueError({
    code: 'delegation-failed',
    message: `"${key}" failed: ${withoutSecrets(thrownMessage(thrown))}`,
    hint: 'The cause of this error tells more.',
    cause: thrown,
  })
}

export function cancelledResult(): DelegatedResult {
  return { text: '', finishReason: 'aborted', usage: noUsage(), totalUsage: noUsage() }
}
