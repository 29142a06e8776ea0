import type { JSONValue } from '@ai-sdk/provider'
import { toJson } from '../shared/json.ts'
import { isObject } from '../shared/records.ts'
import { fileData } from './file-data.ts'
import { disarm, disarmJson } from './framework-note.ts'
import { inputError } from './input-error.ts'
import type { AssistantPart, FilePart, TextPart, ToolOutput } from './message.ts'

export type Role = 'system' | 'user' | 'assistant' | 'tool'
type Part = AssistantPart

/** The parts of a model message's content, in the internal form; empty texts are left out. */
export function partsFromContent(role: Role, content: unknown, index: number): Part[] {
  if (typeof content === 'string') {
    if (content.trim() !== '') return [{ type: 'text', text: disarm(content) }]
    if (role === 'user')
      throw inputError(`Message ${index} is empty.`, 'Leave it out, or give it text or a file.', index)
    return []
  }
  if (!Array.isArray(content)) throw inputError(`Message ${index} has no content.`, undefined, index)
  const parts: Part[] = []
  for (const part of content) {
    const converted = isObject(part) ? convertPart(role, part) : undefined
    if (!converted) {
      const type = isObject(part) ? JSON.stringify(part['type']) : typeof part
      throw inputError(
        `Message ${index} (${role}) has a part of type ${type}, which that role cannot hold.`,
        undefined,
        index,
      )
    }
    if (converted.type !== 'text' || converted.text !== '') parts.push(converted)
  }
  if (parts.length === 0 && role === 'user')
    throw inputError(`Message ${index} is empty.`, 'Leave it out, or give it text or a file.', index)
  return parts
}

function convertPart(role: Role, part: Record<string, unknown>): Part | undefined {
  switch (part['type']) {
    case 'text':
      return role === 'tool' ? undefined : textPart(part)
    case 'image':
    case 'file':
      return role === 'tool' ? undefined : filePart(part)
    case 'reasoning':
      if (role !== 'assistant' || typeof part['text'] !== 'string') return undefined
      return { type: 'reasoning', text: part['text'], ...options(part) }
    case 'tool-call':
      return role === 'assistant' ? toolCallPart(part) : undefined
    case 'tool-result':
      return role === 'assistant' || role === 'tool' ? toolResultPart(part) : undefined
    case 'custom':
    case 'reasoning-file':
      // The model's own material, handed back as it came.
      return role === 'assistant' ? (part as unknown as Part) : undefined
    default:
      return undefined
  }
}

function textPart(part: Record<string, unknown>): TextPart | undefined {
  return typeof part['text'] === 'string' ? { type: 'text', text: disarm(part['text']), ...options(part) } : undefined
}

function filePart(part: Record<string, unknown>): FilePart | undefined {
  const image = part['type'] === 'image'
  const declared = typeof part['mediaType'] === 'string' ? part['mediaType'] : image ? 'image/*' : undefined
  const found = fileData(image ? part['image'] : part['data'])
  const mediaType = declared ?? found?.mediaType
  if (!found || mediaType === undefined) return undefined
  const filename = typeof part['filename'] === 'string' ? { filename: part['filename'] } : {}
  return { type: 'file', data: found.data, mediaType: found.mediaType ?? mediaType, ...filename, ...options(part) }
}

function toolCallPart(part: Record<string, unknown>): Part | undefined {
  const { toolCallId, toolName } = part
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return undefined
  const input = part['input'] ?? part['args'] ?? {}
  const executed = part['providerExecuted'] === true ? { providerExecuted: true } : {}
  return { type: 'tool-call', toolCallId, toolName, input, ...executed, ...options(part) }
}

function toolResultPart(part: Record<string, unknown>): Part | undefined {
  const { toolCallId, toolName } = part
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return undefined
  const output = isOutput(part['output']) ? disarmOutput(part['output']) : valueOutput(part['output'] ?? part['result'])
  return { type: 'tool-result', toolCallId, toolName, output, ...options(part) }
}

const OUTPUT_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'json',
  'error-text',
  'error-json',
  'content',
  'execution-denied',
])

function isOutput(value: unknown): value is ToolOutput {
  return isObject(value) && OUTPUT_TYPES.has(value['type'])
}

function disarmOutput(output: ToolOutput): ToolOutput {
  return disarmJson(output as JSONValue) as ToolOutput
}

/** A bare value as a tool's output: text as text, everything else as JSON. */
export function valueOutput(value: unknown): ToolOutput {
  if (typeof value === 'string') return { type: 'text', value: disarm(value) }
  const json = toJson(value)
  return json.ok ? { type: 'json', value: disarmJson(json.value) } : { type: 'error-text', value: json.reason }
}

function options(part: Record<string, unknown>): { providerOptions?: never } {
  const given = part['providerOptions'] ?? part['providerMetadata']
  return isObject(given) ? { providerOptions: given as never } : {}
}
