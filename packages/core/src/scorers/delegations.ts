import { type DelegationEnvelope, isEnvelope } from '../events/envelope.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import type { ScorerRun } from './scorer.ts'

/** A delegation of a run, or one further down. */
export interface Delegation {
  readonly toolCallId: string
  /** The keys that lead to the subagent, from the run's own agent on, which is not in it. */
  readonly path: readonly string[]
  readonly envelope: DelegationEnvelope
}

/**
 * The delegations of a run in the order in which they were asked for, each followed by those that its child made: an envelope shows
 * its child's own delegations, and none below. Undefined where the run has no tool results to look through.
 */
export function delegationsOf({ toolResults }: ScorerRun): Delegation[] | undefined {
  return toolResults && below(toolResults, [])
}

function below(results: readonly ToolResultRecord[], parent: readonly string[]): Delegation[] {
  return results.flatMap(({ toolCallId, toolName, result: envelope }) => {
    if (!isEnvelope(envelope)) return []
    const path = [...parent, toolName]
    return [{ toolCallId, path, envelope }, ...below(envelope.subAgentToolResults, path)]
  })
}
