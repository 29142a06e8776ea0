import type { PendingToolCall } from '@retinue/core/agent'
import { isRetinueError } from '@retinue/core/errors'
import type { Approval } from '@retinue/core/storage'
import type { KnownRun } from '../http/known-run.ts'
import { agentOf, type Services } from '../http/services.ts'
import { resultJson } from './run-result.ts'

/** The facts of a run as JSON. */
export function factsJson({ runId, agentId, status, threadId, resourceId, createdAt, updatedAt }: KnownRun) {
  return {
    runId,
    agentId,
    status,
    ...(threadId === undefined ? {} : { threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
    createdAt,
    updatedAt,
  }
}

/** A run with what it waits for, or what it came to. */
export async function viewRun(services: Services, run: KnownRun): Promise<Record<string, unknown>> {
  const own = await pendingCallsOf(services, run.runId)
  // What its background tasks ask is decided with its id, too.
  const asked = await services.app.tasks.questions({ rootRunId: run.runId })
  const result = await resultOf(services, run)
  return { ...factsJson(run), pendingCalls: [...own, ...asked], ...(result ? { result } : {}) }
}

/** What a run, or a background task, waits for. */
export async function pendingCallsOf({ storage }: Services, runId: string): Promise<object[]> {
  const { items } = await storage.approvals.list({ runId, status: 'pending', limit: 1000 })
  return items.map(pendingCall)
}

/** What a run came to: this process knows it for a while, and the storage as long as it keeps the run. */
async function resultOf(services: Services, { runId, agentId, status, threadId, tracked, isStored }: KnownRun) {
  if (status === 'running') return undefined
  if (tracked?.result) return resultJson(tracked.result, threadId)
  if (status !== 'ended' || !isStored) return undefined
  const { resolveModel } = services
  try {
    const options = { runId, ...(resolveModel ? { resolveModel } : {}) }
    return resultJson(await agentOf(services, agentId).resumeRunGenerate(options), threadId)
  } catch (thrown) {
    // It ended with an error, or can't be opened here: that it ended is known all the same.
    if (isRetinueError(thrown)) return undefined
    throw thrown
  }
}

/** A call that waits, as JSON. */
export function pendingCall(approval: Approval): PendingToolCall {
  const { toolCallId, toolName, args, path, kind, payload, expiresAt } = approval

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
