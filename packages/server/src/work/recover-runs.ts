import type { RunFacts } from '@retinue/core/storage'
import { ofStored } from '../http/known-run.ts'
import type { Services } from '../http/services.ts'

/** Goes on with every run that somebody died over, and finds it again for readers. */
export async function recoverRuns({ app, storage, hub, resolveModel }: Services): Promise<void> {
  const places = new Map<string, RunFacts>()
  for (const status of ['running', 'suspended'] as const) {
    let cursor: string | undefined
    do {
      const page = await storage.runs.list({ status, ...(cursor === undefined ? {} : { cursor }) })
      for (const run of page.items) places.set(run.runId, run)
      cursor = page.next
    } while (cursor !== undefined)
  }
  for (const stream of await app.recover(resolveModel ? { resolveModel } : {})) {
    const place = places.get(stream.taskId ?? stream.runId)
    // One that began between the two is read by whoever began it.
    if (place) await hub.track(stream, ofStored(place, undefined))
  }
}
