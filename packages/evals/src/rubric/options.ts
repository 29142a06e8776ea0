import { RetinueError } from '@retinue/core/errors'
import type { Judge } from '@retinue/core/evals'
import type { RubricCriteria } from './criteria.ts'

/** What `createRubricScorer` takes. */
export interface RubricScorerOptions extends Judge {
  /**
   * What the answer is graded by. Left out, each run brings its own, as `rubric` in its request context or `additionalContext`, in the
   * same forms; a run that brings none scores 1, and the judge is not asked.
   */
  readonly criteria?: RubricCriteria
  /** What the judge should know beside the task and the rubric: of the domain, say. It is added to what a grader is told anyway. */
  readonly instructions?: string
  /** Default: 'rubric-scorer'. */
  readonly id?: string
  /** For people. Default: 'Rubric (LLM)'. */
  readonly name?: string
  /** `scale`: the score of a rubric that is satisfied. Default: 1, which is what a completion check takes for a pass. */
  readonly options?: { readonly scale?: number }
}

const KNOWN: Readonly<Record<keyof RubricScorerOptions, true>> = {
  model: true,
  criteria: true,
  instructions: true,
  maxRetries: true,
  providers: true,
  id: true,
  name: true,
  options: true,
}

/** The options of a rubric scorer with their defaults. Throws `scorer-invalid` or `option-unknown` for what makes none. */
export function optionsOf(given: RubricScorerOptions): {
  id: string
  name: string
  judge: Judge
  scale: number
  criteria: RubricCriteria | undefined
} {
  const { criteria, id = 'rubric-scorer', name = 'Rubric (LLM)', options, ...rest } = given ?? {}
  const { scale = 1, ...more } = options ?? {}
  const unknown = [
    ...Object.keys(rest).filter((key) => !Object.hasOwn(KNOWN, key)),
    ...Object.keys(more).map((key) => `options.${key}`),
  ]
  if (unknown.length > 0) {
    throw new RetinueError({
      code: 'option-unknown',
      message: `The scorer "${id}" has options that are not known: ${unknown.join(', ')}.`,
      hint: `Known are ${Object.keys(KNOWN).join(', ')}, and options.scale.`,
      data: { options: unknown },
    })
  }
  if (Object.hasOwn(given ?? {}, 'criteria') && criteria === undefined)
    throw invalid(
      id,
      'criteria that are undefined',
      'Pass them, or leave the option out where each run brings its own.',
    )
  if (!(Number.isFinite(scale) && scale > 0))
    throw invalid(id, 'a scale that is no number above 0', 'Leave it out: a completion check takes 1 for a pass.')
  if (rest.instructions !== undefined && typeof rest.instructions !== 'string')
    throw invalid(id, 'instructions that are no text', 'Pass a string, or leave them out.')
  return { id, name, judge: rest, scale, criteria }
}

function invalid(scorer: string, what: string, hint: string): RetinueError {
  return new RetinueError({
    code: 'scorer-invalid',
    message: `The scorer "${scorer}" has ${what}.`,
    hint,
    data: { scorer },
  })
}
