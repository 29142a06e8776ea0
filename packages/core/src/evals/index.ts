export { type Delegation, delegationsOf } from '../scorers/delegations.ts'
export type { Judge } from '../scorers/judge.ts'
export type { Score, Scorer, ScorerRequest, ScorerRun, ScorerTask } from '../scorers/scorer.ts'
export type {
  FinishedScorer,
  NewScorer,
  ScoredScorer,
  ScorerResult,
  UnanalyzedScorer,
  UnscoredScorer,
} from '../scorers/scorer-builder.ts'
export type { ScorerOptions } from '../scorers/scorer-options.ts'
export type {
  PromptStep,
  ReasonContext,
  ReasonPrompt,
  ScorePrompt,
  ScorerStepContext,
  StepFunction,
} from '../scorers/step.ts'
export { createScorer } from './create-scorer.ts'
