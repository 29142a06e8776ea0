import type { DetailedFinding } from './finding.ts'
import { spanOf } from './span.ts'

/** What a viewer tells of a code beside its findings. */
export interface SarifRule {
  readonly code: string
  readonly summary: string
  /** Markdown. */
  readonly text: string
}

export interface SarifOptions {
  readonly version: string
  /** One for each code that occurs. */
  readonly rules: readonly SarifRule[]
  /** A file's path from the root that the reader of the log knows, with `/`. */
  pathOf(file: string): string
}

/** Findings as a log of the form SARIF 2.1.0, as plain JSON: the same for the same findings. */
export function toSarif(findings: readonly DetailedFinding[], { version, rules, pathOf }: SarifOptions): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort()
  const descriptors = codes.map((code) => {
    const page = rules.find((rule) => rule.code === code)
    const first = findings.find((finding) => finding.code === code)
    return {
      id: code,
      shortDescription: { text: page?.summary ?? code },
      help: { text: page?.text ?? code, ...(page === undefined ? {} : { markdown: page.text }) },
      defaultConfiguration: { level: first?.severity ?? 'warning' },
    }
  })
  const driver = { name: 'retinue', semanticVersion: version, rules: descriptors }
  const results = findings.map((finding) => result(finding, codes.indexOf(finding.code), pathOf))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  }
}

function result(finding: DetailedFinding, ruleIndex: number, pathOf: SarifOptions['pathOf']): object {
  const { code, severity, message, file, agentPath, fix } = finding
  const span = spanOf(finding)
  const { line: startLine, column: startColumn, endColumn } = span ?? {}
  const physicalLocation = {
    artifactLocation: { uri: toUri(pathOf(file)) },
    ...(span === undefined ? {} : { region: { startLine, startColumn, endColumn } }),
  }
  const logical = agentPath.length === 0 ? {} : { logicalLocations: [{ fullyQualifiedName: agentPath.join('/') }] }
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: `${message}\nFix: ${fix}` },
    locations: [{ physicalLocation, ...logical }],
  }
}

/** A relative reference: a name may hold what means something in a URL. */
function toUri(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
