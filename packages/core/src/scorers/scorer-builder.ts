import { isObject } from '../shared/records.ts'
import { compileSchema, type Schema } from '../tools/schema.ts'
import type { AskJudge } from './judge.ts'
import { type Pipeline, type PipelineResult, runSteps } from './run-steps.ts'
import type { Scorer, ScorerRequest } from './scorer.ts'
import { scorerInvalid } from './scorer-error.ts'
import { assertJudge, type ScorerOptions } from './scorer-options.ts'
import type {
  AnyStep,
  PromptStep,
  ReasonContext,
  ReasonPrompt,
  ScorePrompt,
  ScorerStepContext,
  StepFunction,
  StepName,
  StepOutput,
} from './step.ts'

/** What a scorer gave, with the values of its steps and the prompts that its judge was asked. */
export type ScorerResult<Results = unknown> = {
  /** The run's, or a random one. */
  readonly runId: string
  readonly score: number
  readonly reason?: string
  readonly preprocessPrompt?: string
  readonly analyzePrompt?: string
  readonly generateScorePrompt?: string
  readonly generateReasonPrompt?: string
} & Readonly<Omit<Results, 'generateScoreStepResult'>>

/** A scorer that can be run, and can have no more steps. */
export interface FinishedScorer<Results> extends Scorer {
  /**
   * Grades one answer. Rejects with a typed error that names the scorer and the step: `scorer-failed` if a step threw,
   * `scorer-score-invalid` for a score that is no finite number, `scorer-judge-failed`, `scorer-input-missing`, `scorer-aborted`.
   */
  run(run: ScorerRequest): Promise<ScorerResult<Results>>
}

/** A scorer that can be run, and can say why. */
export interface ScoredScorer<Results> extends FinishedScorer<Results> {
  /** Says why, in words that a model can act on: text from code, or a judge's. */
  generateReason(
    step: StepFunction<ReasonContext<Results>, string> | ReasonPrompt<Results>,
  ): FinishedScorer<Results & { reason: string }>
}

/** A scorer that has no score yet, so it can't be run. */
export interface UnscoredScorer<Results> {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  /** The score; 1 passes. From code, or a judge's. */
  generateScore(
    step: StepFunction<ScorerStepContext<Results>, number> | ScorePrompt<Results>,
  ): ScoredScorer<Results & { generateScoreStepResult: number }>
}

/** A scorer that has neither an analysis nor a score yet: either can be next. */
export interface UnanalyzedScorer<Results> extends UnscoredScorer<Results> {
  /** Makes of the run, and of what was made ready, what the score is made of. */
  analyze<S extends Schema>(
    step: PromptStep<ScorerStepContext<Results>, S>,
  ): UnscoredScorer<Results & { analyzeStepResult: StepOutput<S> }>
  analyze<Output>(
    step: StepFunction<ScorerStepContext<Results>, Output>,
  ): UnscoredScorer<Results & { analyzeStepResult: Output }>
}

/** A scorer without steps. Each step makes a new one: a scorer never changes. */
export interface NewScorer extends UnanalyzedScorer<object> {
  /** Makes the run ready for the steps that follow. */
  preprocess<S extends Schema>(
    step: PromptStep<ScorerStepContext<object>, S>,
  ): UnanalyzedScorer<{ preprocessStepResult: StepOutput<S> }>
  preprocess<Output>(
    step: StepFunction<ScorerStepContext<object>, Output>,
  ): UnanalyzedScorer<{ preprocessStepResult: Output }>
}

const ORDER: readonly StepName[] = ['preprocess', 'analyze', 'generateScore', 'generateReason']

/** All faces of a scorer in one. The types show of it what may come next; who has no types is told by an error. */
export class ScorerBuilder implements Scorer {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly #options: ScorerOptions
  readonly #pipeline: Pipeline

  constructor(options: ScorerOptions, ask: AskJudge, steps: Pipeline['steps'] = {}) {
    this.id = options.id
    this.name = options.name ?? options.id
    this.description = options.description
    this.#options = options
    this.#pipeline = { id: options.id, judge: options.judge, steps, ask }
  }

  preprocess(step: AnyStep): ScorerBuilder {
    return this.#with('preprocess', step)
  }

  analyze(step: AnyStep): ScorerBuilder {
    return this.#with('analyze', step)
  }

  generateScore(step: AnyStep): ScorerBuilder {
    return this.#with('generateScore', step)
  }

  generateReason(step: AnyStep): ScorerBuilder {
    return this.#with('generateReason', step)
  }

  run(run: ScorerRequest): Promise<PipelineResult> {
    return runSteps(this.#pipeline, run)
  }

  #with(name: StepName, step: AnyStep): ScorerBuilder {
    const { steps, ask } = this.#pipeline
    const place = ORDER.indexOf(name)
    const taken = ORDER.slice(place).find((other) => steps[other] !== undefined)
    if (taken)
      throw scorerInvalid(
        this.id,
        `has ${taken} already, and ${name} can't follow it`,
        `Steps come in this order, each at most once: ${ORDER.join(', ')}.`,
      )
    if (name === 'generateReason' && !steps.generateScore)
      throw scorerInvalid(this.id, 'has no score to give a reason for', 'Add generateScore first.')
    this.#assertStep(name, step)
    return new ScorerBuilder(this.#options, ask, { ...steps, [name]: step })
  }

  #assertStep(name: StepName, step: unknown): void {
    if (typeof step === 'function') return
    if (!isObject(step) || typeof step['createPrompt'] !== 'function')
      throw scorerInvalid(
        this.id,
        `has a ${name} that is no step`,
        `${name}(({ run, results }) => …), or ${name}({ description, createPrompt, … })`,
      )
    const { judge, outputSchema } = step
    if (judge !== undefined) assertJudge(this.id, judge)
    else if (!this.#options.judge)
      throw scorerInvalid(this.id, `has no judge for ${name}`, 'createScorer({ judge: { model, instructions }, … })')
    if (outputSchema !== undefined) compileSchema(outputSchema as Schema, `${name} of the scorer "${this.id}"`)
    else if (name === 'preprocess' || name === 'analyze')
      throw scorerInvalid(
        this.id,
        `does not say what the judge answers to ${name}`,
        `${name}({ outputSchema: z.object({ … }), … })`,
      )
  }
}
