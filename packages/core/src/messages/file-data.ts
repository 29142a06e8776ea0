import type { SharedV4FileData } from '@ai-sdk/provider'
import { isObject } from '../shared/records.ts'

/** Bytes that become one argument list: more would overflow the stack. */
const CHUNK = 0x8000

/** Bytes as base64 text, so that a conversation is plain JSON. */
export function base64(bytes: Uint8Array): string {
  let binary = ''
  for (let i = 0; i < bytes.length; i += CHUNK) binary += String.fromCharCode(...bytes.subarray(i, i + CHUNK))
  return btoa(binary)
}

/** File data in any form the AI SDK takes (bytes, base64, data URL, URL, tagged), in the internal one. */
export function fileData(data: unknown): { data: SharedV4FileData; mediaType?: string } | undefined {
  if (typeof data === 'string') return fromString(data)
  if (data instanceof URL) return fromString(data.href)
  if (data instanceof Uint8Array) return { data: { type: 'data', data: base64(data) } }
  if (data instanceof ArrayBuffer) return { data: { type: 'data', data: base64(new Uint8Array(data)) } }
  if (!isObject(data)) return undefined
  if (data['type'] === 'data') return fileData(data['data'])
  if (data['type'] === 'url') return fileData(data['url'])
  if (data['type'] === 'reference' || data['type'] === 'text') return { data: data as unknown as SharedV4FileData }
  return undefined
}

function fromString(text: string): { data: SharedV4FileData; mediaType?: string } | undefined {
  const inline = /^data:([^;,]*)(;[^,]*)?,(.*)$/s.exec(text)
  if (inline) {
    const [, mediaType = '', parameters = '', body = ''] = inline
    const data = parameters.endsWith(';base64') ? body : base64(new TextEncoder().encode(decodeURIComponent(body)))
    return { data: { type: 'data', data }, ...(mediaType === '' ? {} : { mediaType }) }
  }
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? { data: { type: 'url', url: new URL(text) } } : undefined
  return { data: { type: 'data', data: text } }
}
