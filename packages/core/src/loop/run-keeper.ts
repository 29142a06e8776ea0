import type { Question } from '../approvals/question.ts'
import type { RetinueError } from '../errors/retinue-error.ts'
import type { Approval } from '../storage/approvals.ts'
import type { PendingCall } from './pending-call.ts'
import type { CallRef, Run } from './run.ts'

/** The call that a question is about. */
export interface AskedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly path: readonly string[]
}

/** A call with where in the tree it was made. */
export function placed({ state }: Run, { toolCallId, toolName }: CallRef): AskedCall {
  return { toolCallId, toolName, path: state.path }
}

/**
 * The port to where a tree of runs is kept while it waits, and through a crash. The loop says when something has to be written down, and
 * not how: in one process that is a row in a store, under an engine it is a step of a workflow.
 */
export interface RunKeeper {
  /** Whether each finished call is written down, and not only where the tree waits for a person. */
  readonly isDurable: boolean
  /** What the ledger says of a question that was there when this process began to work on the tree. */
  standing(toolCallId: string): Approval | undefined
  /** Says that the body of a decided call starts now. Rejects if it must not: somebody else started it, or took the tree over. */
  start(call: AskedCall, question: Question): Promise<void>
  /** Takes down a move that is written with the next save. */
  move(
    call: AskedCall,
    question: Question,
    to: 'done' | 'unknown' | 'void' | 'cancelled' | 'declined',
    reason?: string,
  ): void
  /** The tree goes on from here: a decision on it is written. `decided`: what stands in the ledger since. */
  goOn(decided: Approval | undefined): void
  /** Lets other processes know of a question at once, where the tree does not stop yet: what they decide waits until it does. */
  announce(call: PendingCall): Promise<void>
  /** Writes the tree down as it stands. Rejects if somebody else has taken it over. */
  save(): Promise<void>
  /** Writes down that the tree waits, and lets it go: it can be decided on. */
  suspend(): Promise<void>
  /** Writes down how the tree ended, or forgets it where nobody asked to keep it. It does not reject: see `failure`. */
  end(): Promise<void>
  /** Why the tree can't be kept any more: it then ends with this error, since what was promised does not hold. */
  readonly failure: RetinueError | undefined
  /** When a question that is asked now counts as declined; undefined if it waits for ever. `ownTimeoutMs`: of the run that asks. */
  expiry(ownTimeoutMs: number | undefined): number | undefined
  /** The number of the next question about a call. `known`: the last one, if it was asked about. */
  nextRound(toolCallId: string, known: Question | undefined): number
}
