import { impossible, type Target } from './refusals.ts'

/** The text of a file, or `undefined` if it is none: bytes that are not UTF-8, or a NUL among them. `\uFEFF` at its start stays. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The same, where nothing but text will do. */
export function decode(target: Target, bytes: Uint8Array): string {
  const text = textOf(bytes)
  if (text === undefined) throw impossible(target, 'it is not a text file (UTF-8)')
  return text
}

/** The bytes to write, at most `limit` of them, and such that they can be read again. */
export function encode(target: Target, text: string, limit: number): Uint8Array {
  const hint = 'Write text that is shorter, or in several files.'
  const asText = 'Only text can be written here.'
  // A UTF-16 unit is at least one byte: what is far too long is not even encoded.
  if (text.length > limit)
    throw impossible(target, `it would have more than the ${limit} bytes that may be written`, hint)
  if (!text.isWellFormed() || text.includes('\0')) {
    throw impossible(target, 'the text holds a NUL or half a character', asText)
  }
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= limit) return bytes
  throw impossible(target, `it would have ${bytes.length} bytes, and ${limit} may be written`, hint)
}

/** Lines `first` to `last`, from 1, both included, with their line ends; and how many there are in all. */
export function linesOf(text: string, first: number, last: number): { text: string; total: number; last: number } {
  const lines = text.split(/(?<=\n)/)
  const end = Math.min(last, lines.length)
  return { text: lines.slice(first - 1, end).join(''), total: lines.length, last: end }
}
