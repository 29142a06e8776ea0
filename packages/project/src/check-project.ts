import { countFindings, type DetailedFinding } from './findings/finding.ts'
import { ChildLoader } from './load/child-loader.ts'
import { projectRoot } from './project-root.ts'
import type { TreeDescription } from './tree-description.ts'

export interface CheckOptions {
  /** The application's directory, relative to the project. Default: `src/retinue`, else `src/mastra`. */
  dir?: string
  /** How long one module may take to load, in milliseconds. Default: 3,000. */
  timeoutMs?: number
}

export interface CheckResult {
  /** All findings, sorted by file, line, column and code. */
  readonly findings: readonly DetailedFinding[]
  readonly errors: number
  readonly warnings: number
  /** How many agents were checked, subagents among them. */
  readonly agents: number
  /** The agents as far as they could be read, whether there are findings or not. */
  readonly tree: TreeDescription
}

const DEFAULT_TIMEOUT_MS = 3_000

/**
 * Checks the project in a directory. Its code runs in a process of its own, which is ended at the end: it can't hang, crash or end
 * the caller, and what it prints goes to stderr. Throws `project-invalid` if the directory is not there,
 * and `node-too-old`.
 */
export async function checkProject(path: string, options: CheckOptions = {}): Promise<CheckResult> {
  const { root, dir } = projectRoot(path, options.dir)
  const loader = new ChildLoader(root, { timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS })
  try {
    // The process that runs their code starts while this one reads the rest of its own: half of the wait is saved.
    const { describeTree, DiskTree, examine } = await import('./examine.ts')
    const { plans, findings } = await examine(new DiskTree(root), loader, dir)
    return { findings, ...countFindings(findings), agents: plans.length, tree: describeTree(plans) }
  } finally {
    loader.dispose()
  }
}
