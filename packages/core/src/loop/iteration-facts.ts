import { RetinueError } from '../errors/retinue-error.ts'
import { checkAnswer } from './check-answer.ts'
import type { IterationFacts } from './next-step.ts'
import { countFailures, hopelessFailure } from './repeated-failures.ts'
import type { Run } from './run.ts'
import type { CallingTurn, CallsEnd } from './run-tool-calls.ts'
import { budgetLeft } from './within-budget.ts'

/** What is known of an iteration when its calls have ended. An answer is checked here. */
export async function factsOf(run: Run, turn: CallingTurn, end: CallsEnd): Promise<IterationFacts> {
  const { state } = run
  const { step, calls } = turn
  const relayed = end.relayed !== undefined && !run.stopped
  // What it says while it waits for tasks need not be the whole of it.
  const isToCheck = run.answer !== undefined && (relayed || isAnswer(turn)) && !run.root.tasks?.waits(run)
  const answer = run.answer && isToCheck ? await checkAnswer(run, run.answer, state.text) : 'unchecked'
  return {
    aborted: run.abort.aborted,
    modelEnd: relayed ? 'stop' : step.finishReason === 'aborted' ? 'error' : step.finishReason,
    // A relayed answer is the run's own: nothing is left to be asked of its model.
    calls: relayed ? 0 : calls.length,
    clientCalls: end.clientCalls,
    stopped: run.stopped && (run.stopped.code === 'processor-stopped' ? 'other' : 'error'),
    bailed: end.bailText !== undefined,
    last: state.last,
    budget: budgetLeft(run),
    hopeless: isHopeless(run, turn),
    answer,
    iteration: state.iteration - (state.answeredAt ?? 0),
    maxSteps: state.maxSteps,
  }
}

/** Whether the model said all that it had to say: an answer that was cut off is not held against a schema. */
function isAnswer({ calls, step }: CallingTurn): boolean {
  if (calls.length > 0) return false
  return step.finishReason === 'stop' || step.finishReason === 'tool-calls'
}

/** Whether the run gets nowhere: the same tool failed in the same way in several steps running. */
function isHopeless(run: Run, { step, failures }: CallingTurn): boolean {
  const all = [...failures]
  for (const { toolName, error } of step.toolResults) {
    // What a person did not want is no failure of the run.
    if (error && error.code !== 'tool-declined') all.push({ toolName, error: error.message })
  }
  if (all.length === 0) {
    run.state.failures = {}
    return false
  }
  run.state.failures = countFailures(run.state.failures, all)
  const failure = hopelessFailure(run.state.failures)
  if (failure === undefined) return false
  run.error ??= new RetinueError({
    code: 'tool-failed-repeatedly',
    message: `The run was given up: the same call failed three steps running. ${failure}`,
    hint: 'Mend the tool, or tell the model in the instructions how to use it.',
  })
  return true
}
