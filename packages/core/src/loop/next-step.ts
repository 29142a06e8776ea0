import type { FinishReason } from '../events/finish-reason.ts'
import type { ModelFinish } from '../model/stream-part.ts'
import { assertNever } from '../shared/assert-never.ts'
import type { LastCall } from './run-state.ts'
import type { BudgetLeft } from './within-budget.ts'

/** What is known when an iteration is over. */
export interface IterationFacts {
  readonly aborted: boolean
  /** How the model call ended. */
  readonly modelEnd: ModelFinish
  /** The tool calls of the iteration. */
  readonly calls: number
  /** The calls among them that the client has to run. */
  readonly clientCalls: number
  /** A processor ended the run, by a stop or by failing. */
  readonly stopped: 'other' | 'error' | undefined
  /** A delegation ended the run. */
  readonly bailed: boolean
  /** Why the model was told that this is its last answer, if it was. */
  readonly last: LastCall | undefined
  /** What the budget leaves for another model call. */
  readonly budget: BudgetLeft
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
  | { readonly type: 'last-call'; readonly why: LastCall }
  | {
      readonly type: 'finish'
      readonly reason: Exclude<FinishReason, 'aborted' | 'suspended'>
    }
  | { readonly type: 'abort' }

const finish = (reason: Extract<NextStep, { type: 'finish' }>['reason']): NextStep => ({ type: 'finish', reason })

/** Decides the next move from the facts alone. */
export function nextStep(facts: IterationFacts): NextStep {
  if (facts.aborted) return { type: 'abort' }
  if (facts.stopped) return finish(facts.stopped)
  if (facts.bailed) return finish('bailed')
  if (facts.modelEnd === 'error' || facts.modelEnd === 'length' || facts.modelEnd === 'content-filter')
    return finish(facts.modelEnd)
  if (facts.last === 'budget') return finish('over-budget')
  if (facts.last === 'feedback') return finish(isUnfit(facts) ? 'error' : 'stop')
  if (facts.hopeless) return finish('error')
  if (facts.clientCalls > 0) return finish('tool-calls')
  return facts.calls > 0 ? afterCalls(facts) : afterAnswer(facts)
}

/** Whether the answer does not fit its schema. */
function isUnfit({ answer }: IterationFacts): boolean {
  return answer === 'unfit' || answer === 'repairable'
}

function afterCalls({ budget, iteration, maxSteps }: IterationFacts): NextStep {
  switch (budget) {
    case 'enough':
      return iteration < maxSteps ? { type: 'continue' } : finish('max-steps')
    case 'last-call':
      return { type: 'last-call', why: 'budget' }
    case 'none':
      return finish('over-budget')
    default:
      return assertNever(budget, 'budget')
  }
}

function afterAnswer(facts: IterationFacts): NextStep {
  switch (facts.answer) {
    case 'unchecked':
    case 'fits':
      // Some providers end with `tool-calls` when the only calls were their own to run.
      return finish(facts.modelEnd === 'other' ? 'other' : 'stop')
    case 'repairable':
      if (facts.budget !== 'enough') return finish('over-budget')
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
  const open = planned.type === 'continue' || planned.type === 'last-call' || isMaxSteps(planned)
  if (goOn === false) {
    // Nothing is mended any more: the answer that does not fit is what the run ends with.
    if (planned.type === 'repair') return finish('error')
    if (!open) return planned
    if (!ranTools || feedback === undefined) return finish('stop')
    return planned.type === 'last-call' ? planned : { type: 'last-call', why: 'feedback' }
  }
  return goOn === true && isAnswer(planned) && mayGoOn(facts) ? { type: 'continue' } : planned
}

function isMaxSteps(planned: NextStep): boolean {
  return planned.type === 'finish' && planned.reason === 'max-steps'
}

/** Whether a hook, or the check of completion, can have another iteration. */
export function mayGoOn({ last, budget, iteration, maxSteps }: IterationFacts): boolean {
  return last === undefined && budget === 'enough' && iteration < maxSteps
}

/** Whether the run would end here with what the model said, for good or ill. */
function isAnswer(planned: NextStep): boolean {
  if (planned.type !== 'finish') return false
  return ['stop', 'length', 'content-filter', 'other', 'incomplete'].includes(planned.reason)
}
