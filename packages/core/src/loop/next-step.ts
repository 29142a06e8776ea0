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
  /** A delegation ended the run. */
  readonly bailed: boolean
  /** The model was told that this is its last answer. */
  readonly last: boolean
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
  /** One more model call, whose tool calls do not run. */
  | { readonly type: 'last-call' }
  | {
      readonly type: 'finish'
      readonly reason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'max-steps' | 'bailed' | 'error' | 'other'
    }
  | { readonly type: 'abort' }

const finish = (reason: Extract<NextStep, { type: 'finish' }>['reason']): NextStep => ({ type: 'finish', reason })

/** Decides the next move from the facts alone. */
export function nextStep(facts: IterationFacts): NextStep {
  if (facts.aborted) return { type: 'abort' }
  if (facts.bailed) return finish('bailed')
  if (facts.modelEnd === 'error' || facts.modelEnd === 'length' || facts.modelEnd === 'content-filter')
    return finish(facts.modelEnd)
  if (facts.last) return finish('stop')
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

/** What a hook says of an iteration. */
export interface Steering {
  readonly continue?: boolean
  readonly feedback?: string
}

/** The next move after the hook had its say. It can grant an answer more, or stop; what an error or an abort ended it can't mend. */
export function steered(planned: NextStep, { continue: goOn, feedback }: Steering, facts: IterationFacts): NextStep {
  const ranTools = facts.calls > 0 && facts.clientCalls === 0
  const open = planned.type === 'continue' || (planned.type === 'finish' && planned.reason === 'max-steps')
  if (goOn === false) {
    // Nothing is mended any more: the answer that does not fit is what the run ends with.
    if (planned.type === 'repair') return finish('error')
    if (!open) return planned
    return ranTools && feedback !== undefined ? { type: 'last-call' } : finish('stop')
  }
  if (goOn === true && !facts.last && isAnswer(planned) && facts.iteration < facts.maxSteps) return { type: 'continue' }
  return planned
}

/** Whether the run would end here with what the model said, for good or ill. */
function isAnswer(planned: NextStep): boolean {
  if (planned.type !== 'finish') return false
  return ['stop', 'length', 'content-filter', 'other'].includes(planned.reason)
}
