import { SourceError, type SourceTree } from './source-tree.ts'

/** Why there is no text of a file: the system did not give it, or what is in it is another encoding, or no text at all. */
export interface Unread {
  readonly kind: 'system' | 'utf-16' | 'no-text'
  /** The same in words. */
  readonly reason: string
}

/** A text file as the rest works with it, or why it could not be read. */
export type TextResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly unread: Unread }

/** Reads UTF-8 without its byte order mark and with `\n` at the ends of lines. Other encodings are refused, never guessed. */
export function readText(tree: SourceTree, file: string): TextResult {
  let bytes: Uint8Array
  try {
    bytes = tree.read(file)
  } catch (error) {
    if (error instanceof SourceError) return unread('system', error.message)
    throw error
  }
  return decodeText(bytes)
}

export function decodeText(bytes: Uint8Array): TextResult {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return unread('utf-16', 'it is UTF-16; only UTF-8 is read')
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.includes('\0')) return unread('no-text', 'it holds NUL characters, so it is not UTF-8 text')
    return { ok: true, text: text.replaceAll('\r\n', '\n') }
  } catch {
    return unread('no-text', 'it is not valid UTF-8')
  }
}

function unread(kind: Unread['kind'], reason: string): TextResult {
  return { ok: false, unread: { kind, reason } }
}
