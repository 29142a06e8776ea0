import { freezeMessage } from '../messages/freeze-message.ts'
import { type Message, messageText } from '../messages/message.ts'
import type { ScorerRun } from '../scorers/scorer.ts'
import type { Run } from './run.ts'

/** A run as scorers see it: the task, the answer, and what was done for it. */
export function scorerRun({ root, state, agentId, requestContext }: Run): ScorerRun {
  // A scorer looks on: what it is shown it must not rewrite.
  for (const message of state.messages) freezeMessage(message)
  return {
    input: { task: taskOf(state.messages.slice(0, state.inputLength)), messages: state.messages.slice() },
    output: state.text,
    toolCalls: state.steps.flatMap((step) => step.toolCalls.map(frozenCopy)),
    toolResults: state.steps.flatMap((step) => step.toolResults.map(frozenCopy)),
    iteration: state.iteration,
    maxIterations: state.maxSteps + (state.answeredAt ?? 0),
    runId: state.runId,
    agentId,
    path: state.path,
    requestContext,
    providers: root.providers,
  }
}

function frozenCopy<T extends object>(record: T): T {
  return Object.freeze({ ...record })
}

/** What was asked for: the text of the last message of the person in the input. */
function taskOf(input: readonly Message[]): string {
  const last = input.findLast((message) => message.role === 'user')
  return last ? messageText(last) : ''
}
