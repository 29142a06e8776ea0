import { isRetinueError } from '../errors/retinue-error.ts'
import type { RunFacts } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { openDecided, type Site } from './decide-run.ts'
import { directEffects } from './direct-effects.ts'
import { goOnLater, notResumed } from './expired-runs.ts'
import { LEASE_MS, storageOf } from './kept-tree.ts'
import { liveRuns } from './live-runs.ts'
import type { OpenedRoot } from './open-run.ts'
import type { ResumeOptions } from './resume-options.ts'

/** Opens every run of an agent that somebody died over, and those that a decision or its absence lets go on. */
export async function recover(site: Site, options: Omit<ResumeOptions, 'runId'>): Promise<OpenedRoot[]> {
  const opened: OpenedRoot[] = []
  for (const { runId, lease } of await stranded(site)) {
    try {
      opened.push(await openDecided(site, undefined, { ...options, runId }, true, false))
    } catch (thrown) {
      if (isRetinueError(thrown, 'run-busy')) lookAgain(site, runId, lease?.until)
      // Another process was faster.
      else if (!isRetinueError(thrown, 'run-not-found')) notResumed(site, runId, thrown)
    }
  }
  return opened
}

/** Whether a process lives is known when its lease is over: who lives has a new one by then. */
function lookAgain(site: Site, runId: string, until: number | undefined): void {
  const wait = Math.min(Math.max(0, (until ?? 0) - directEffects.now()), LEASE_MS)
  directEffects.startTimer(wait + 1, () => goOnLater(site, runId, false), true)
}

async function stranded({ parts, application }: Site): Promise<RunFacts[]> {
  const storage = storageOf(parts, application)
  const at = directEffects.now()
  const found: RunFacts[] = []
  for (const status of ['running', 'suspended'] as const) {
    for await (const facts of allRuns(storage, parts.options.id, status)) {
      if (liveRuns(storage).get(facts.runId)?.working) continue
      // One that waits is in nobody's hands: who has its lease began to go on with it, whatever was decided.
      if (status === 'running' || facts.lease || (await isDue(storage, facts.runId, at))) found.push(facts)
    }
  }
  return found
}

async function* allRuns(storage: Storage, agentId: string, status: RunFacts['status']): AsyncGenerator<RunFacts> {
  let cursor: string | undefined
  do {
    const page = await storage.runs.list({ agentId, status, ...(cursor === undefined ? {} : { cursor }) })
    yield* page.items
    cursor = page.next
  } while (cursor !== undefined)
}

/** Whether a run that waits need not wait: a call was not decided in time, or whoever decided died before it could start. */
async function isDue(storage: Storage, runId: string, at: number): Promise<boolean> {
  for (const status of ['pending', 'approved'] as const) {
    const { items } = await storage.approvals.list({ runId, status, limit: 1000 })
    const isOver = items.some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= at)
    if (status === 'approved' ? items.length > 0 : isOver) return true
  }
  return false
}
