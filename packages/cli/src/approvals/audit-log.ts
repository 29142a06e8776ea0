import type { Approval } from '@retinue/core/storage'
import { EXIT } from '../exit-codes.ts'
import { openApplication } from '../run/open-application.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { renderTable, timeText } from '../table.ts'
import { approvalsOf } from './find-run.ts'
import type { ApprovalsOptions } from './options.ts'

/** Prints who was asked what, and who decided it how and when, also of runs that have ended. Gives the exit code. */
export async function showLog(options: ApprovalsOptions & { readonly runId?: string | undefined }): Promise<number> {
  const { runId, json, out, err } = options
  try {
    const { agents, close } = await openApplication(options)
    const query = runId === undefined ? {} : { runId }
    const read = Promise.all(Object.values(agents).map((agent) => approvalsOf(agent, query)))
    const approvals = (await read.finally(close)).flat().sort((a, b) => a.requestedAt - b.requestedAt)
    if (json) out(`${JSON.stringify({ approvals }, null, 2)}\n`)
    else if (approvals.length === 0) err('Nobody was asked anything yet.\n')
    else out(table(approvals))
    return EXIT.ok
  } catch (error) {
    return tellFailure(error, options)
  }
}

function table(approvals: readonly Approval[]): string {
  const rows = approvals.map((approval) => {
    const { runId, toolCallId, path, toolName, status, requestedAt, decidedAt, decision } = approval
    return [
      timeText(requestedAt),
      runId,
      toolCallId,
      path.join(' › '),
      toolName,
      status,
      decision?.by ?? '',
      decidedAt === undefined ? '' : timeText(decidedAt),
      noteOf(approval),
    ]
  })
  return renderTable(['ASKED', 'RUN', 'CALL', 'BY', 'TOOL', 'IS', 'DECIDED BY', 'AT', 'NOTE'], rows)
}

/** What a decision said beside yes or no. */
function noteOf({ decision = {} }: Approval): string {
  if (decision.reason) return decision.reason
  if (decision.args !== undefined) return `edited: ${JSON.stringify(decision.args)}`
  return decision.resumeData === undefined ? '' : `answer: ${JSON.stringify(decision.resumeData)}`
}
