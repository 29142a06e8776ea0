import { columnsOf, displayWidth } from './display-width.ts'

/**
 * A text cut into lines of at most so many columns: between words, or within a word that is too long for a line. Its own line ends
 * and the indentation of its lines stay.
 */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(columns, 2)
  return text.split('\n').flatMap((line) => wrapLine(line.trimEnd(), width))
}

function wrapLine(line: string, columns: number): string[] {
  if (displayWidth(line) <= columns) return [line]
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const word of line.match(/\s*\S+/g) ?? []) {
    const size = displayWidth(word)
    if (used + size <= columns) {
      current += word
      used += size
      continue
    }
    if (current.trim() !== '') lines.push(current)
    const pieces = cut(current.trim() === '' ? current + word : word.trimStart(), columns)
    current = pieces.pop() ?? ''
    lines.push(...pieces)
    used = displayWidth(current)
  }
  return [...lines, current]
}

/** A word in pieces that fit; only the last may be shorter than a line. */
function cut(word: string, columns: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const { char, width } of columnsOf(word)) {
    if (used + width > columns) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += char
    used += width
  }
  return [...pieces, piece]
}
