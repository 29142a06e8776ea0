import { onEveryChange } from './every-change.ts'
import type { CheckResult, Examination } from './examine.ts'
import { ChildLoader } from './load/child-loader.ts'
import { projectRoot } from './project-root.ts'
import type { SourceTree } from './tree/source-tree.ts'

export interface CheckOptions {
  /** The application's directory, relative to the project. Default: `src/retinue`, else `src/mastra`. */
  dir?: string
  /** How long one module may take to load, in milliseconds. Default: 3,000. */
  timeoutMs?: number
  /** Whether to write `.retinue/types.d.ts`, which tells types of the agents. Default: false. */
  types?: boolean
  /** Ends it early: modules that are not loaded by then are findings. */
  signal?: AbortSignal
}

export type { CheckResult }

const DEFAULT_TIMEOUT_MS = 3_000

/**
 * Checks the project in a directory. Its code runs in a process of its own, which is ended at the end: it can't hang, crash or end
 * the caller, and what it prints goes to stderr. Throws `project-invalid` if the directory is not there,
 * and `node-too-old`.
 */
export async function checkProject(path: string, options: CheckOptions = {}): Promise<CheckResult> {
  const { timeoutMs, types, signal } = options
  const { root, dir } = projectRoot(path, options.dir)
  return (await check({ root, dir, timeoutMs, types, signal })).result
}

export interface Check {
  readonly root: string
  readonly dir: string | undefined
  readonly timeoutMs: number | undefined
  readonly types?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether what modules load is noted, for who watches it. */
  readonly follows?: boolean
}

/** All that checking finds out, for who goes on from there. */
export async function check({
  root,
  dir,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  types,
  signal,
  follows,
}: Check): Promise<Checked> {
  const loader = new ChildLoader(root, { timeoutMs, ...(follows === undefined ? {} : { follows }) })
  const end = (): void => void loader.dispose()
  signal?.addEventListener('abort', end)
  try {
    // The process that runs their code starts while this one reads the rest of its own: half of the wait is saved.
    const { DiskTree, examine, followedFiles, resultOf } = await import('./examine.ts')
    const tree = new DiskTree(root)
    const examination = await examine(tree, loader, dir)
    if (types) (await import('./types/write-types.ts')).writeTypes(root, examination.plans)
    const result = resultOf(examination)
    const loaded = loader.loaded()
    return { result, files: () => followedFiles(root, examination.modules, loaded), examination, tree }
  } finally {
    signal?.removeEventListener('abort', end)
    await loader.dispose()
  }
}

export interface Checked {
  readonly result: CheckResult
  /** The files that the project is made of, relative to it, wherever they stand. */
  readonly files: () => readonly string[]
  readonly examination: Examination
  /** The files as they were when they were looked at. */
  readonly tree: SourceTree
}

export interface WatchOptions extends CheckOptions {
  /** Ends the watching. */
  signal: AbortSignal
}

/**
 * Checks a project now and after every burst of changes: of its application's folder, of what its modules load or read elsewhere,
 * and of its package.json. `onResult` gets the milliseconds that the check took, too. Resolves when the signal ends it; nothing is left
 * running then. Throws what `checkProject` throws, and what `onResult` throws.
 */
export async function watchProject(
  path: string,
  options: WatchOptions,
  onResult: (result: CheckResult, ms: number) => void,
): Promise<void> {
  const { signal, timeoutMs, types } = options
  const { root, dir } = projectRoot(path, options.dir)
  await onEveryChange({ root, dir, signal }, async ({ superseded }) => {
    const start = performance.now()
    const either = AbortSignal.any([signal, superseded])
    const { result, files } = await check({ root, dir, timeoutMs, types, signal: either, follows: true })
    if (!either.aborted) onResult(result, performance.now() - start)
    return files()
  })
}
