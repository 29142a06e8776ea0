import type { SharedV4FileData } from '@ai-sdk/provider'
import { base64 } from '../messages/file-data.ts'
import type { Message, ToolOutput } from '../messages/message.ts'

type Version = 'v2' | 'v3' | 'v4'

/**
 * The prompt in the form of a model's specification. Only files and a tool's richer outputs differ between versions, so that a
 * conversation of texts and calls is handed over as it is.
 */
export function adaptPrompt(prompt: Message[], version: Version): unknown[] {
  return version === 'v4' ? prompt : prompt.flatMap((message) => adaptMessage(message, version))
}

/** The message, or nothing if all that it held has no place in that version. */
function adaptMessage(message: Message, version: 'v2' | 'v3'): unknown[] {
  if (message.role === 'system') return [message]
  let changed = false
  const content = (message.content as { type: string }[]).flatMap((part) => {
    const adapted = adaptPart(part as Part, version)
    if (adapted !== part) changed = true
    return adapted === undefined ? [] : [adapted]
  })
  if (!changed) return [message]
  return content.length === 0 ? [] : [{ ...message, content }]
}

type Part = Exclude<Message, { role: 'system' }>['content'][number]

function adaptPart(part: Part, version: 'v2' | 'v3'): unknown {
  switch (part.type) {
    case 'file':
      return { ...part, data: plainData(part.data) }
    case 'tool-result':
      return needsAdapting(part.output, version) ? { ...part, output: adaptOutput(part.output, version) } : part
    case 'custom':
    case 'reasoning-file':
      // Older specifications have no place for these.
      return undefined
    case 'tool-approval-response':
      return version === 'v2' ? undefined : part
    default:
      return part
  }
}

function plainData(data: SharedV4FileData): unknown {
  switch (data.type) {
    case 'data':
      return data.data
    case 'url':
      return data.url
    case 'text':
      return new TextEncoder().encode(data.text)
    case 'reference':
      return JSON.stringify(data.reference)
  }
}

function needsAdapting(output: ToolOutput, version: 'v2' | 'v3'): boolean {
  if (output.type === 'execution-denied') return version === 'v2'
  return output.type === 'content' && output.value.some((item) => item.type !== 'text')
}

function adaptOutput(output: ToolOutput, version: 'v2' | 'v3'): unknown {
  if (output.type === 'execution-denied')
    return { type: 'error-text', value: output.reason ?? 'The call was declined.' }
  if (output.type !== 'content') return output
  const value = output.value.flatMap((item): unknown[] => {
    if (item.type !== 'file') return item.type === 'text' ? [item] : []
    return [outputFile(item.data, item.mediaType, version)]
  })
  return { ...output, value }
}

function outputFile(file: SharedV4FileData, mediaType: string, version: 'v2' | 'v3'): unknown {
  const image = mediaType.startsWith('image')
  switch (file.type) {
    case 'data': {
      const data = typeof file.data === 'string' ? file.data : base64(file.data)
      return version === 'v2'
        ? { type: 'media', data, mediaType }
        : { type: image ? 'image-data' : 'file-data', data, mediaType }
    }
    case 'text':
      return { type: 'text', text: file.text }
    case 'url':
      if (version === 'v3') return { type: image ? 'image-url' : 'file-url', url: file.url.href }
      return { type: 'text', text: `(a file of type ${mediaType} at ${file.url.href})` }
    case 'reference':
      if (version === 'v3') return { type: image ? 'image-file-id' : 'file-id', fileId: file.reference }
      return { type: 'text', text: `(a file of type ${mediaType})` }
  }
}
