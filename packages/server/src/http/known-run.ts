import { isRetinueError } from '@retinue/core/errors'
import type { RunStatus, StoredRun } from '@retinue/core/storage'
import { runNotFound } from '../errors/request-errors.ts'
import type { TrackedRun } from '../runs/tracked-run.ts'
import type { Services } from './services.ts'

/** A run as far as it is known, whoever works on it. */
export interface KnownRun {
  readonly runId: string
  readonly agentId: string
  readonly status: RunStatus
  readonly threadId?: string | undefined
  readonly resourceId?: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
  /** What this process knows of it. */
  readonly tracked: TrackedRun | undefined
  /** Whether the storage has it. */
  readonly isStored: boolean
}

/** Throws `run-not-found`. */
export async function knownRun({ hub, storage }: Services, runId: string): Promise<KnownRun> {
  const tracked = hub.get(runId)
  // What this process works on it knows best; of what it once worked on, another may know more.
  if (tracked?.stream) return ofTracked(tracked)
  const stored = await storage.runs.get(runId).catch((thrown: unknown) => {
    if (isRetinueError(thrown, 'run-not-found')) return undefined
    throw thrown
  })
  if (stored) return ofStored(stored, tracked)
  if (!tracked) throw runNotFound(runId)
  return ofTracked(tracked)
}

export function ofTracked(tracked: TrackedRun): KnownRun {
  const { runId, agentId, threadId, resourceId, createdAt, updatedAt } = tracked
  // One that waited, and that nobody keeps any more, was gone on with, or called off, elsewhere.
  const status = tracked.status === 'suspended' ? 'ended' : tracked.status
  return { runId, agentId, status, threadId, resourceId, createdAt, updatedAt, tracked, isStored: false }
}

export function ofStored(stored: Omit<StoredRun, 'body'>, tracked: TrackedRun | undefined): KnownRun {
  const { runId, agentId, status, threadId, resourceId, createdAt, updatedAt } = stored
  return { runId, agentId, status, threadId, resourceId, createdAt, updatedAt, tracked, isStored: true }
}
