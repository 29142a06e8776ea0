import type { RetinueError } from '../errors/retinue-error.ts'
import { isObject } from '../shared/records.ts'
import { legalToolName } from '../shared/tool-name.ts'
import { fileData } from './file-data.ts'
import { disarm } from './framework-note.ts'
import { inputError } from './input-error.ts'
import type { AssistantPart, FilePart, TextPart } from './message.ts'
import { taggedOutput, valueOutput } from './tool-output.ts'

export type Role = 'system' | 'user' | 'assistant' | 'tool'
type Part = AssistantPart

/** The parts of a model message's content, in the internal form; blank texts are left out. */
export function partsFromContent(role: Role, content: unknown, index: number): Part[] {
  if (typeof content === 'string') {
    if (content.trim() !== '') return [{ type: 'text', text: disarm(content) }]
    if (role === 'user') throw emptyMessage(index)
    return []
  }
  if (!Array.isArray(content)) throw inputError(`Message ${index} has no content.`, undefined, index)
  const parts: Part[] = []
  for (const part of content) {
    const converted = isObject(part) ? convertPart(role, part) : undefined
    if (!converted) {
      throw unreadable(role, part, index)
    }
    // Providers refuse a text that is empty or blank.
    if (converted.type !== 'text' || converted.text.trim() !== '') parts.push(converted)
  }
  if (parts.length === 0 && role === 'user') throw emptyMessage(index)
  return parts
}

function emptyMessage(index: number): RetinueError {
  return inputError(`Message ${index} is empty.`, 'Leave it out, or give it text or a file.', index)
}

function unreadable(role: Role, part: unknown, index: number): RetinueError {
  const type: unknown = isObject(part) ? part['type'] : typeof part
  if (role !== 'tool' && (type === 'file' || type === 'image')) {
    return inputError(
      `Message ${index} (${role}) has a part of type "${type}" without data that a model can be given.`,
      'Pass bytes, base64, a data URL or an https URL, and the mediaType: { type: "file", data, mediaType: "image/png" }.',
      index,
    )
  }
  const what = `a part of type ${JSON.stringify(type)}, which that role cannot hold`
  return inputError(`Message ${index} (${role}) has ${what}.`, undefined, index)
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
  const input = callInput(part['input'] ?? part['args'])
  const executed = part['providerExecuted'] === true ? { providerExecuted: true } : {}
  return { type: 'tool-call', toolCallId, toolName: legalToolName(toolName), input, ...executed, ...options(part) }
}

function toolResultPart(part: Record<string, unknown>): Part | undefined {
  const { toolCallId, toolName } = part
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return undefined
  const output = taggedOutput(part['output']) ?? valueOutput(part['output'] ?? part['result'])
  return { type: 'tool-result', toolCallId, toolName: legalToolName(toolName), output, ...options(part) }
}

/** The arguments of a recorded call as the object that every provider wants, whatever wrote the history. */
export function callInput(input: unknown): Record<string, unknown> {
  if (isObject(input)) return input
  if (input === undefined || input === null) return {}
  if (typeof input === 'string') {
    try {
      const parsed: unknown = JSON.parse(input)
      if (isObject(parsed)) return parsed
    } catch {
      // It is text that was never JSON: kept as what it is.
    }
  }
  return { value: input }
}

function options(part: Record<string, unknown>): { providerOptions?: never } {
  const given = part['providerOptions'] ?? part['providerMetadata']
  return isObject(given) ? { providerOptions: given as never } : {}
}
