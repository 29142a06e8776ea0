export type Severity = 'error' | 'warning'

/** One thing that is wrong with a tree, where it is and how to mend it. This is what `check --json` prints, and stable. */
export interface Finding {
  /** The name of the rule. It never changes its meaning. */
  readonly code: string
  readonly severity: Severity
  readonly message: string
  /** Relative to the project's root, with `/`. A finding about a folder or a link names that. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** Directory names from the top-level agent down; empty for what concerns the application. */
  readonly agentPath: readonly string[]
  readonly fix: string
}

/** A finding with what a terminal shows beside it. */
export interface DetailedFinding extends Finding {
  /** Why the rule exists, in terms of this finding. */
  readonly why: string
  /** The line of source that the finding points at, if it points at one. */
  readonly excerpt?: Excerpt
  /** A few words that stand behind the carets: what to do at this very place. */
  readonly label?: string
}

export interface Excerpt {
  readonly text: string
  /** How many UTF-16 units from `column` on are meant. */
  readonly length: number
}

/** The part of a finding that is public JSON, in the documented order of keys. */
export function plainFinding(finding: Finding): Finding {
  const { code, severity, message, file, line, column, agentPath, fix } = finding
  return { code, severity, message, file, line, column, agentPath, fix }
}

/** Sorted by file, line, column and code, without repetitions: the order is the same on every machine. */
export function sortFindings<T extends Finding>(findings: Iterable<T>): T[] {
  const unique = new Map<string, T>()
  for (const finding of findings) {
    const key = JSON.stringify([finding.file, finding.line, finding.column, finding.code, finding.message])
    if (!unique.has(key)) unique.set(key, finding)
  }
  return [...unique.values()].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compare(a.code, b.code) ||
      compare(a.message, b.message),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** How many findings are errors and how many are warnings. */
export function countFindings(findings: readonly Finding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: findings.length - errors }
}
