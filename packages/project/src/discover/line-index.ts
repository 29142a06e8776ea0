/** A place in a text file, from 1, and how many UTF-16 units are meant. */
export interface Position {
  readonly line: number
  readonly column: number
  readonly length: number
}

export const FILE_START: Position = { line: 1, column: 1, length: 1 }

/** Turns offsets into lines and columns. */
export class LineIndex {
  readonly #starts: number[] = [0]

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
  }

  /** The position of a span. A span over several lines counts to its first line's end in the rendering. */
  at(start: number, end: number = start + 1): Position {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= start) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: start - (this.#starts[low] ?? 0) + 1, length: Math.max(1, end - start) }
  }

  /** Where in the text a position is. */
  offsetOf({ line, column }: Position): number {
    return (this.#starts[line - 1] ?? 0) + column - 1
  }
}

/** The text of a line, counted from 1. */
export function lineOf(text: string, line: number): string {
  return text.split('\n', line)[line - 1] ?? ''
}
