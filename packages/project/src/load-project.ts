import { RetinueError } from '@retinue/core/errors'
import { countFindings, type DetailedFinding, type Finding, plainFinding } from './findings/finding.ts'
import { renderFindings } from './findings/render.ts'
import { projectRoot } from './project-root.ts'
import type { ProjectAgents } from './types/project-types.ts'

export interface LoadProjectOptions {
  /** The application's directory, relative to the project. Default: `src/retinue`, else `src/mastra`. */
  dir?: string
}

/** A project, ready to run. */
export interface Project {
  /** The top-level agents by directory name. The record has no prototype. */
  readonly agents: ProjectAgents
  /** Warnings; errors are thrown. */
  readonly findings: readonly Finding[]
  /** The application's folders, absolute: the project's root, and the directory that holds `agents/`. */
  readonly app: { readonly root: string; readonly dir: string }
}

/**
 * Loads the agents in a project's folders into this process.
 *
 * Throws one `RetinueError` with code `project-invalid` if `check` would find errors: its message shows all of them, and
 * `data.findings` holds them. Modules are loaded by this process, once: a second call in the same process gets the modules that
 * the first one loaded, as every import does. Nothing bounds the time that a module takes: one that waits for ever keeps the promise
 * open, and one that calls `process.exit` ends this process. `checkProject` finds both, and can be called first.
 */
export async function loadProject(path: string, options: LoadProjectOptions = {}): Promise<Project> {
  const { root, dir } = projectRoot(path, options.dir)
  // Imported here, so that `checkProject` does not pay for what only loading needs.
  const [{ DiskTree, examine }, { InProcessLoader }, { assemble }] = await Promise.all([
    import('./examine.ts'),
    import('./load/in-process-loader.ts'),
    import('./assemble.ts'),
  ])
  const loader = new InProcessLoader(root)
  const { application, plans, findings } = await examine(new DiskTree(root), loader, dir)
  const { errors } = countFindings(findings)
  if (errors > 0 || !application.ok) throw invalid(findings, errors)
  const agents = assemble(plans, { root, values: loader.values })
  return {
    agents: agents as ProjectAgents,
    findings: findings.map(plainFinding),
    app: { root, dir: `${root}/${application.dir}` },
  }
}

function invalid(findings: readonly DetailedFinding[], errors: number): RetinueError {
  const count = errors === 1 ? '1 error' : `${errors} errors`
  return new RetinueError({
    code: 'project-invalid',
    message: `The project has ${count}:\n\n${renderFindings(findings)}`,
    hint: 'Mend what the findings name; `retinue check` shows them again.',
    data: { findings: findings.map(plainFinding) },
  })
}
