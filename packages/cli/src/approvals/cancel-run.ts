import { isRetinueError } from '@retinue/core/errors'
import { EXIT } from '../exit-codes.ts'
import { openApplication } from '../run/open-application.ts'
import { tellFailure } from '../run/tell-outcome.ts'
import { findRun } from './find-run.ts'
import { forCommandLine } from './hints.ts'
import type { ApprovalsOptions } from './options.ts'

/** Ends a run that waits: nothing of it is decided any more. Gives the exit code. */
export async function cancelRun(options: ApprovalsOptions & { readonly runId: string }): Promise<number> {
  const { runId, json, out, err } = options
  try {
    const { agents, close } = await openApplication(options)
    await findRun(agents, runId)
      .then(({ agent }) => agent.cancelRun(runId))
      .finally(close)
    if (json) out(`${JSON.stringify({ runId, cancelled: true }, null, 2)}\n`)
    else err(`The run ${runId} is cancelled.\n`)
    return EXIT.ok
  } catch (error) {
    return tellFailure(isRetinueError(error) ? forCommandLine(error, runId) : error, options)
  }
}
