import type { ErrorInfo } from '../errors/retinue-error.ts'

/** What a check of completion found: one for each answer that was checked. */
export interface CompletionCheck {
  /** Whether the answer may stand. */
  readonly complete: boolean
  /** The iteration whose answer was checked, from 1. */
  readonly iteration: number
  readonly strategy: 'all' | 'any'
  /** In the order in which they were given; a scorer that was not needed any more is not among them. */
  readonly scorers: readonly ScorerVerdict[]
  /** Whether a scorer was given up because its time was over. */
  readonly timedOut: boolean
  readonly durationMs: number
}

/** What one scorer said: a score, or an error, which is no score at all. */
export interface ScorerVerdict {
  readonly scorerId: string
  readonly scorerName: string
  /** Absent where the scorer could not say. */
  readonly score?: number
  /** Whether the score is 1. */
  readonly passed: boolean
  readonly reason?: string
  /** The scorer failed, and failed again when it was asked once more. */
  readonly errored?: true
  readonly error?: ErrorInfo
  readonly timedOut?: true
  /** All attempts together. */
  readonly durationMs: number
}
