import type { Discovered } from './discover/discover.ts'
import { FILE_START, lineOf } from './discover/line-index.ts'
import { type DetailedFinding, sortFindings } from './findings/finding.ts'
import { maskSecrets } from './findings/secrets.ts'
import { moduleName } from './layout.ts'
import type { LoadedTree } from './load/load-tree.ts'
import { RULES } from './rules/index.ts'
import type { Rule, Violation } from './rules/rule.ts'
import { readText } from './tree/read-text.ts'

/** Applies every rule and gives all findings at once, sorted, each once (B11.11). */
export function validate(discovered: Discovered, loaded: LoadedTree): DetailedFinding[] {
  const context = { discovered, loaded, plans: loaded.plans }
  const findings: DetailedFinding[] = []
  for (const rule of RULES) {
    for (const violation of rule.check(context)) findings.push(findingOf(discovered, rule, violation))
  }
  return sortFindings(findings)
}

function findingOf(discovered: Discovered, { code, severity, why }: Rule, violation: Violation): DetailedFinding {
  const { place, message, agentPath, fix, label } = violation
  const { line, column, length } = place.at ?? FILE_START
  const finding = { code, severity, message, file: place.file, line, column, agentPath, fix, why: violation.why ?? why }
  const text = place.at === undefined ? undefined : sourceText(discovered, place.file)
  if (text === undefined) return finding
  const excerpt = { text: maskSecrets(lineOf(text, line)), length }
  return label === undefined ? { ...finding, excerpt } : { ...finding, excerpt, label }
}

function sourceText({ modules, tree }: Discovered, file: string): string | undefined {
  if (moduleName(file) !== undefined) return modules.shape(file)?.text
  const read = tree.kindOf(file) === 'file' ? readText(tree, file) : undefined
  return read?.ok ? read.text : undefined
}
