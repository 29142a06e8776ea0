import { safeLine } from './safe-text.ts'

/** Longest piece of a cell that the last column shows: it is the one with texts. */
const LONGEST = 60

/** Lines of cells under their heads, the last of them cut short; nothing in them steers a terminal. */
export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heads, ...rows.map((row) => row.map(safeLine))]
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => [...(row[column] ?? '')].length)))
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === heads.length - 1 ? cut(cell) : padded(cell, widths[column] ?? 0))).join('  '),
  )
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

/** A time to the second, in UTC, as logs have it. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length))
}

function cut(cell: string): string {
  const characters = [...cell]
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : cell
}
