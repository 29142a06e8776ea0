import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { GeneratedFile } from '../events/chunk.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import { base64 } from '../messages/file-data.ts'
import { isObject } from '../shared/records.ts'

/** How a model call ended, as the provider says. */
export type ModelFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** A part of a model's stream. Versions 2, 3 and 4 of the specification differ only in what the functions below read. */
export type StreamPart = LanguageModelV4StreamPart

const FINISHES: ReadonlySet<string> = new Set(['stop', 'length', 'content-filter', 'tool-calls', 'error'])

/** The finish reason of a `finish` part: text in version 2, `{ unified, raw }` from version 3 on. */
export function finishOf(reason: unknown): ModelFinish {
  const unified = isObject(reason) ? reason['unified'] : reason
  return typeof unified === 'string' && FINISHES.has(unified) ? (unified as ModelFinish) : 'other'
}

/** The usage of a `finish` part: plain numbers in version 2, by kind from version 3 on. */
export function usageOf(reported: unknown): Usage {
  const usage = noUsage()
  usage.calls = 1
  const given = isObject(reported) ? reported : {}
  const { inputTokens, outputTokens } = given
  const input = count(inputTokens) ?? countIn(inputTokens, 'total')
  const output = count(outputTokens) ?? countIn(outputTokens, 'total')
  if (input === undefined && output === undefined) {
    usage.unreportedCalls = 1
    return usage
  }
  usage.inputTokens = input ?? 0
  usage.outputTokens = output ?? 0
  usage.totalTokens = count(given['totalTokens']) ?? usage.inputTokens + usage.outputTokens
  usage.cachedInputTokens = countIn(inputTokens, 'cacheRead') ?? count(given['cachedInputTokens']) ?? 0
  usage.reasoningTokens = countIn(outputTokens, 'reasoning') ?? count(given['reasoningTokens']) ?? 0
  return usage
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function countIn(value: unknown, kind: string): number | undefined {
  return isObject(value) ? count(value[kind]) : undefined
}

/** A generated file: bare data in versions 2 and 3, tagged in version 4. */
export function fileOf(part: { mediaType: string; data: unknown }): GeneratedFile {
  const { mediaType, data } = part
  if (isObject(data) && data['type'] === 'url') return { mediaType, url: String(data['url']) }
  const bytes = isObject(data) && !(data instanceof Uint8Array) ? data['data'] : data
  return { mediaType, data: bytes instanceof Uint8Array ? base64(bytes) : String(bytes) }
}
