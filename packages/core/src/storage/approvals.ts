import type { Page, PageRequest } from './page.ts'
import type { Value } from './values.ts'

/**
 * Where a question to a person stands. `pending`: nobody has decided. `approved`: decided that the call may start (of a suspended
 * call: answered). `started`: its body was started, and nobody has written down how it ended. The others are final. `declined`: it
 * does not start. `done`: it started and ended, and the run has its outcome. `unknown`: it was started and the process died, so
 * nobody knows what it did. `cancelled`: the run ended before it was decided. `void`: the tool changed, so that what was asked is no
 * longer what would run; it is asked for again as the next round.
 */
export type ApprovalStatus = 'pending' | 'approved' | 'declined' | 'started' | 'done' | 'unknown' | 'cancelled' | 'void'

/** Names one question: a call can be asked about several times, one round after the other. */
export interface ApprovalKey {
  /** The root run's id. */
  readonly runId: string
  readonly toolCallId: string
  /** From 1. */
  readonly round: number
}

/** A question that a run puts to a person: whether a call may start, or what a suspended call wants to know. */
export interface ApprovalRequest extends ApprovalKey {
  /** The root agent's id. */
  readonly agentId: string
  /** The root agent's id, then the keys that lead to the agent that made the call. */
  readonly path: readonly string[]
  readonly toolName: string
  readonly kind: 'approval' | 'suspension'
  readonly args: Value
  /** Of the arguments and of the tool (name, schema, version): a decision is good for these alone. */
  readonly fingerprint: string
  /** What a suspended call wants to know. */
  readonly payload?: Value
  readonly threadId?: string
  readonly resourceId?: string
  /** Undecided until then, it counts as declined. */
  readonly expiresAt?: number
}

/** What somebody decided. */
export interface Decision {
  /** Who it was, as the application names people. */
  readonly by?: string
  /** Why it was declined. */
  readonly reason?: string
  /** What the call runs with in place of its arguments. */
  readonly args?: Value
  /** The answer to a suspended call. */
  readonly resumeData?: Value
}

/** A question and what became of it. It is never deleted with its run: it tells later who decided what, and when. */
export interface Approval extends ApprovalRequest {
  readonly status: ApprovalStatus
  readonly requestedAt: number
  readonly decision?: Decision
  /** When it was decided; if nobody has decided, when it was cancelled or made void. */
  readonly decidedAt?: number
  readonly startedAt?: number
  /** When its end, or that nobody knows it, was written down. */
  readonly endedAt?: number
}

/** One move of the state machine: made if the question stands where the mover has seen it, and not at all otherwise. */
export interface ApprovalChange extends ApprovalKey {
  readonly from: readonly ApprovalStatus[]
  readonly to: ApprovalStatus
  /** With `approved` and `declined`. */
  readonly decision?: Decision
  readonly at: number
}

export interface ApprovalQuery extends PageRequest {
  /** One run, or one of several. */
  readonly runId?: string | readonly string[]
  readonly agentId?: string
  readonly status?: ApprovalStatus
  readonly threadId?: string
  readonly resourceId?: string
}

/** The ledger of decisions. Questions are written with the run that waits for them: see `RunSave`. */
export interface ApprovalStorage {
  /** The last round of a call; undefined if it was never asked about. */
  get(key: Omit<ApprovalKey, 'round'>): Promise<Approval | undefined>
  /** Makes a move. Of movers that come at once one wins. Undefined, and nothing written, if the question does not stand at `from`. */
  change(change: ApprovalChange): Promise<Approval | undefined>
  /** In the order in which they were asked. */
  list(query: ApprovalQuery): Promise<Page<Approval>>
}
