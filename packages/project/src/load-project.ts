import type { Retinue } from '@retinue/core'
import { RetinueError } from '@retinue/core/errors'
import type { ProjectDefaults } from './assemble-application.ts'
import type { OwnedSchedule } from './assemble-project.ts'
import type { CheckResult } from './check-project.ts'
import type { Examination } from './examine.ts'
import { type DetailedFinding, type Finding, plainFinding } from './findings/finding.ts'
import { renderFindings } from './findings/render.ts'
import { projectRoot } from './project-root.ts'
import type { ProjectAgents } from './types/project-types.ts'

export interface LoadProjectOptions {
  /** The application's directory, relative to the project. Default: `src/retinue`, else `src/mastra`. */
  dir?: string
  /** What the application has where its folder says nothing. */
  defaults?: ProjectDefaults
}

export interface OpenProjectOptions extends LoadProjectOptions {
  /** Whether to write `.retinue/types.d.ts`, which tells types of the agents. Default: false. */
  types?: boolean
  /** Hears of each file that its code loads, wherever it stands, before it runs; later, too. Absolute paths. */
  onFile?: (path: string) => void
}

/** A project, ready to run. */
export interface Project {
  /** The top-level agents by directory name, as the application runs them. The record has no prototype. */
  readonly agents: ProjectAgents
  /** The application: its agents, over what they share. */
  readonly app: Retinue<ProjectAgents>
  /** What its agents do by themselves, when a server runs them. */
  readonly schedules: readonly OwnedSchedule[]
  /** The settings that `server.ts` exports, for `serve` and `createHandler` of `@retinue/server`; undefined if there is none. */
  readonly server: Readonly<Record<string, unknown>> | undefined
  /** Warnings; errors are thrown. */
  readonly findings: readonly Finding[]
  /** The project's root, absolute. */
  readonly root: string
  /** The directory that holds `agents/`, absolute. */
  readonly dir: string
  /**
   * Waits for what the agents' memories still do after their runs, then closes the storage of `storage.ts`. Call it when no run is going
   * on; to call it twice is harmless. Storages that memories brought along, and that of `defaults`, are whose they are.
   */
  close(): Promise<void>
}

/**
 * Loads the agents in a project's folders into this process.
 *
 * Throws one `RetinueError` with code `project-invalid` if `check` would find errors: its message shows all of them, and
 * `data.findings` holds them. Modules are loaded by this process, once: a second call in the same process gets the modules that
 * the first one loaded, as every import does, so it shares its storage, too. Nothing bounds the time that a module takes: one that
 * waits for ever keeps the promise open, and one that calls `process.exit` ends this process. `checkProject` finds both, and can be
 * called first.
 */
export async function loadProject(path: string, options: LoadProjectOptions = {}): Promise<Project> {
  const opened = await openProject(path, options)
  if (opened.open === undefined) throw invalid(opened.check.findings, opened.check.errors)
  return opened.open()
}

/** A project that was looked at in this process, with all that its modules are. */
export interface OpenedProject {
  readonly check: CheckResult
  /**
   * The files that it is made of, relative to the project: what was read and loaded, and what that imports or reads, wherever it stands.
   */
  readonly files: () => readonly string[]
  /** Makes the application; `undefined` if there are errors. */
  readonly open: (() => Promise<Project>) | undefined
}

/** Loads what opening a project needs: for a process that is there before it is needed. */
export async function prepareOpening(): Promise<void> {
  await Promise.all([
    import('./examine.ts'),
    import('./load/in-process-loader.ts'),
    import('./types/write-types.ts'),
    import('./draw-blueprint.ts'),
    import('./assemble-project.ts'),
  ])
}

/** `loadProject` for who wants the findings even where there is no error, and before anything is made of the modules. */
export async function openProject(path: string, options: OpenProjectOptions = {}): Promise<OpenedProject> {
  const { root, dir } = projectRoot(path, options.dir)
  // Imported here, so that `checkProject` does not pay for what only loading needs.
  const [{ DiskTree, examine, followedFiles, resultOf }, { InProcessLoader }] = await Promise.all([
    import('./examine.ts'),
    import('./load/in-process-loader.ts'),
  ])
  const loader = new InProcessLoader(root, options.onFile)
  const examination = await examine(new DiskTree(root), loader, dir)
  const { application, plans } = examination
  const files = (): readonly string[] => followedFiles(root, examination.modules, loader.loaded())
  if (options.types) (await import('./types/write-types.ts')).writeTypes(root, plans)
  const check = resultOf(examination)
  if (check.errors > 0 || !application.ok) return { check, files, open: undefined }
  const place = { root, dir: `${root}/${application.dir}` }
  return { check, files, open: () => assembled(examination, loader.values, place, options) }
}

async function assembled(
  { plans, shared, findings }: Examination,
  values: ReadonlyMap<string, unknown>,
  place: Pick<Project, 'root' | 'dir'>,
  { defaults = {} }: LoadProjectOptions,
): Promise<Project> {
  const [{ drawBlueprint }, { assembleProject }] = await Promise.all([
    import('./draw-blueprint.ts'),
    import('./assemble-project.ts'),
  ])
  const blueprint = drawBlueprint(plans, shared, (file) => values.get(file) as Readonly<Record<string, unknown>>)
  const { root } = place
  const { app, server, schedules, close } = await assembleProject({ blueprint, values, root, sources: root, defaults })
  return {
    agents: app.listAgents() as ProjectAgents,
    app: app as Project['app'],
    schedules,
    server,
    findings: findings.map(plainFinding),
    ...place,
    close,
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
