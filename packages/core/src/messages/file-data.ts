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

/**
 * File data in any form the AI SDK takes (bytes, base64, data URL, URL, tagged), in the internal one. Undefined for what is none of
 * these, a path or a URL that only the caller's machine can open included.
 */
export function fileData(data: unknown): { data: SharedV4FileData; mediaType?: string } | undefined {
  if (typeof data === 'string') return fromString(data)
  if (data instanceof URL) return fromString(data.href)
  if (data instanceof Uint8Array) return { data: { type: 'data', data: base64(data) } }
  if (data instanceof ArrayBuffer) return { data: { type: 'data', data: base64(new Uint8Array(data)) } }
  if (!isObject(data)) return undefined
  const { type, text, reference } = data
  if (type === 'data') return fileData(data['data'])
  if (type === 'url') return fileData(data['url'])
  if (type === 'text' && typeof text === 'string') return { data: { type, text } }
  if (type === 'reference' && isObject(reference)) return { data: { type, reference: reference as ProviderReference } }
  return undefined
}

type ProviderReference = Extract<SharedV4FileData, { type: 'reference' }>['reference']

/** Schemes of what only the machine that made them can open. */
const LOCAL = /^(?:file|blob|about|javascript):/i

function fromString(text: string): { data: SharedV4FileData; mediaType?: string } | undefined {
  if (/^data:/i.test(text)) return fromDataUrl(text)
  if (/^[a-z][a-z0-9+.-]*:/i.test(text))
    return LOCAL.test(text) || !URL.canParse(text) ? undefined : { data: { type: 'url', url: new URL(text) } }
  return /^[A-Za-z0-9+/_=\s-]+$/.test(text) ? { data: { type: 'data', data: text } } : undefined
}

function fromDataUrl(text: string): { data: SharedV4FileData; mediaType?: string } | undefined {
  const comma = text.indexOf(',')
  if (comma < 0) return undefined
  const [mediaType = '', ...parameters] = text.slice('data:'.length, comma).split(';')
  const body = text.slice(comma + 1)
  const inline = parameters.at(-1)?.toLowerCase() === 'base64' ? body : percentDecoded(body)
  return inline === undefined
    ? undefined
    : { data: { type: 'data', data: inline }, ...(mediaType === '' ? {} : { mediaType }) }
}

function percentDecoded(body: string): string | undefined {
  try {
    return base64(new TextEncoder().encode(decodeURIComponent(body)))
  } catch {
    return undefined
  }
}
