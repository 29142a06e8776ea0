import type { RequestContextLike } from '../context/request-context.ts'
import type { ToolCallRecord, ToolResultRecord } from '../events/tool-record.ts'
import type { Usage } from '../events/usage.ts'
import type { Message } from '../messages/message.ts'
import type { Providers } from '../model/registered-providers.ts'

/**
 * Grades an answer. This is all that whoever asks needs to know of a scorer; `createScorer` makes one, and so does anything with
 * these members.
 */
export interface Scorer {
  /** Tells it apart from the other scorers of the same check. */
  readonly id: string
  /** For people. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  /**
   * Grades one answer. A low score says that the answer is bad; a scorer that can't say rejects, so that nobody takes its failure
   * for a verdict.
   */
  run(run: ScorerRequest): Promise<Score>
}

/** What a scorer gives: a grade, and why. */
export interface Score {
  /** 1 passes. Always a finite number. */
  readonly score: number
  /** Why, in words that a model can act on. */
  readonly reason?: string | undefined
}

/** What was asked for. */
export interface ScorerTask {
  /** The text of the last message of the person. */
  readonly task: string
  /** The conversation so far, the answer included. Empty where a scorer is run by hand without it. */
  readonly messages: readonly Message[]
}

/** What is handed to a scorer: a run as it sees it, where by hand the task alone, as text, will do for the input. */
export type ScorerRequest = Omit<ScorerRun, 'input'> & { readonly input?: string | ScorerTask }

/** What a scorer sees of a run. By hand, `output` alone will do; what a scorer needs and is not given is an error of its own. */
export interface ScorerRun {
  readonly input?: ScorerTask
  /** The answer's text. */
  readonly output: string
  /** The calls of all steps so far, delegations among them. */
  readonly toolCalls?: readonly ToolCallRecord[]
  /** How they ended, in the order of the calls. A delegation's `result` is its envelope, which holds the child's own results. */
  readonly toolResults?: readonly ToolResultRecord[]
  /** From 1. */
  readonly iteration?: number
  readonly maxIterations?: number
  readonly runId?: string
  readonly agentId?: string
  readonly path?: readonly string[]
  readonly requestContext?: RequestContextLike
  /** What the right answer would be, where somebody knows. */
  readonly groundTruth?: unknown
  /** Anything else that a scorer of your own needs. */
  readonly additionalContext?: Readonly<Record<string, unknown>>
  /** Providers of the application's own: judges are made with them, beside their own. */
  readonly providers?: Providers | undefined
  /** Told what each judge's model calls used, however they ended. */
  readonly onUsage?: ((usage: Usage, model: string) => void) | undefined
  /** Ends the scorer's work, its judge included: `run` then rejects with `scorer-aborted`. */
  readonly abortSignal?: AbortSignal | undefined
}
