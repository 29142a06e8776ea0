import type { ModelFinish } from '../model/stream-part.ts'
import { assertNever } from '../shared/assert-never.ts'

/** What is known when an iteration is over. */
export interface IterationFacts {
  readonly aborted: boolean
  /** How the model call ended. */
  readonly modelEnd: ModelFinish
  /** The tool calls of the iteration. */
  readonly calls: number
  /** The calls among them that the client has to run. */
  readonly clientCalls: number
  /** The same failure happened often enough. */
  readonly hopeless: boolean
  /** Whether the answer fits the schema that it must fit. */
  readonly answer: 'unchecked' | 'fits' | 'repairable' | 'unfit'
  readonly iteration: number
  readonly maxSteps: number
}

/** The next move of a run. */
export type NextStep =
  | { readonly type: 'continue' }
  | { readonly type: 'repair' }
  | {
      readonly type: 'finish'
      readonly reason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'max-steps' | 'error' | 'other'
    }
  | { readonly type: 'abort' }

const finish = (reason: Extract<NextStep, { type: 'finish' }>['reason']): NextStep => ({ type: 'finish', reason })

/** Decides the next move from the facts alone. */
export function nextStep(facts: IterationFacts): NextStep {
  if (facts.aborted) return { type: 'abort' }
  if (facts.modelEnd === 'error' || facts.modelEnd === 'length' || facts.modelEnd === 'content-filter')
    return finish(facts.modelEnd)
  if (facts.hopeless) return finish('error')
  if (facts.clientCalls > 0) return finish('tool-calls')
  if (facts.calls > 0) return facts.iteration < facts.maxSteps ? { type: 'continue' } : finish('max-steps')
  return afterAnswer(facts)
}

function afterAnswer(facts: IterationFacts): NextStep {
  switch (facts.answer) {
    case 'unchecked':
    case 'fits':
      // Some providers end with `tool-calls` when the only calls were their own to run.
      return finish(facts.modelEnd === 'other' ? 'other' : 'stop')
    case 'repairable':
      return facts.iteration < facts.maxSteps ? { type: 'repair' } : finish('error')
    case 'unfit':
      return finish('error')
    default:
      return assertNever(facts.answer, 'answer')
  }
}
