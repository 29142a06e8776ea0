import type { RequestContextLike } from '../context/request-context.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type { Message } from '../messages/message.ts'

/** What a run says about its delegations. The loop only carries it; `delegation/` reads it. */
export interface DelegationOptions {
  /**
   * Called before each delegation, and waited for. It can change what the child is asked, set values on the child's request context,
   * or reject the delegation with `proceed: false`. If it throws, or returns what is no decision, the child does not run and the
   * parent's model reads that the delegation failed (see `hookErrorStrategy`).
   */
  onDelegationStart?: (
    context: DelegationStartContext,
  ) => DelegationStartDecision | undefined | void | Promise<DelegationStartDecision | undefined | void>
  /**
   * Chooses what of the conversation a child may see. It gets a copy of frozen messages without system messages; an empty list
   * means none. If it throws, or gives anything but a list, the child does not run and the parent's model reads that the
   * delegation failed; under `hookErrorStrategy: 'warn'` the child runs and sees none.
   */
  messageFilter?: MessageFilter
  /**
   * Called once for each delegation that started and ended, and waited for, before the parent's model reads of it. It can replace
   * what the model reads, add feedback, or stop the parent's run with `bail()`. If it throws, the child's result is kept.
   */
  onDelegationComplete?: (
    context: DelegationCompleteContext,
  ) => DelegationReview | undefined | void | Promise<DelegationReview | undefined | void>
  /** `'none'`: children see the delegation prompt and nothing of the conversation. */
  context?: 'none'
  /** The parent's model reads the whole outcome as JSON instead of the answer's text. Default: false. */
  includeSubAgentToolResultsInModelContext?: boolean
  /**
   * Each completed result gets an id (`researcher-1`) that the parent's model reads, and later delegations can name ids in
   * `contextFromRefs`: the child is handed those results word for word, as data. Default: false.
   */
  enableResultReferences?: boolean
  /**
   * What a hook that throws does. `'throw'`: a start hook or filter keeps the child from running, a complete hook is reported as an
   * `error` chunk. `'warn'`: the run goes on as if the hook had returned nothing. Default: 'throw'.
   */
  hookErrorStrategy?: 'throw' | 'warn'
}

/** What every hook of a delegation is told. */
export interface DelegationHookContext {
  /** The child's id. */
  readonly primitiveId: string
  readonly primitiveType: 'agent'
  /** The child's key in `agents`. */
  readonly key: string
  readonly prompt: string
  /** The arguments, where the child declares an `inputSchema`. */
  readonly input?: unknown
  /** The ids of earlier results that the child is handed, where the parent's model named any. */
  readonly contextFromRefs?: readonly string[]
  /** The parent loop's iteration, from 1. */
  readonly iteration: number
  readonly runId: string
  readonly toolCallId: string
  readonly parentAgentId: string
  /** The path of the parent's run. */
  readonly path: readonly string[]
}

export interface DelegationStartContext extends DelegationHookContext {
  /** The child's copy: what is set here is seen by the child alone. */
  readonly requestContext: RequestContextLike
}

/** What a start hook decides. Only `proceed: false` rejects. */
export interface DelegationStartDecision {
  proceed?: boolean
  /** Told to the parent's model. */
  rejectionReason?: string
  modifiedPrompt?: string
  /** Replace the child's instructions for this run. */
  modifiedInstructions?: string
  /** Bound on the child's iterations: a whole number of 1 or more. */
  modifiedMaxSteps?: number
}

export type MessageFilter = (context: MessageFilterContext) => readonly Message[] | Promise<readonly Message[]>

export interface MessageFilterContext extends DelegationHookContext {
  readonly messages: readonly Message[]
  readonly requestContext: RequestContextLike
}

export interface DelegationCompleteContext extends DelegationHookContext {
  readonly result: DelegationEnvelope
  /** True only for a result whose status is `completed`. */
  readonly success: boolean
  /** Why the delegation failed or was cancelled. */
  readonly error: RetinueError | undefined
  /** The child's own conversation, from the prompt on. */
  readonly messages: readonly Message[]
  /** From the child's start to its end, in milliseconds. */
  readonly durationMs: number
  /** Stops the parent's run: its answer is this delegation's, and its other delegations are cancelled. */
  bail(): void
}

export interface DelegationReview {
  /** Put into the conversation before the parent's next model call. */
  feedback?: string
  /** What the parent's model reads in place of the child's text. It changes no status. */
  resultText?: string
}
