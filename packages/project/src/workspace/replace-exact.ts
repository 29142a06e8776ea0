export interface Replacement {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll: boolean
}

export type Replaced =
  | { readonly ok: true; readonly text: string; readonly count: number }
  /** How often the text occurs, which is not as often as it must. */
  | { readonly ok: false; readonly count: number }

/**
 * Replaces a text where it stands exactly once, or with `replaceAll` wherever it stands. A file whose lines end in CRLF is edited
 * as such also by who writes `\n`: models do.
 */
export function replaceExact(text: string, { oldText, newText, replaceAll }: Replacement): Replaced {
  const parts = text.split(oldText)
  const count = parts.length - 1
  if (count === 0 && text.includes('\r\n') && oldText.includes('\n') && !oldText.includes('\r')) {
    return replaceExact(text, { oldText: withCrlf(oldText), newText: withCrlf(newText), replaceAll })
  }
  if (count === 0 || (count > 1 && !replaceAll)) return { ok: false, count }
  return { ok: true, text: parts.join(newText), count }
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}
