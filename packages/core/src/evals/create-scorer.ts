import { type NewScorer, ScorerBuilder } from '../scorers/scorer-builder.ts'
import { assertScorerOptions, type ScorerOptions } from '../scorers/scorer-options.ts'
import { askAgent } from './ask-agent.ts'

/**
 * Makes a scorer of steps, in this order, each at most once: `.preprocess()`, `.analyze()`, `.generateScore()`, `.generateReason()`.
 * Only `generateScore` must be there. A step is a function of `{ run, results }` (`generateReason` gets the `score` too), or a prompt
 * for a judge. Throws `scorer-invalid` or `option-unknown` for what makes no scorer.
 */
export function createScorer(options: ScorerOptions): NewScorer {
  assertScorerOptions(options)
  // The builder has all methods; what its types show is what may come next.
  return new ScorerBuilder({ ...options }, askAgent) as NewScorer
}
