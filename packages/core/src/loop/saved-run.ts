import type { Question } from '../approvals/question.ts'
import type { SavedContext } from '../context/saved-context.ts'
import type { ErrorInfo } from '../errors/retinue-error.ts'
import type { SavedConversation, ThreadIds } from '../memory/kept-conversation.ts'
import type { Message } from '../messages/message.ts'
import type { Outcome } from '../tools/outcome.ts'
import type { SavedBudget } from './budget.ts'
import type { DelegationHookContext } from './delegation-settings.ts'
import type { Allowed } from './pending-call.ts'
import type { RunState } from './run-state.ts'

/** A run that stopped in the middle, as plain data: with its agent's code it is all that is needed to go on. */
export interface SavedRun {
  readonly state: RunState
  /** What the run was told beside its agent's instructions. */
  readonly given: readonly Message[]
  /** All system messages, where a processor put others in place of them. */
  readonly system?: readonly Message[]
  /** What of its parent's conversation it was handed. */
  readonly inherited: readonly Message[]
  readonly thread?: ThreadIds
  /** How far its conversation is kept in its thread. */
  readonly kept?: SavedConversation
  /** What of its own budget is used, if it has one. */
  readonly budget?: SavedBudget
  /** What its processors keep, by id. */
  readonly processors: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Why a processor stopped it, if one did. */
  readonly stopped?: ErrorInfo
  /** How long it has worked, without the time that it waited, in milliseconds. */
  readonly elapsedMs: number
  /** The calls that are under way; absent between two steps. */
  readonly calls?: readonly SavedCall[]
}

/** A call of the step under way. */
export interface SavedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: Record<string, unknown>
  /** How it ended, if it has. */
  readonly outcome?: Outcome
  /** Why it can't run, which was so when its model made it. */
  readonly problem?: Outcome
  /** Whether the budget has counted it. */
  readonly counted?: true
  /** What it waits for, or was decided about. */
  readonly question?: Question
  /** How far it is, where it was let start apart from this. */
  readonly allowed?: Allowed
  /** What a person put in place of its arguments. */
  readonly edited?: unknown
  readonly delegation?: SavedDelegation
}

/** A delegation that was begun. */
export interface SavedDelegation {
  readonly facts: DelegationHookContext
  readonly runId: string
  readonly thread: ThreadIds
  readonly input?: unknown
  readonly instructions?: string
  readonly maxSteps?: number
  readonly messages: readonly Message[]
  readonly hookErrors: readonly ErrorInfo[]
  /** How long it has worked so far. */
  readonly elapsedMs: number
  readonly context: SavedContext
  /** Absent until the child has come into its loop. */
  readonly child?: SavedRun
}
