import { RetinueError } from '@retinue/core/errors'
import type { ScorerRequest } from '@retinue/core/evals'

/** One thing that the answer must, or should, do. */
export interface RubricCriterion {
  /** Names it in verdicts. Default: `c1`, `c2`, … by its place in the list. */
  readonly id?: string
  readonly description: string
  /** Whether the rubric can be satisfied without it. Default: true. */
  readonly required?: boolean
}

/** Criteria as a list, or as text with one a line, all of them required; list markers (`-`, `*`, `1.`, `[ ]`) are taken off. */
export type RubricCriteria = readonly RubricCriterion[] | string

/** A criterion with nothing left open. */
export type Criterion = Required<RubricCriterion>

/**
 * The criteria of a rubric. Throws `scorer-invalid` for one that holds none, since it would pass everything, and for two criteria of
 * one id.
 */
export function criteriaOf(rubric: unknown, scorer: string): readonly Criterion[] {
  const list: unknown = typeof rubric === 'string' ? lines(rubric) : rubric
  if (!Array.isArray(list)) throw invalid(scorer, 'is neither a list nor text')
  if (list.length === 0) throw invalid(scorer, 'holds no criterion')
  const criteria = list.map((item, index) => criterionOf(item, index, scorer))
  const ids = criteria.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid(scorer, `names two criteria "${twice}"`)
  return criteria
}

/** The key of the request context, and of a run's `additionalContext`, under which a run brings a rubric. */
const KEY = 'rubric'

/** The rubric that a run brings, if it brings one. */
export function rubricOf({ requestContext, additionalContext }: ScorerRequest): unknown {
  return requestContext?.get(KEY) ?? additionalContext?.[KEY] ?? undefined
}

/** What people put before the entries of a list: a bullet or a number, and a box to tick. */
const MARKER = /^(?:(?:[-*+•‣–]|\d+[.)])(?:\s+|$))?(?:\[[ xX]?\](?:\s+|$))?/

function lines(text: string): RubricCriterion[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim().replace(MARKER, '').trim())
    .filter((description) => description !== '')
    .map((description) => ({ description }))
}

function criterionOf(item: unknown, index: number, scorer: string): Criterion {
  const given =
    typeof item === 'object' && item !== null ? (item as Partial<Record<keyof RubricCriterion, unknown>>) : {}
  const { id = `c${index + 1}`, description, required = true } = given
  if (typeof description !== 'string' || description.trim() === '')
    throw invalid(scorer, `has a criterion without a description (number ${index + 1})`)
  if (typeof id !== 'string' || id.trim() === '')
    throw invalid(scorer, `has an id that is no text (number ${index + 1})`)
  // "required: 'no'" must not make a criterion required, nor optional.
  if (typeof required !== 'boolean')
    throw invalid(scorer, `has a \`required\` that is neither true nor false (number ${index + 1})`)
  return { id, description: description.trim(), required }
}

function invalid(scorer: string, problem: string): RetinueError {
  return new RetinueError({
    code: 'scorer-invalid',
    message: `The rubric of the scorer "${scorer}" ${problem}.`,
    hint: "criteria: [{ description: 'It names its sources' }, { description: 'It is short', required: false }]",
    data: { scorer },
  })
}
