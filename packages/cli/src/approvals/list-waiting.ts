import type { SuspendedRun } from '@retinue/core/agent'
import { EXIT } from '../exit-codes.ts'
import { openApplication } from '../run/open-application.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { renderTable, timeText } from '../table.ts'
import { suspendedRuns } from './find-run.ts'
import type { ApprovalsOptions } from './options.ts'

/** Prints what waits for a person in the runs of all agents, the longest first. Gives the exit code. */
export async function listWaiting(options: ApprovalsOptions): Promise<number> {
  const { json, out, err } = options
  try {
    const { agents, close } = await openApplication(options)
    const read = Promise.all(Object.values(agents).map(suspendedRuns))
    const runs = (await read.finally(close)).flat().sort((a, b) => a.suspendedAt - b.suspendedAt)
    if (json) out(`${JSON.stringify({ runs, total: runs.length }, null, 2)}\n`)
    else if (runs.length === 0) err('Nothing waits for a person.\n')
    else out(waitingTable(runs))
    return EXIT.ok
  } catch (error) {
    return tellFailure(error, options)
  }
}

/** A line for each call that waits; one for a run of which all is decided, and which did not come to its end. */
export function waitingTable(runs: readonly SuspendedRun[]): string {
  const rows = runs.flatMap(({ runId, path, suspendedAt, toolCalls }) => {
    const since = timeText(suspendedAt)
    if (toolCalls.length === 0) return [[runId, '', since, path.join(' › '), '(all decided)', TAKEN_UP]]
    return toolCalls.map(({ toolCallId, toolName, args, path: asking, requiresApproval }) => {
      const tool = requiresApproval ? toolName : `${toolName} (an answer)`
      return [runId, toolCallId, since, asking.join(' › '), tool, JSON.stringify(args) ?? '']
    })
  })
  return renderTable(['RUN', 'CALL', 'SINCE', 'ASKS', 'TOOL', 'ARGUMENTS'], rows)
}

const TAKEN_UP = 'goes on, or was left: "approve RUN" takes it up again'
