/** What the parts of a conversation write to: a terminal, or a test's stand-in for one. */
export interface Screen {
  readonly columns: number
  readonly rows: number
  readonly colors: boolean
  write(text: string): void
  /** Goes up so many rows, clears what is below, and writes the lines there; the cursor ends on the row after them. */
  redraw(back: number, lines: readonly string[]): void
}

const SYNCHRONIZED = ['\x1b[?2026h', '\x1b[?2026l'] as const
/** A line that a terminal measures differently is cut off, and does not shift all that is below. */
const NO_WRAP = ['\x1b[?7l', '\x1b[?7h'] as const

const ERASE_ROW = '\x1b[K'
/**
 * The row of the cursor and all below it. Not from the first column: where that is the screen's first cell too, a terminal takes it
 * for a cleared screen, and may keep what was there in its scrollback.
 */
const ERASE_BELOW = `${ERASE_ROW}\x1b[C\x1b[J\r`

/** A terminal. */
export class TerminalScreen implements Screen {
  readonly colors = true
  readonly #out: NodeJS.WriteStream

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  get columns(): number {
    return this.#out.columns || 80
  }

  get rows(): number {
    return this.#out.rows || 24
  }

  write(text: string): void {
    this.#out.write(text)
  }

  redraw(back: number, lines: readonly string[]): void {
    const up = back > 0 ? `\x1b[${back}A` : ''
    // A row is erased before its line is written: after a line that fills it the cursor stands on its last character.
    const body = lines.map((line) => `${ERASE_ROW}${line}\n`).join('')
    this.#out.write(`${SYNCHRONIZED[0]}${NO_WRAP[0]}${up}\r${body}${ERASE_BELOW}${NO_WRAP[1]}${SYNCHRONIZED[1]}`)
  }
}
