import { safeText } from '../safe-text.ts'

const START = '\x1b[200~'
const END = '\x1b[201~'
/** A paste of one line that is no longer than this is as if it were typed. */
const SHORT = 200

/** What came from the keyboard: typed keys, or a whole pasted text. */
export interface Input {
  readonly type: 'keys' | 'paste'
  readonly text: string
}

/** Tells pasted text from typed keys, however the terminal's chunks are cut. */
export class PasteSplitter {
  #pasted: string | undefined
  #held = ''

  feed(chunk: string): Input[] {
    const out: Input[] = []
    let rest = this.#held + chunk
    this.#held = ''
    while (rest !== '') {
      const marker = this.#pasted === undefined ? START : END
      const at = rest.indexOf(marker)
      const held = at < 0 ? heldBack(rest, marker, this.#pasted === undefined ? 2 : 1) : 0
      const text = at < 0 ? rest.slice(0, rest.length - held) : rest.slice(0, at)
      if (this.#pasted !== undefined) this.#pasted += text
      else if (text !== '') out.push({ type: 'keys', text })
      this.#held = at < 0 ? rest.slice(rest.length - held) : ''
      rest = at < 0 ? '' : rest.slice(at + marker.length)
      if (at < 0) continue
      if (this.#pasted !== undefined) out.push({ type: 'paste', text: this.#pasted })
      this.#pasted = this.#pasted === undefined ? '' : undefined
    }
    return out
  }
}

/** How much of the end may be the beginning of a marker. Of typed keys at least two: a lone Esc is a key that must not wait. */
function heldBack(text: string, marker: string, least: number): number {
  for (let length = Math.min(marker.length - 1, text.length); length >= least; length--) {
    if (text.endsWith(marker.slice(0, length))) return length
  }
  return 0
}

/** Pasted texts that stand in the line as a short note, and in the message as they are. */
export class Pastes {
  readonly #texts: string[] = []

  /** What the line shows for a paste. */
  take(pasted: string): string {
    const text = pasted.replace(/\r\n?/g, '\n').replace(/\n+$/, '')
    if (!text.includes('\n') && text.length <= SHORT) return safeText(text)
    this.#texts.push(text)
    const lines = text.split('\n').length
    return `[pasted #${this.#texts.length}: ${lines === 1 ? `${text.length} characters` : `${lines} lines`}]`
  }

  /** The message that a line stands for. */
  expand(line: string): string {
    return line.replace(/\[pasted #(\d+): \d+ (?:lines|characters)\]/g, (note, number) => {
      return this.#texts[Number(number) - 1] ?? note
    })
  }
}
