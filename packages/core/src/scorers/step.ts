import type { InferSchema, Schema } from '../tools/schema.ts'
import type { Judge } from './judge.ts'
import type { ScorerRun } from './scorer.ts'

/** The steps, in the order in which they are defined and run. */
export type StepName = 'preprocess' | 'analyze' | 'generateScore' | 'generateReason'

/** What a step is given: the run, and what the steps before it gave. A step that was not defined is not in `results`. */
export interface ScorerStepContext<Results> {
  readonly run: ScorerRun
  readonly results: Readonly<Results>
}

/** What `generateReason` is given: the score too. */
export interface ReasonContext<Results> extends ScorerStepContext<Results> {
  readonly score: number
}

/** A step in code. What it throws is the scorer's failure, not a low score. */
export type StepFunction<Context, Output> = (context: Context) => Output | Promise<Output>

/** A step that a judge answers. */
export interface PromptStep<Context, S extends Schema = Schema> {
  /** What the step does, for people. */
  readonly description: string
  /** What the judge's answer must fit. One repair is asked for; an answer that still does not fit is the judge's failure. */
  readonly outputSchema: S
  readonly createPrompt: (context: Context) => string | Promise<string>
  /** In place of the scorer's. */
  readonly judge?: Judge
}

/** As `generateScore`. Without an `outputSchema` the judge answers `{ score: number }`, and one with it has a `score` too. */
export type ScorePrompt<Results> = Omit<PromptStep<ScorerStepContext<Results>>, 'outputSchema'> & {
  readonly outputSchema?: Schema
}

/** As `generateReason`: the judge's text is the reason. */
export type ReasonPrompt<Results> = Omit<PromptStep<ReasonContext<Results>>, 'outputSchema'>

/** What steps gave, under the names that later steps read them by. */
export interface StepResults {
  preprocessStepResult?: unknown
  analyzeStepResult?: unknown
  generateScoreStepResult?: number
}

/** A prompt step of whichever name. */
export interface AnyPrompt {
  readonly outputSchema?: Schema
  readonly createPrompt: (context: ReasonContext<StepResults>) => unknown
  readonly judge?: Judge
}

/** A step of whichever name, as the pipeline runs it. */
export type AnyStep = ((context: ReasonContext<StepResults>) => unknown) | AnyPrompt

/** The value of a prompt step. */
export type StepOutput<S extends Schema> = InferSchema<S>
