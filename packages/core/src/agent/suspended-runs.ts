import { runBusy } from '../approvals/approval-errors.ts'
import type { PendingToolCall } from '../approvals/question.ts'
import { assertKnownKeys, optionInvalid } from '../errors/option-errors.ts'
import { isObject } from '../shared/records.ts'
import type { Approval, ApprovalChange, ApprovalQuery } from '../storage/approvals.ts'
import type { Page } from '../storage/page.ts'
import type { RunFacts } from '../storage/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { runNotFound } from '../storage/storage-errors.ts'
import type { Site } from './decide-run.ts'
import { directEffects } from './direct-effects.ts'
import { LEASE_MS, storageOf } from './kept-tree.ts'
import { liveRuns } from './live-runs.ts'

/** Which runs are listed. */
export interface SuspendedRunsQuery {
  threadId?: string
  resourceId?: string
  /** At most so many, the oldest first. Default: 100. */
  limit?: number
  /** `next` of the page before. */
  cursor?: string
}

/** A run that waits for a person. */
export interface SuspendedRun {
  readonly runId: string
  /** The root agent's. */
  readonly path: readonly string[]
  readonly threadId?: string
  readonly resourceId?: string
  /** Milliseconds since 1970. */
  readonly suspendedAt: number
  /** What it waits for, at whatever depth. */
  readonly toolCalls: readonly PendingToolCall[]
}

export interface SuspendedRuns {
  readonly runs: readonly SuspendedRun[]
  /** How many there are on all pages. */
  readonly total: number
  /** The cursor of the next page; undefined if this is the last. */
  readonly next?: string
}

const QUERY: Readonly<Record<keyof SuspendedRunsQuery, true>> = {
  threadId: true,
  resourceId: true,
  limit: true,
  cursor: true,
}

/** The runs of an agent that wait for a person. */
export async function listSuspended(site: Site, query: SuspendedRunsQuery): Promise<SuspendedRuns> {
  if (!isObject(query))
    throw optionInvalid('What is listed is said in an object.', "listSuspendedRuns({ resourceId: 'ada' })")
  assertKnownKeys(query, QUERY, 'These options are not known')
  const storage = storageOf(site.parts, site.application)
  const page = await storage.runs.list({ ...query, agentId: site.parts.options.id, status: 'suspended' })
  const runs = await Promise.all(page.items.map((facts) => suspendedRun(storage, facts)))
  return { runs, total: page.total, ...(page.next === undefined ? {} : { next: page.next }) }
}

async function suspendedRun(
  storage: Storage,
  { runId, agentId, threadId, resourceId, updatedAt }: RunFacts,
): Promise<SuspendedRun> {
  const { items } = await storage.approvals.list({ runId, status: 'pending', limit: 1000 })
  return {
    runId,
    path: [agentId],
    ...(threadId === undefined ? {} : { threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
    suspendedAt: updatedAt,
    toolCalls: items.map(pendingCall),
  }
}

function pendingCall({ toolCallId, toolName, args, path, kind, payload, expiresAt }: Approval): PendingToolCall {
  return {
    toolCallId,
    toolName,
    args,
    path,
    requiresApproval: kind === 'approval',
    ...(payload === undefined ? {} : { suspendPayload: payload }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** Who was asked what by the runs of an agent, and decided how, in the order in which they were asked. */
export function listApprovals(
  { parts, application }: Site,
  query: Omit<ApprovalQuery, 'agentId'>,
): Promise<Page<Approval>> {
  return storageOf(parts, application).approvals.list({ ...query, agentId: parts.options.id })
}

/** Ends a run that waits, or that this process works on. */
export async function cancel({ parts, application }: Site, runId: string): Promise<void> {
  if (typeof runId !== 'string' || runId === '')
    throw optionInvalid('The runId is missing.', "cancelRun('the id of the run')")
  const storage = storageOf(parts, application)
  const live = liveRuns(storage).get(runId)
  if (live?.working && live.agentId === parts.options.id) {
    live.abort('the run was cancelled')
    return live.working
  }
  const [holder, at] = [directEffects.newId(), directEffects.now()]
  const stored = await storage.runs.acquire({ runId, holder, until: at + LEASE_MS, at })
  if (!stored) throw runBusy(runId)
  if (stored.agentId !== parts.options.id) {
    await storage.runs.release({ runId, holder })
    throw runNotFound(runId)
  }
  const { items } = await storage.approvals.list({ runId, limit: 1000 })
  // What was started by somebody who died, or waits for something below, ends here: what it did nobody knows.
  const moves = items.flatMap(({ toolCallId, round, status }): ApprovalChange[] => {
    if (status !== 'pending' && status !== 'approved' && status !== 'started') return []
    return [{ runId, toolCallId, round, from: [status], to: status === 'started' ? 'unknown' : 'cancelled', at }]
  })
  await storage.runs.remove({ runId, expectedVersion: stored.version, moves, at })
  live?.stopClock?.()
  liveRuns(storage).delete(runId)
}
