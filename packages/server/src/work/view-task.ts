import type { BackgroundTask, TaskFacts } from '@retinue/core/agent'
import { toldError } from '../errors/told-error.ts'
import type { Services } from '../http/services.ts'
import { plain, toldResult } from '../runs/wire-chunk.ts'
import { pendingCallsOf } from './view-run.ts'

/** The facts of a background task as JSON. */
export function taskJson(task: TaskFacts) {
  const { taskId, rootRunId: runId, parentRunId, agentId, path, toolName, toolCallId, threadId, resourceId } = task
  const { status, attempts, createdAt, startedAt, endedAt, deliveredAt, error } = task
  return {
    taskId,
    runId,
    parentRunId,
    agentId,
    path,
    toolName,
    toolCallId,
    threadId,
    resourceId,
    status,
    attempts,
    createdAt,
    startedAt,
    endedAt,
    deliveredAt,
    ...(error ? { error: toldError(error as Parameters<typeof toldError>[0]) } : {}),
  }
}

/** A task with what it was given, and what it waits for or what came of it. */
export async function viewTask(services: Services, task: BackgroundTask): Promise<Record<string, unknown>> {
  const { args, result, endedAt, taskId } = task
  return {
    ...taskJson(task),
    args,
    ...(result === undefined ? {} : { result: toldResult(plain(result)) }),
    pendingCalls: endedAt === undefined ? await pendingCallsOf(services, taskId) : [],
  }
}
