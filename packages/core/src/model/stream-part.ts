import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { GeneratedFile, Source } from '../events/chunk.ts'
import { noUsage, type Usage } from '../events/usage.ts'
import { base64 } from '../messages/file-data.ts'
import { isObject } from '../shared/records.ts'

/** How a model call ended, as the provider says. */
export type ModelFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** A part of a model's stream. Versions 2, 3 and 4 of the specification differ only in what the functions below read. */
export type StreamPart = LanguageModelV4StreamPart

/** A part that holds something of the answer. */
export type OutputPart = Extract<StreamPart, { type: (typeof OUTPUT_PARTS)[number] }>

const OUTPUT_PARTS = ['text-delta', 'reasoning-delta', 'tool-call', 'source', 'file', 'reasoning-file'] as const

export function isOutputPart(value: unknown): value is OutputPart {
  return isObject(value) && (OUTPUT_PARTS as readonly unknown[]).includes(value['type'])
}

/**
 * A part as its kind says that it is: a broken provider's missing or numeric names and texts become texts. Undefined for what is no
 * part at all. A sound part is handed back as it is.
 */
export function soundPart(value: unknown): StreamPart | undefined {
  if (!isObject(value)) return undefined
  switch (value['type']) {
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
    case 'tool-input-end':
      return withTexts(value, 'id')
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return withTexts(value, 'id', 'delta')
    case 'tool-input-start':
      return withTexts(value, 'id', 'toolName')
    case 'tool-call':
    case 'tool-result':
      return withTexts(value, 'toolCallId', 'toolName')
    default:
      return value as StreamPart
  }
}

function withTexts(part: Record<string, unknown>, first: string, second: string = first): StreamPart {
  if (typeof part[first] === 'string' && typeof part[second] === 'string') return part as StreamPart
  return { ...part, [first]: textOf(part[first]), [second]: textOf(part[second]) } as unknown as StreamPart
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

const FINISHES: ReadonlySet<string> = new Set(['stop', 'length', 'content-filter', 'tool-calls', 'error'])

/** The finish reason of a `finish` part: text in version 2, `{ unified, raw }` from version 3 on. */
export function finishOf(reason: unknown): ModelFinish {
  const unified = isObject(reason) ? reason['unified'] : reason
  return typeof unified === 'string' && FINISHES.has(unified) ? (unified as ModelFinish) : 'other'
}

/** Whether a `finish` part says that the provider sent none: the answer broke off. */
export function isInterrupted(reason: unknown): boolean {
  return isObject(reason) && reason['unified'] === 'interrupted'
}

/** Whether a `custom` part only says that an answer begins, as Anthropic's package does: nothing of the answer is in it. */
export function isOpening(kind: unknown): boolean {
  return typeof kind === 'string' && kind.endsWith('.message_start')
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

/** A generated file: bare data in versions 2 and 3, tagged in version 4. Undefined if it holds neither bytes nor a URL. */
export function fileOf(part: { mediaType: unknown; data: unknown }): GeneratedFile | undefined {
  const { mediaType, data } = part
  if (typeof mediaType !== 'string') return undefined
  const tagged = isObject(data) && !(data instanceof Uint8Array) ? data : undefined
  if (tagged?.['type'] === 'url') {
    const url = String(tagged['url'])
    return URL.canParse(url) ? { mediaType, url } : undefined
  }
  const bytes = tagged ? tagged['data'] : data
  if (bytes instanceof Uint8Array) return { mediaType, data: base64(bytes) }
  return typeof bytes === 'string' ? { mediaType, data: bytes } : undefined
}

/** A generated file as version 4 tags it. */
export function fileData(file: GeneratedFile): { type: 'url'; url: URL } | { type: 'data'; data: string } {
  return 'url' in file ? { type: 'url', url: new URL(file.url) } : { type: 'data', data: file.data }
}

/** A source that a model names. Undefined if it does not say what it is a source of. */
export function sourceOf(part: object): Source | undefined {
  const { sourceType, id, url, title, mediaType, filename } = part as Record<string, unknown>
  const named = { id: textOf(id), ...(typeof title === 'string' ? { title } : {}) }
  if (sourceType === 'url') return typeof url === 'string' ? { sourceType, url, ...named } : undefined
  if (sourceType !== 'document' || typeof mediaType !== 'string' || typeof title !== 'string') return undefined
  return { sourceType, mediaType, ...named, title, ...(typeof filename === 'string' ? { filename } : {}) }
}

/** What a provider says of its answer. */
export interface ResponseFacts {
  id?: string
  modelId?: string
  timestamp?: string
}

export function responseOf(part: object): ResponseFacts {
  const { id, modelId, timestamp } = part as Record<string, unknown>
  const time = timestamp instanceof Date && !Number.isNaN(timestamp.getTime()) ? timestamp.toISOString() : timestamp
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof modelId === 'string' ? { modelId } : {}),
    ...(typeof time === 'string' ? { timestamp: time } : {}),
  }
}

/** The warnings of a `stream-start` part, one text each. */
export function warningsOf(warnings: unknown): string[] {
  return Array.isArray(warnings) ? warnings.map(warningText) : []
}

function warningText(warning: unknown): string {
  const { type, message, setting, feature, details } = isObject(warning) ? warning : {}
  return [type, setting ?? feature, message ?? details].filter((piece) => typeof piece === 'string').join(': ')
}
