import type { RequestContextLike } from '../context/request-context.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type { Message } from '../messages/message.ts'

/** Which child a delegation goes to: by its key in `agents`, and by its own id. */
export interface DelegateName {
  readonly key: string
  readonly primitiveId: string
}

/** The names that subagents have, as far as types know them: hooks that compare with another one do not compile. */
export type DelegateNames<A extends Readonly<Record<string, { readonly id: string }>>> = {
  readonly [K in keyof A & string]: { readonly key: K; readonly primitiveId: A[K]['id'] }
}[keyof A & string]

/**
 * What a run says about its delegations. The loop only carries it; `delegation/` reads it. The hooks are written as methods so that an
 * agent whose subagents are known is an `Agent` like any other.
 */
export interface DelegationOptions<N extends DelegateName = DelegateName> {
  /**
   * Called before each delegation, and waited for. It can change what the child is asked, set values on the child's request context,
   * or reject the delegation with `proceed: false`. If it throws, or returns what is no decision, the child does not run and the
   * parent's model reads that the delegation failed (see `hookErrorStrategy`).
   */
  onDelegationStart?(
    context: DelegationStartContext<N>,
  ): DelegationStartDecision | undefined | void | Promise<DelegationStartDecision | undefined | void>
  /**
   * Chooses what of the conversation a child may see. It gets a copy of frozen messages without system messages; an empty list
   * means none. If it throws, or gives anything but a list, the child does not run and the parent's model reads that the
   * delegation failed; under `hookErrorStrategy: 'warn'` the child runs and sees none.
   */
  messageFilter?(context: MessageFilterContext<N>): readonly Message[] | Promise<readonly Message[]>
  /**
   * Called once for each delegation that started and ended, and waited for, before the parent's model reads of it. It can replace
   * what the model reads, add feedback, or stop the parent's run with `bail()`. If it throws, the child's result is kept.
   */
  onDelegationComplete?(
    context: DelegationCompleteContext<N>,
  ): DelegationReview | undefined | void | Promise<DelegationReview | undefined | void>
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
export type DelegationHookContext<N extends DelegateName = DelegateName> = N & DelegationFacts

export interface DelegationFacts {
  readonly primitiveType: 'agent'
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
  /** The parent's thread, and who owns it, where there is one. */
  readonly threadId?: string
  readonly resourceId?: string
  /** The path of the parent's run. */
  readonly path: readonly string[]
}

/** What `onDelegationStart` is told. `prompt` is what the parent's model wrote. */
export type DelegationStartContext<N extends DelegateName = DelegateName> = DelegationHookContext<N> & {
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

/**
 * Chooses what of the conversation a child may see: messages of the context as they are, or its own with role `user` or `assistant`, in
 * AI SDK form. When it is called, and what a throw does: see `DelegationOptions.messageFilter`.
 */
export type MessageFilter = (context: MessageFilterContext) => readonly Message[] | Promise<readonly Message[]>

/** What a message filter is told. `prompt` is what the child will be asked, after the start hook had its say. */
export type MessageFilterContext<N extends DelegateName = DelegateName> = DelegationHookContext<N> & {
  /** What people and agents said, with images and files, oldest first, what was inherited before the rest. Frozen, in a list of its own. */
  readonly messages: readonly Message[]
  /** The child's copy. */
  readonly requestContext: RequestContextLike
}

/** What `onDelegationComplete` is told of a delegation that was started, however it ended. `prompt` is what the child was asked. */
export type DelegationCompleteContext<N extends DelegateName = DelegateName> = DelegationHookContext<N> & {
  /** The whole outcome, as the application gets it. Frozen. */
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

/** What a complete hook says of a result. A field that is left out changes nothing; one that is not known is the hook's error. */
export interface DelegationReview {
  /** Put into the conversation before the parent's next model call. */
  feedback?: string
  /** What the parent's model reads in place of the child's text. It changes no status. */
  resultText?: string
}
