import { assertKnownKeys } from '../errors/option-errors.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { type Judge, problemWithJudge } from './judge.ts'
import { scorerInvalid } from './scorer-error.ts'

/** What `createScorer` takes. */
export interface ScorerOptions {
  /** Tells it apart from the other scorers of the same check. */
  id: string
  /** For people. Default: the id. */
  name?: string
  /** For people: what it looks at. */
  description?: string
  /** Answers the steps that are prompts, where they name no judge of their own. */
  judge?: Judge
  /** What is scored. There is one kind: an agent's answer, its text in `run.output`. */
  type?: 'agent'
}

const OPTIONS: Readonly<Record<keyof ScorerOptions, true>> = {
  id: true,
  name: true,
  description: true,
  judge: true,
  type: true,
}

/** Throws `scorer-invalid` or `option-unknown` for options that make no scorer. */
export function assertScorerOptions(options: unknown): asserts options is ScorerOptions {
  const given: Record<string, unknown> = isObject(options) ? options : {}
  const { id, name, description, judge, type } = given
  if (typeof id !== 'string' || id.trim() === '') {
    throw new RetinueError({
      code: 'scorer-invalid',
      message: 'A scorer needs an id.',
      hint: "Give it one: createScorer({ id: 'task-complete', … })",
    })
  }
  for (const text of [name, description]) {
    if (text !== undefined && typeof text !== 'string')
      throw scorerInvalid(id, 'has a name or a description that is no text', 'Pass a string.')
  }
  if (type !== undefined && type !== 'agent')
    throw scorerInvalid(id, 'has a type that is not known', "It can be 'agent', or be left out.")
  if (judge !== undefined) assertJudge(id, judge)
  assertKnownKeys(given, OPTIONS, `The scorer "${id}" has options that are not known`)
}

export function assertJudge(id: string, judge: unknown): void {
  const problem = problemWithJudge(judge)
  if (problem)
    throw scorerInvalid(id, `has a judge, but ${problem}`, "judge: { model: 'openai/gpt-5-mini', instructions: '…' }")
}
