import type { DetailedFinding, Severity } from './finding.ts'

/** How parts of a rendered finding are coloured. Each function gets text and returns it, decorated. */
export interface Palette {
  severity(severity: Severity, text: string): string
  strong(text: string): string
  dim(text: string): string
}

const PLAIN: Palette = { severity: (_, text) => text, strong: (text) => text, dim: (text) => text }

/** The widest line of source that is shown; of a longer one, the part around the column. */
const MAX_EXCERPT = 160

/** A finding as people read it: what is wrong, the line of source, why it matters, and how to mend it. */
export function renderFinding(finding: DetailedFinding, palette: Palette = PLAIN): string {
  const { severity, code, message, why, fix } = finding
  const lines = [`${palette.severity(severity, `${severity}[${code}]`)}: ${palette.strong(printable(message))}`]
  lines.push(...renderPlace(finding, palette))
  lines.push(`  ${palette.dim('= why:')} ${printable(why)}`, `  ${palette.dim('= fix:')} ${printable(fix)}`)
  return lines.join('\n')
}

/** All findings, one below the other. */
export function renderFindings(findings: readonly DetailedFinding[], palette: Palette = PLAIN): string {
  return findings.map((finding) => renderFinding(finding, palette)).join('\n')
}

function renderPlace({ file, line, column, excerpt, severity, label }: DetailedFinding, palette: Palette): string[] {
  const number = String(line)
  const margin = ' '.repeat(number.length)
  const frame = (text: string): string => palette.dim(text)
  // A folder or a link has no lines: its path says it all.
  if (excerpt === undefined) return [`${margin} ${frame('┌─')} ${printable(file)}`]
  const { text, before } = window(excerpt.text, column)
  const pad = before.replace(/[^\t]/g, ' ')
  const carets = '^'.repeat(Math.max(1, Math.min(excerpt.length, text.length - before.length)))
  const marked = label === undefined ? carets : `${carets} ${printable(label)}`
  return [
    `${margin} ${frame('┌─')} ${printable(`${file}:${line}:${column}`)}`,
    `${frame(`${number} │`)} ${printable(text)}`,
    `${margin} ${frame('│')} ${pad}${palette.severity(severity, marked)}`,
  ]
}

/** The part of a line that is shown, and what of it stands before the column. */
function window(text: string, column: number): { text: string; before: string } {
  if (text.length <= MAX_EXCERPT) return { text, before: text.slice(0, column - 1) }
  const start = Math.max(0, column - 1 - MAX_EXCERPT / 2)
  const head = start > 0 ? '…' : ''
  const shown = text.slice(start, start + MAX_EXCERPT)
  const tail = start + MAX_EXCERPT < text.length ? '…' : ''
  return { text: head + shown + tail, before: head + text.slice(start, column - 1) }
}

/** Names and messages come from other people's files: control characters must not reach a terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
