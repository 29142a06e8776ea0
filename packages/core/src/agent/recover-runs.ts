import { isRetinueError } from '../errors/retinue-error.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import type { RunFacts } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { openDecided } from './decide-run.ts'
import { directEffects } from './direct-effects.ts'
import { streamed } from './drive-run.ts'
import { goOnLater, notResumed } from './expired-runs.ts'
import { liveRuns } from './live-runs.ts'
import { assertResumeOptions, type ResumeOptions } from './resume-options.ts'
import type { RunStream } from './run-stream.ts'
import { standingOf } from './standing.ts'
import { storageOf } from './storage-of.ts'
import type { Site } from './take-run.ts'

/** How many runs are gone on with at the same time. */
const AT_ONCE = 10

/**
 * Goes on with every run of an agent that somebody died over, and with those that a decision or its absence lets go on. Each goes on as
 * soon as it is open: another one may wait for its thread.
 */
export async function recover(site: Site, options: Omit<ResumeOptions, 'runId'>): Promise<RunStream[]> {
  assertResumeOptions({ ...Object(options), runId: 'any' }, [])
  const { recoverTasks } = await import('./recover-tasks.ts')
  // First what runs wait for: one that finds its tasks still waiting would wait on.
  const streams = await recoverTasks(site, options)
  const found = await stranded(site)
  await forEachLimited(found.length, AT_ONCE, async (index) => {
    const { runId, lease } = found[index] as RunFacts
    try {
      streams.push(streamed(await openDecided(site, undefined, { ...options, runId }, true, false)))
    } catch (thrown) {
      if (isRetinueError(thrown, 'run-busy')) lookAgain(site, runId, lease?.until ?? 0)
      // Another process was faster.
      else if (!isRetinueError(thrown, 'run-not-found')) notResumed(site, runId, thrown)
    }
  })
  return streams
}

/** Looks at a run again when its time has come: whether a process lives is known when its lease is over, since who lives has a new one. */
function lookAgain(site: Site, runId: string, at: number): void {
  const wait = Math.min(Math.max(0, at - directEffects.now()), LONGEST_TIMER_MS - 1)
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
      const due = status === 'running' || facts.lease ? at : await dueAt(storage, facts.runId)
      if (due !== undefined && due <= at) found.push(facts)
      // The process that had its clock is gone.
      else if (due !== undefined) lookAgain({ parts, application }, facts.runId, due)
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

/**
 * From when on a run that waits need not wait any more: a call is then too late to decide, or was decided by somebody who could not go on.
 * With nothing left to decide, nobody would.
 */
export async function dueAt(storage: Storage, runId: string): Promise<number | undefined> {
  const standing = await standingOf(storage, runId)
  if (!standing.some(({ status }) => status === 'pending')) return 0
  let due: number | undefined
  for (const { status, expiresAt, decidedAt } of standing) {
    const at = status === 'pending' ? expiresAt : status === 'approved' ? decidedAt : undefined
    if (at !== undefined) due = Math.min(due ?? at, at)
  }
  return due
}
