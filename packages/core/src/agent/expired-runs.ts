import { isRetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { runLoop } from '../loop/run-loop.ts'
import { type Application, warnIn } from '../memory/application.ts'
import type { AgentParts } from './agent-parts.ts'
import { openDecided, type Site } from './decide-run.ts'

/** Goes on with a run of which a call was not decided in time. Nobody waits for it: what goes wrong is a warning. */
export function runWhenExpired(parts: AgentParts, application: Application, runId: string): void {
  goOnLater({ parts, application }, runId)
}

export function goOnLater(site: Site, runId: string): void {
  goOn(site, runId).catch((thrown: unknown) => {
    // Somebody else was faster.
    if (isRetinueError(thrown, 'run-not-found')) return
    warnIn(site.application, 'run-not-resumed', `The run "${runId}" could not go on: ${thrownMessage(thrown)}`)
  })
}

async function goOn(site: Site, runId: string): Promise<void> {
  const { run } = await openDecided(site, undefined, { runId }, false)
  await runLoop(run)
  run.close()
}
