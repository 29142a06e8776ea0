import type { Block } from './render-turn.ts'
import type { Screen } from './screen.ts'
import { type Line, paint, span, textOf, widthOf } from './styled-line.ts'

/** Where in the blocks the part begins that can still be drawn anew; `ink` counts the characters of the first block before it. */
interface Place {
  readonly block: number
  readonly ink: number
}

interface Shown {
  readonly text: string
  readonly width: number
}

/**
 * The end of the screen, drawn in place again and again. It never grows higher than the screen: what is settled and has no room
 * scrolls away for good, and of what still changes the end is shown. The cursor stands on the line below it.
 */
export class LiveRegion {
  readonly #screen: Screen
  #shown: readonly Shown[] = []
  #start: Place = { block: 0, ink: 0 }
  #whole = true

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Whether all of what was drawn is here, and not partly gone from the screen. */
  get whole(): boolean {
    return this.#whole
  }

  /** The rows that it takes, with the terminal as wide as it is now: a narrower one breaks lines that were drawn before. */
  get height(): number {
    return rowsOf(this.#shown, this.#screen.columns)
  }

  /** Leaves what is shown where it is, and begins anew below it. */
  detach(): void {
    this.#shown = []
    this.#start = { block: 0, ink: 0 }
    this.#whole = true
  }

  /** Shows the blocks in place of what was shown. `last`: nothing will change any more, so that all of it may be written. */
  draw(blocks: readonly Block[], last = false): void {
    const rest = remaining(blocks, this.#start)
    const room = Math.max(2, this.#screen.rows - 1)
    const over = rest.length - room
    if (over <= 0 || last) {
      if (over > 0) this.#whole = false
      this.#write(
        rest.map(({ line }) => line),
        0,
      )
      return
    }
    const unsettled = rest.findIndex(({ settled }) => !settled)
    const gone = Math.min(over, unsettled < 0 ? over : unsettled)
    const lines = rest.map(({ line }) => line)
    const kept = lines.slice(gone)
    const hidden = kept.length - room
    const visible = hidden > 0 ? [[span(`… ${hidden + 1} more lines`, 'quiet')], ...kept.slice(hidden + 1)] : kept
    this.#write([...lines.slice(0, gone), ...visible], gone)
    if (gone === 0) return
    this.#whole = false
    this.#start = placeAfter(rest, gone, this.#start)
  }

  /** Writes from the first line that is another one; the first `gone` of them are not drawn again. */
  #write(lines: readonly Line[], gone: number): void {
    const { columns, rows, colors } = this.#screen
    const next = lines.map((line) => ({ text: paint(line, colors), width: widthOf(line) }))
    // Rows above the screen can't be reached.
    const reachable = firstReachable(this.#shown, columns, rows - 1)
    let same = 0
    while (same < next.length && same < this.#shown.length && next[same]?.text === this.#shown[same]?.text) same++
    const keep = reachable > 0 ? 0 : same
    const back = rowsOf(this.#shown.slice(Math.max(keep, reachable)), columns)
    if (back > 0 || keep < next.length)
      this.#screen.redraw(
        back,
        next.slice(keep).map(({ text }) => text),
      )
    this.#shown = next.slice(gone)
  }
}

interface RestLine {
  readonly line: Line
  readonly block: number
  readonly settled: boolean
}

/** The lines from a place on. */
function remaining(blocks: readonly Block[], start: Place): RestLine[] {
  const out: RestLine[] = []
  for (let block = start.block; block < blocks.length; block++) {
    const { lines, settled } = blocks[block] as Block
    let skip = block === start.block ? start.ink : 0
    for (const [at, line] of lines.entries()) {
      const size = inkOf(line)
      if (skip >= size) {
        skip -= size
        continue
      }
      // A line of which a part is gone, since the width is another one now: better twice than never.
      skip = 0
      out.push({ line, block, settled: at < settled })
    }
  }
  return out
}

/**
 * Counted in characters that are no blanks, and lines that are empty, a place in a text stays the same when the text is wrapped at another
 * width.
 */
function placeAfter(rest: readonly RestLine[], gone: number, start: Place): Place {
  const block = rest[gone]?.block ?? start.block
  const before = rest.slice(0, gone).filter((line) => line.block === block)
  const ink = before.reduce((sum, { line }) => sum + inkOf(line), block === start.block ? start.ink : 0)
  return { block, ink }
}

function inkOf(line: Line): number {
  return Math.max(1, textOf(line).replace(/\s+/g, '').length)
}

function rowsOf(shown: readonly Shown[], columns: number): number {
  return shown.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / columns)), 0)
}

/** The first line that is whole on a screen of so many rows. */
function firstReachable(shown: readonly Shown[], columns: number, rows: number): number {
  let used = 0
  for (let at = shown.length - 1; at >= 0; at--) {
    used += Math.max(1, Math.ceil((shown[at]?.width ?? 0) / columns))
    if (used > rows) return at + 1
  }
  return 0
}
