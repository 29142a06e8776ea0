import { RetinueError } from '@retinue/core/errors'
import { createScorer, type FinishedScorer, type ScorerRun } from '@retinue/core/evals'

/** What a check found: whether it holds, and why, in words that a model can act on. */
export interface Finding {
  readonly ok: boolean
  readonly reason: string
}

/** A check as a scorer: 1 if it holds, 0 if not. */
export type Check = FinishedScorer<{ reason: string }>

/** Options that every check takes. */
export interface CheckOptions {
  /** Tells it apart from the other scorers. Default: the check's name and what it looks for. */
  readonly id?: string
}

/** What a check is made of. */
export interface CheckParts {
  readonly id: string
  readonly description: string
  /** Looks at a run. It throws for a run that it can't see enough of. */
  readonly look: (run: ScorerRun) => Finding
}

/** Makes a scorer of a check. */
export function createCheck({ id, description, look }: CheckParts): Check {
  return createScorer({ id, description })
    .analyze(({ run }) => look(run))
    .generateScore(({ results }) => (results.analyzeStepResult.ok ? 1 : 0))
    .generateReason(({ results }) => results.analyzeStepResult.reason)
}

/** The longest part of an id that is taken from what a check looks for. */
const LONGEST_ID = 60

/** The id of a check: the given one, else its name and what it looks for. */
export function idOf(name: string, { id }: CheckOptions, ...details: readonly string[]): string {
  const detail = details.join(',').replace(/\s+/g, ' ')
  const whole = detail === '' ? name : `${name}:${detail}`
  return id ?? (whole.length > LONGEST_ID ? `${whole.slice(0, LONGEST_ID)}…` : whole)
}

/** Throws `option-unknown` or `option-invalid` for options that a check does not have. */
export function assertCheckOptions(name: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || options instanceof RegExp || Array.isArray(options))
    throw optionInvalid(name, 'takes its options as an object')
  const unknown = Object.keys(options).filter((key) => key !== 'id' && !known.includes(key))
  if (unknown.length > 0) {
    throw new RetinueError({
      code: 'option-unknown',
      message: `The check ${name} has options that are not known: ${unknown.join(', ')}.`,
      hint: `Known are ${['id', ...known].join(', ')}.`,
      data: { options: unknown },
    })
  }
}

export function optionInvalid(name: string, problem: string): RetinueError {
  return new RetinueError({ code: 'option-invalid', message: `The check ${name} ${problem}.` })
}

/** Texts as a list. Throws `option-invalid` for none and for an empty one: it would hold of everything, or of nothing. */
export function textsOf(name: string, given: string | readonly string[]): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string' && text !== ''))
    throw optionInvalid(name, 'needs a text, or a list of texts, none of them empty')
  return texts as readonly string[]
}

/** Throws `option-invalid` for what is no name of a tool or a subagent. */
export function assertName(check: string, name: unknown): void {
  if (typeof name !== 'string' || name === '') throw optionInvalid(check, 'needs a name')
}

/** Throws `option-invalid` for what is no number of times. */
export function assertCount(name: string, option: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return
  throw optionInvalid(name, `needs a whole number of 0 or more for ${option}`)
}
