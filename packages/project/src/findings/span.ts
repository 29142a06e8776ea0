import type { DetailedFinding } from './finding.ts'

/** The part of a line that a finding is about, from 1; `endColumn` is the first column behind it. */
export interface Span {
  readonly line: number
  readonly column: number
  readonly endColumn: number
}

/** `undefined` for a finding about a file or folder as a whole. What goes on in the next line ends with this one. */
export function spanOf({ line, column, excerpt }: DetailedFinding): Span | undefined {
  if (excerpt === undefined) return undefined
  const end = Math.min(column + excerpt.length, excerpt.text.length + 1)
  return { line, column, endColumn: Math.max(column + 1, end) }
}
