import type { RunResult } from '@retinue/core/agent'
import { toldError } from '../errors/told-error.ts'
import { plain, toldRecord } from '../runs/wire-chunk.ts'

/** A result as JSON. */
export function resultJson(result: RunResult, threadId: string | undefined): Record<string, unknown> {
  const { runId, text, object, finishReason, usage, totalUsage, toolCalls, toolResults, error } = result
  const { sources, files, warnings, pendingCalls } = result
  return {
    runId,
    ...(threadId === undefined ? {} : { threadId }),
    text,
    ...(object === undefined ? {} : { object: plain(object) }),
    finishReason,
    usage,
    totalUsage,
    toolCalls: plain(toolCalls),
    toolResults: (plain(toolResults) as typeof toolResults).map(toldRecord),
    sources,
    files: plain(files),
    warnings,
    ...(pendingCalls ? { pendingCalls: plain(pendingCalls) } : {}),
    ...(error ? { error: toldError(error.toJSON()) } : {}),
  }
}
