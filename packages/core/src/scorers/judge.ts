import { isLanguageModel, type ModelChoice } from '../model/language-model.ts'
import type { Providers } from '../model/registered-providers.ts'
import { isObject } from '../shared/records.ts'
import type { Schema } from '../tools/schema.ts'
import type { ScorerRun } from './scorer.ts'

/** The model that answers a scorer's prompts. */
export interface Judge {
  /** What an agent's `model` takes: a model object, a `'provider/model'` string, or a list of those with fallbacks. */
  readonly model: ModelChoice | readonly ModelChoice[]
  /** Who the judge is and how it judges. Default: a short one that says that it grades another agent's work. */
  readonly instructions?: string
  /** Retries of a model call beside its first attempt. Default: 2. */
  readonly maxRetries?: number
  /** Providers of the application's own, by the name before the slash of `'provider/model'`. */
  readonly providers?: Providers
}

/** One prompt for a judge, on behalf of a step of a scorer. */
export interface JudgeQuestion {
  readonly judge: Judge
  readonly scorer: string
  readonly step: string
  readonly prompt: string
  /** What the answer must fit; without it the answer is text. */
  readonly schema: Schema | undefined
  readonly signal: AbortSignal
  /** The application's providers, after the judge's own. */
  readonly providers: Providers | undefined
  readonly onUsage: ScorerRun['onUsage']
}

/**
 * The port to judges: gives the value that fits the question's schema, or the text; rejects with `scorer-judge-failed`.
 *
 * A judge needs what an agent has: models of every kind, fallbacks, attempts after a rate limit, one repair of an answer that does not
 * fit. All that lives in the loop, and the loop's completion gate calls scorers. So scorers declare what they need, and `evals`, which
 * stands above agents, implements it with one. The other way, a second caller of models beside the loop, would have to be kept
 * equal to it for ever.
 */
export type AskJudge = (question: JudgeQuestion) => Promise<unknown>

/** What is wrong with a judge, if anything. */
export function problemWithJudge(judge: unknown): string | undefined {
  if (!isObject(judge)) return 'it is no object'
  const { model, instructions, maxRetries } = judge
  const models: unknown[] = Array.isArray(model) ? model : [model]
  if (models.length === 0 || !models.every((each) => typeof each === 'string' || isLanguageModel(each)))
    return 'its `model` is no model'
  if (instructions !== undefined && typeof instructions !== 'string') return 'its `instructions` are no text'
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && (maxRetries as number) >= 0))
    return 'its `maxRetries` is no whole number of 0 or more'
  return undefined
}
