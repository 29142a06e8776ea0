import { isRetinueError, thrownMessage } from '../errors/retinue-error.ts'
import { withoutSecrets } from '../errors/without-secrets.ts'
import { warnIn } from '../memory/application.ts'
import { openDecided } from './decide-run.ts'
import { drive } from './drive-run.ts'
import type { Site } from './take-run.ts'

/** Goes on with a run that nobody waits for, such as one of which a call was not decided in time. What goes wrong is a warning. */
export function goOnLater(site: Site, runId: string, waits = true): void {
  goOn(site, runId, waits).catch((thrown: unknown) => {
    // Somebody else was faster, or works on it.
    if (isRetinueError(thrown, 'run-not-found') || isRetinueError(thrown, 'run-busy')) return
    notResumed(site, runId, thrown)
  })
}

async function goOn(site: Site, runId: string, waits: boolean): Promise<void> {
  await drive(await openDecided(site, undefined, { runId }, false, waits))
}

export function notResumed({ application }: Site, runId: string, thrown: unknown): void {
  const why = withoutSecrets(thrownMessage(thrown))
  warnIn(application, 'run-not-resumed', `The run "${runId}" could not go on: ${why}`)
}
