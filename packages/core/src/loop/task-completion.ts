import type { CompletionCheck } from '../events/completion-check.ts'
import type { Scorer } from '../scorers/scorer.ts'

/**
 * When an agent is done: its answers are checked before a run may end with one. What the failed scorers say goes into the
 * conversation, and the run goes on until `maxSteps`; then its finish reason is `incomplete`.
 */
export interface TaskCompletion {
  /** Each passes at a score of 1. */
  scorers: readonly Scorer[]
  /** Whether all have to pass, or one. Default: 'all'. */
  strategy?: 'all' | 'any'
  /** Whether they are asked at the same time; else in order, and no longer than it takes to know the outcome. Default: true. */
  parallel?: boolean
  /** How long a scorer may take each time that it is asked, in milliseconds. Default: 600,000. */
  timeout?: number
  /** Called once for each check. What it throws is reported as an `error` chunk and changes nothing. */
  onComplete?: (check: CompletionCheck) => void | Promise<void>
  /** The model is asked to go on without being told what the scorers said. Default: false. */
  suppressFeedback?: boolean
  /**
   * What becomes of a run whose answer a scorer could not judge, twice, so that it is not complete whatever the others say.
   * `'incomplete'`: it ends so. `'continue'`: it goes on. `'throw'`: it
   * ends with an error. Default: 'incomplete'.
   */
  onScorerError?: 'incomplete' | 'continue' | 'throw'
}

/** How long a scorer may take if nobody says so, in milliseconds. */
export const DEFAULT_SCORER_TIMEOUT = 600_000
