import type { Run } from './run.ts'
import type { RunState, Step } from './run-state.ts'

/**
 * Takes down where a run stands, so that a save that a sibling makes later, while this run is in the middle of something, has something
 * whole to write. Only trees that survive crashes have points.
 */
export function takePoint(run: Run): void {
  run.point = copyOf(run.state)
}

/** The state with lists of its own: what is in them is not changed any more, but for the last step's. */
function copyOf(state: RunState): RunState {
  const { messages, steps, usage, totalUsage, references, tasks, answers, questions } = state
  return {
    ...state,
    messages: messages.slice(),
    steps: steps.map((step, index) => (index === steps.length - 1 ? copyOfStep(step) : step)),
    usage: { ...usage },
    totalUsage: { ...totalUsage },
    ...(tasks ? { tasks: tasks.slice() } : {}),
    ...(questions ? { questions: questions.slice() } : {}),
    ...(answers ? { answers: answers.slice() } : {}),
    ...(references ? { references: references.map((reference) => ({ ...reference })) } : {}),
  }
}

function copyOfStep(step: Step): Step {
  return { ...step, toolResults: step.toolResults.slice() }
}
