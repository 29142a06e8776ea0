import type { Message } from '../messages/message.ts'
import type { ScorerRun } from '../scorers/scorer.ts'
import type { Run } from './run.ts'

/** A run as scorers see it: the task, the answer, and what was done for it. */
export function scorerRun({ state, agentId, requestContext }: Run): ScorerRun {
  return {
    input: { task: taskOf(state.messages.slice(0, state.inputLength)), messages: state.messages.slice() },
    output: state.text,
    toolCalls: state.steps.flatMap((step) => step.toolCalls),
    toolResults: state.steps.flatMap((step) => step.toolResults),
    iteration: state.iteration,
    maxIterations: state.maxSteps,
    runId: state.runId,
    agentId,
    path: state.path,
    requestContext,
  }
}

/** What was asked for: the text of the last message of the person in the input. */
function taskOf(input: readonly Message[]): string {
  const last = input.findLast((message) => message.role === 'user')
  return (last?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
