import type { ToolResultRecord } from '@retinue/core/agent'
import { type Delegation, delegationsOf } from '@retinue/core/evals'
import { assertCheckOptions, type Check, type CheckOptions, createCheck, idOf } from './create-check.ts'
import { toolResultsOf } from './run-data.ts'

/** No tool call of the agent failed, and none of its delegations failed or ran out of time. */
export function noToolErrors(options: CheckOptions = {}): Check {
  assertCheckOptions('noToolErrors', options, [])
  const id = idOf('no-tool-errors', options)
  return createCheck({
    id,
    description: 'No tool call failed.',
    look(run) {
      const broken = new Set((delegationsOf(run) ?? []).filter(isBroken).map(({ toolCallId }) => toolCallId))
      const failed = toolResultsOf(run, id).filter(
        ({ toolCallId, isError, error }) => isError === true || error !== undefined || broken.has(toolCallId),
      )
      if (failed.length === 0) return { ok: true, reason: 'No tool call failed.' }
      const calls = [...new Set(failed.map(nameOf))].join(', ')
      return { ok: false, reason: `These tool calls failed: ${calls}.` }
    },
  })
}

/** A delegation that failed is no failed call to the loop: its envelope tells. */
function isBroken({ envelope: { status } }: Delegation): boolean {
  return status === 'failed' || status === 'timed-out'
}

/** The tool, and the code of what happened: an error's own words may be somebody else's. */
function nameOf({ toolName, error }: ToolResultRecord): string {
  return error ? `${JSON.stringify(toolName)} (${error.code})` : JSON.stringify(toolName)
}
