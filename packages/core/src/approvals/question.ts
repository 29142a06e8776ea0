/** What a call waits for: a question to a person. */
export interface Question {
  /** How often the call was asked about, this time included. */
  readonly round: number
  /** `approval`: whether it may start. `suspension`: what it wants to know. */
  readonly kind: 'approval' | 'suspension'
  /** Of the arguments and of the tool; see `fingerprint`. */
  readonly fingerprint: string
  /** What a suspended call wants to know. */
  readonly payload?: unknown
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
}

/** A question as people are shown it: in results and in lists of what waits. */
export interface PendingToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
  /** The root agent's id, then the keys that lead to the agent that made the call. */
  readonly path: readonly string[]
  /** Whether it may start is asked; else the tool itself was suspended, and wants an answer. */
  readonly requiresApproval: boolean
  /** What a suspended tool wants to know. */
  readonly suspendPayload?: unknown
  /** When it counts as declined, in milliseconds since 1970. */
  readonly expiresAt?: number
}
