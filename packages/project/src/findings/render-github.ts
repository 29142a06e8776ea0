import type { DetailedFinding } from './finding.ts'
import { spanOf } from './span.ts'

/**
 * Findings as workflow commands, one a line: GitHub shows them beside the lines of a pull request. `pathOf` gives a file's path
 * from the root of the repository.
 */
export function renderGithub(findings: readonly DetailedFinding[], pathOf: (file: string) => string): string {
  return findings.map((finding) => command(finding, pathOf)).join('\n')
}

function command(finding: DetailedFinding, pathOf: (file: string) => string): string {
  const { severity, code, message, file, why, fix } = finding
  const span = spanOf(finding)
  const properties = [['file', pathOf(file)]]
  if (span !== undefined) {
    const { line, column, endColumn } = span
    properties.push(['line', String(line)], ['col', String(column)], ['endColumn', String(endColumn)])
  }
  properties.push(['title', code])
  const written = properties.map(([name, value = '']) => `${name}=${property(value)}`).join(',')
  return `::${severity} ${written}::${data(`${message}\nwhy: ${why}\nfix: ${fix}`)}`
}

/** What the runner takes for a sign of its own. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
