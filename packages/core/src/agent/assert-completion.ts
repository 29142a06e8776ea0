import { optionInvalid, optionUnknown } from '../errors/option-errors.ts'
import type { TaskCompletion } from '../loop/task-completion.ts'
import { isObject } from '../shared/records.ts'
import { isScorer } from './assert-scorers.ts'

const FIELDS: Readonly<Record<keyof TaskCompletion, { fits: (value: unknown) => boolean; expected: string }>> = {
  scorers: {
    fits: isScorers,
    expected: 'a list of one scorer or more: createScorer({ … }), each with an id of its own',
  },
  strategy: { fits: (value) => value === 'all' || value === 'any', expected: "'all' or 'any'" },
  parallel: { fits: isBoolean, expected: 'true or false' },
  timeout: { fits: (value) => Number.isInteger(value) && (value as number) >= 1, expected: 'milliseconds, 1 or more' },
  onComplete: { fits: (value) => typeof value === 'function', expected: 'a function' },
  suppressFeedback: { fits: isBoolean, expected: 'true or false' },
  onScorerError: {
    fits: (value) => value === 'incomplete' || value === 'continue' || value === 'throw',
    expected: "'incomplete', 'continue' or 'throw'",
  },
}

/** Throws `option-unknown` or `option-invalid` for a check of completion that checks nothing. */
export function assertCompletion(completion: unknown): void {
  if (completion === undefined) return
  if (!isObject(completion))
    throw optionInvalid('The option isTaskComplete is no object.', 'isTaskComplete: { scorers: [scorer] }')
  for (const [name, value] of Object.entries(completion)) {
    if (!Object.hasOwn(FIELDS, name))
      throw optionUnknown(`isTaskComplete.${name} is not known.`, Object.keys(FIELDS), [`isTaskComplete.${name}`])
    const { fits, expected } = FIELDS[name as keyof TaskCompletion]
    if (value !== undefined && !fits(value))
      throw optionInvalid(`isTaskComplete.${name} is not what it must be.`, `It must be ${expected}.`)
  }
  if (completion['scorers'] === undefined)
    throw optionInvalid('isTaskComplete has no scorers.', `scorers: it must be ${FIELDS.scorers.expected}.`)
}

/** Whether a value is a list of scorers. Two of one id could not be told apart in what they say. */
function isScorers(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isScorer)) return false
  return new Set(value.map(({ id }) => id)).size === value.length
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}
