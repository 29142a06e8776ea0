import { isRetinueError } from '../errors/retinue-error.ts'
import type { GeneratedFile, Source } from '../events/chunk.ts'
import type { FinishReason } from '../events/finish-reason.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import type { Message } from '../messages/message.ts'
import { isObject } from '../shared/records.ts'
import type { DelegatedResult } from './delegate-target.ts'
import { failedResult, failureOf } from './settle.ts'

const FINISH_REASONS: Readonly<Record<FinishReason, true>> = {
  stop: true,
  length: true,
  'content-filter': true,
  'tool-calls': true,
  'max-steps': true,
  bailed: true,
  incomplete: true,
  'over-budget': true,
  suspended: true,
  aborted: true,
  error: true,
  other: true,
}

/**
 * What a target gave, made whole: it may be code that is not ours, on another machine. What is missing is empty, what is no result
 * is a failure, and an error that is not ours is not trusted to be fit for a model.
 */
export function checkedResult(result: unknown, key: string): DelegatedResult {
  if (!isObject(result) || typeof result['text'] !== 'string' || !isFinishReason(result['finishReason'])) {
    return failedResult(new TypeError('it gave no { text, finishReason, … }'), key)
  }
  const { text, object, finishReason, error } = result
  const usage = usageOf(result['usage'])
  return {
    text,
    object,
    finishReason,
    usage,
    totalUsage: isObject(result['totalUsage']) ? usageOf(result['totalUsage']) : usage,
    sources: listOf(result['sources'], isSource),
    files: listOf(result['files'], isFile),
    toolResults: listOf(result['toolResults'], isToolResult),
    messages: listOf(result['messages'], isMessage),
    error: error === undefined || error === null ? undefined : isRetinueError(error) ? error : failureOf(error, key),
  }
}

function isFinishReason(value: unknown): value is FinishReason {
  return typeof value === 'string' && Object.hasOwn(FINISH_REASONS, value)
}

/** Counts as numbers, so that no sum is spoilt; the AI SDK leaves out, or sets to undefined, what a provider did not report. */
function usageOf(given: unknown): Usage {
  const usage = noUsage()
  if (!isObject(given)) return usage
  for (const name of Object.keys(usage) as (keyof Usage)[]) {
    const count = given[name]
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0) usage[name] = count
  }
  // The AI SDK's own sum can be missing where its parts are there.
  if (!Number.isFinite(given['totalTokens'])) usage.totalTokens = usage.inputTokens + usage.outputTokens
  return usage
}

function listOf<T>(given: unknown, fits: (item: unknown) => item is T): readonly T[] {
  if (!Array.isArray(given)) return []
  return given.every(fits) ? given : given.filter(fits)
}

function isSource(item: unknown): item is Source {
  return isObject(item) && (item['sourceType'] === 'url' || item['sourceType'] === 'document')
}

function isFile(item: unknown): item is GeneratedFile {
  if (!isObject(item) || typeof item['mediaType'] !== 'string') return false
  return typeof item['data'] === 'string' || typeof item['url'] === 'string'
}

function isMessage(item: unknown): item is Message {
  return isObject(item) && typeof item['role'] === 'string' && 'content' in item
}

function isToolResult(item: unknown): item is ToolResultRecord {
  return isObject(item) && typeof item['toolCallId'] === 'string' && typeof item['toolName'] === 'string'
}
