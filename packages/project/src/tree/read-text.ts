import { SourceError, type SourceTree } from './source-tree.ts'

/** A text file as the rest works with it, or why it could not be read. */
export type TextResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }

/** Reads UTF-8 without its byte order mark and with `\n` at the ends of lines. Other encodings are refused, never guessed. */
export function readText(tree: SourceTree, file: string): TextResult {
  let bytes: Uint8Array
  try {
    bytes = tree.read(file)
  } catch (error) {
    if (error instanceof SourceError) return { ok: false, reason: error.message }
    throw error
  }
  return decodeText(bytes)
}

export function decodeText(bytes: Uint8Array): TextResult {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { ok: false, reason: 'it is UTF-16; only UTF-8 is read' }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.includes('\0')) return { ok: false, reason: 'it holds NUL characters, so it is not UTF-8 text' }
    return { ok: true, text: text.replaceAll('\r\n', '\n') }
  } catch {
    return { ok: false, reason: 'it is not valid UTF-8' }
  }
}
