import { taskAgentOf } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { RunStatus, StoredRun, TaskFacts } from '@retinue/core/storage'
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
  /** It is what works on the background task of the same id, and no run that somebody began. */
  readonly isTask: boolean
}

/** Throws `run-not-found`. */
export async function knownRun({ app, hub, storage }: Services, runId: string): Promise<KnownRun> {
  const tracked = hub.get(runId)
  // What this process works on it knows best; of what it once worked on, another may know more.
  if (tracked?.stream) return ofTracked(tracked)
  const stored = await storage.runs.get(runId).catch((thrown: unknown) => {
    if (isRetinueError(thrown, 'run-not-found')) return undefined
    throw thrown
  })
  if (stored) return ofStored(stored, tracked)
  if (tracked) return ofTracked(tracked)
  // It has ended, and what it began in the background is decided, or called off, with its id.
  const [task] = (await app.tasks.list({ rootRunId: runId, limit: 1 })).items
  if (!task) throw runNotFound(runId)
  return ofTask(task)
}

function ofTask({ rootRunId: runId, agentId, threadId, resourceId, createdAt }: TaskFacts): KnownRun {
  const facts = { runId, agentId, threadId, resourceId, createdAt, updatedAt: createdAt }
  return { ...facts, status: 'ended', tracked: undefined, isStored: false, isTask: false }
}

export function ofTracked(tracked: TrackedRun): KnownRun {
  const { runId, agentId, threadId, resourceId, createdAt, updatedAt, isTask } = tracked
  // One that waited, and that nobody keeps any more, was gone on with, or called off, elsewhere.
  const status = tracked.status === 'suspended' ? 'ended' : tracked.status
  return { runId, agentId, status, threadId, resourceId, createdAt, updatedAt, tracked, isStored: false, isTask }
}

export function ofStored(stored: Omit<StoredRun, 'body'>, tracked: TrackedRun | undefined): KnownRun {
  const { runId, status, threadId, resourceId, createdAt, updatedAt } = stored
  const taskAgent = taskAgentOf(stored.agentId)
  const facts = { runId, agentId: taskAgent ?? stored.agentId, status, threadId, resourceId, createdAt, updatedAt }
  return { ...facts, tracked, isStored: true, isTask: taskAgent !== undefined }
}
