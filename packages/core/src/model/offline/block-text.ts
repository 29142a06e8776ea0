import { isRecord } from './json.ts'
import { cutAt } from './tokens.ts'

const LONG_TEXT = 6000

/** A long text up to a line near its limit, and that it was cut. */
export function shortened(text: string): string {
  if (text.length <= LONG_TEXT) return text
  const cut = text.lastIndexOf('\n', LONG_TEXT)
  return `${cut > LONG_TEXT / 2 ? text.slice(0, cut) : cutAt(text, LONG_TEXT)}\n\n(cut here: the text is longer)`
}

/** Which of several calls, in the words of its arguments. */
export function argumentsOf(input: unknown, delegation: boolean): string {
  if (!isRecord(input) || delegation) return ''
  const shown = Object.values(input).filter((value) => typeof value === 'string' || typeof value === 'number')
  return cutAt(shown.join(', ').replace(/\s+/g, ' '), 80)
}
