import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { GeneratedFile, Source } from './chunk.ts'
import type { FinishReason } from './finish-reason.ts'
import type { ToolResultRecord } from './tool-record.ts'
import type { Usage } from './usage.ts'

/** How a delegation ended. Only `completed` is a success. */
export type DelegationStatus =
  | 'completed'
  | 'partial'
  | 'failed'
  | 'rejected'
  | 'cancelled'
  | 'timed-out'
  | 'over-budget'

/** The outcome of a delegation: what the application gets, whole, whatever the parent's model reads. */
export interface DelegationEnvelope {
  readonly status: DelegationStatus
  readonly text: string
  /** The answer, where the child has an `outputSchema` and it fits. */
  readonly object?: unknown
  /** What went wrong. `cause` is the raw error where there is one; it is not enumerable, so that no JSON holds it. */
  readonly error?: ErrorInfo & { readonly cause?: unknown }
  readonly finishReason: FinishReason
  /** The child's own model calls. */
  readonly usage: Usage
  /** The child's, and those of everything that it delegated to. */
  readonly totalUsage: Usage
  readonly sources: readonly Source[]
  readonly files: readonly GeneratedFile[]
  /** The delegation's own thread, where the child keeps its prompt and its answer if it has a memory. */
  readonly subAgentThreadId: string
  readonly subAgentResourceId: string
  /** What the child's tools gave. A nested delegation's envelope stands here without its own. */
  readonly subAgentToolResults: readonly ToolResultRecord[]
  /** The id by which later delegations can be handed the result, where `enableResultReferences` is on and it is completed. */
  readonly ref?: string
  /** Errors of the hooks and the filter of this delegation. */
  readonly hookErrors?: readonly (ErrorInfo & { readonly cause?: unknown })[]
}

const BRAND: unique symbol = Symbol.for('retinue.envelope')

export function brandEnvelope(envelope: DelegationEnvelope): DelegationEnvelope {
  // Not enumerable: the envelope is plain JSON for whoever prints or stores it.
  return Object.defineProperty(envelope, BRAND, { value: true })
}

export function isEnvelope(value: unknown): value is DelegationEnvelope {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true
}
