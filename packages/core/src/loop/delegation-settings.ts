import type { RequestContextLike } from '../context/request-context.ts'
import type { Message } from '../messages/message.ts'

/** What a run says about its delegations. The loop only carries it; `delegation/` reads it. */
export interface DelegationOptions {
  /**
   * Chooses what of the conversation a child may see. It gets a copy of frozen messages without system messages; an empty list
   * means none. If it throws, or gives anything but a list, the child does not run and the parent's model reads that the
   * delegation failed.
   */
  messageFilter?: MessageFilter
  /** `'none'`: children see the delegation prompt and nothing of the conversation. */
  context?: 'none'
  /** The parent's model reads the whole outcome as JSON instead of the answer's text. Default: false. */
  includeSubAgentToolResultsInModelContext?: boolean
}

export type MessageFilter = (context: MessageFilterContext) => readonly Message[] | Promise<readonly Message[]>

export interface MessageFilterContext {
  readonly messages: readonly Message[]
  /** The child's id. */
  readonly primitiveId: string
  readonly primitiveType: 'agent'
  /** The child's key in `agents`. */
  readonly key: string
  readonly prompt: string
  /** The parent loop's iteration, from 1. */
  readonly iteration: number
  readonly runId: string
  readonly toolCallId: string
  readonly parentAgentId: string
  /** The path of the parent's run. */
  readonly path: readonly string[]
  readonly requestContext: RequestContextLike
}
