import type { ToolCallRecord, ToolResultRecord } from '@retinue/core/agent'
import { RetinueError } from '@retinue/core/errors'
import type { ScorerRun } from '@retinue/core/evals'

/** The answer's text. Like the others here, it throws `scorer-input-missing` where there is none: what nobody saw is not fine. */
export function textOf({ output }: ScorerRun, check: string): string {
  if (typeof output !== 'string') throw missing('output', check)
  return output
}

/** The tool calls of all steps, delegations among them. */
export function toolCallsOf({ toolCalls }: ScorerRun, check: string): readonly ToolCallRecord[] {
  if (!Array.isArray(toolCalls)) throw missing('toolCalls', check)
  return toolCalls as readonly ToolCallRecord[]
}

/** How the tool calls of all steps ended. */
export function toolResultsOf({ toolResults }: ScorerRun, check: string): readonly ToolResultRecord[] {
  if (!Array.isArray(toolResults)) throw missing('toolResults', check)
  return toolResults as readonly ToolResultRecord[]
}

function missing(field: keyof ScorerRun, check: string): RetinueError {
  return new RetinueError({
    code: 'scorer-input-missing',
    message: `The check "${check}" looks at the ${field} of a run, and was given none.`,
    hint: `Hand it over: scorer.run({ output: result.text, ${field}: result.${field} }).`,
    data: { scorer: check, field },
  })
}
