import type { JSONValue } from '@ai-sdk/provider'
import { toJson } from '../shared/json.ts'
import { isObject } from '../shared/records.ts'
import { fileData } from './file-data.ts'
import { disarm, disarmJson } from './framework-note.ts'
import type { ToolOutput } from './message.ts'

/** A bare value as a tool's output: text as text, everything else as JSON. */
export function valueOutput(value: unknown): ToolOutput {
  if (typeof value === 'string') return { type: 'text', value: disarm(value) }
  const json = toJson(value)
  return json.ok ? { type: 'json', value: disarmJson(json.value) } : { type: 'error-text', value: json.reason }
}

/** A bare value as the output of a tool that failed. */
export function errorOutput(value: unknown): ToolOutput {
  const output = valueOutput(value)
  if (output.type === 'json') return { type: 'error-json', value: output.value }
  return output.type === 'text' ? { type: 'error-text', value: output.value } : output
}

/**
 * An output that somebody wrote in the AI SDK's own form, `{ type: 'text', value }`, with the names that older versions have for
 * files. Undefined if it is none: then it is a bare value that happens to have a `type`.
 */
export function taggedOutput(output: unknown): ToolOutput | undefined {
  if (!isObject(output)) return undefined
  const { type, value } = output
  const options = isObject(output['providerOptions']) ? { providerOptions: output['providerOptions'] as never } : {}
  switch (type) {
    case 'text':
    case 'error-text':
      return typeof value === 'string' ? { type, value: disarm(value), ...options } : undefined
    case 'json':
    case 'error-json': {
      const json = toJson(value)
      return json.ok && 'value' in output ? { type, value: disarmJson(json.value), ...options } : undefined
    }
    case 'content':
      return Array.isArray(value) ? { type, value: value.map(contentItem), ...options } : undefined
    case 'execution-denied':
      return { type, ...(typeof output['reason'] === 'string' ? { reason: disarm(output['reason']) } : {}), ...options }
    default:
      return undefined
  }
}

type ContentItem = Extract<ToolOutput, { type: 'content' }>['value'][number]

function contentItem(item: unknown): ContentItem {
  const given: Record<string, unknown> = isObject(item) ? item : { text: item }
  const options = isObject(given['providerOptions']) ? { providerOptions: given['providerOptions'] as never } : {}
  if (given['type'] === 'custom') return { type: 'custom', ...options }
  const file = given['type'] === 'text' ? undefined : contentFile(given)
  if (file) return { ...file, ...options }
  const text = typeof given['text'] === 'string' ? given['text'] : JSON.stringify(toJsonValue(item))
  return { type: 'text', text: disarm(text), ...options }
}

function contentFile({ type, data, url, mediaType, filename }: Record<string, unknown>): ContentItem | undefined {
  const found = fileData(data ?? url)
  if (!found) return undefined
  const fallback = String(type).startsWith('image') ? 'image/*' : 'application/octet-stream'
  return {
    type: 'file',
    data: found.data,
    mediaType: found.mediaType ?? (typeof mediaType === 'string' ? mediaType : fallback),
    ...(typeof filename === 'string' ? { filename } : {}),
  }
}

function toJsonValue(value: unknown): JSONValue {
  const json = toJson(value)
  return json.ok ? json.value : json.reason
}
