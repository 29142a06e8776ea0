import { join } from 'node:path'
import type { Examination } from './examine.ts'
import { countFindings, type DetailedFinding } from './findings/finding.ts'
import { APPLICATION_DIRS, isQuiet } from './layout.ts'
import { ChildLoader } from './load/child-loader.ts'
import { projectRoot } from './project-root.ts'
import { FolderWatcher, foldersBelow, type WatchedFolder } from './tree/folder-watcher.ts'
import { normalizePath, parentPath, type SourceTree } from './tree/source-tree.ts'
import type { TreeDescription } from './tree-description.ts'

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
}

/** All that checking finds out, for who goes on from there. */
export async function check({ root, dir, timeoutMs = DEFAULT_TIMEOUT_MS, types, signal }: Check): Promise<Checked> {
  const loader = new ChildLoader(root, { timeoutMs })
  const end = (): void => loader.dispose()
  signal?.addEventListener('abort', end)
  try {
    // The process that runs their code starts while this one reads the rest of its own: half of the wait is saved.
    const { describeTree, DiskTree, examine } = await import('./examine.ts')
    const tree = new DiskTree(root)
    const examination = await examine(tree, loader, dir)
    const { plans, findings, modules } = examination
    if (types) (await import('./types/write-types.ts')).writeTypes(root, plans)
    const result = { findings, ...countFindings(findings), agents: plans.length, tree: describeTree(plans) }
    return { result, modules, examination, tree }
  } finally {
    signal?.removeEventListener('abort', end)
    loader.dispose()
  }
}

export interface Checked {
  readonly result: CheckResult
  readonly modules: readonly string[]
  readonly examination: Examination
  /** The files as they were when they were looked at. */
  readonly tree: SourceTree
}

export interface WatchOptions extends CheckOptions {
  /** Ends the watching. */
  signal: AbortSignal
}

/** How long nothing must change before a burst of changes is over: an editor or a checkout writes many files at once. */
const QUIET_MS = 80

/**
 * Checks a project now and after every burst of changes: of its application's folder, of what its modules import from elsewhere in
 * the project, and of its package.json. `onResult` gets the milliseconds that the check took, too. Resolves when the signal ends it; nothing is left running then. Throws what `checkProject`
 * throws, and what `onResult` throws.
 */
export async function watchProject(
  path: string,
  options: WatchOptions,
  onResult: (result: CheckResult, ms: number) => void,
): Promise<void> {
  const { signal, timeoutMs, types } = options
  const { root, dir } = projectRoot(path, options.dir)
  await onEveryChange({ root, dir, signal }, async () => {
    const start = performance.now()
    const { result, modules } = await check({ root, dir, timeoutMs, types, signal })
    if (!signal.aborted) onResult(result, performance.now() - start)
    return modules
  })
}

export interface WatchedProject {
  /** A real path. */
  readonly root: string
  readonly dir: string | undefined
  readonly signal: AbortSignal
  /** Other files in the project's root that count. */
  readonly files?: readonly string[]
}

/** Looks at a project now and after every burst of changes. `look` gives the modules that count, wherever they stand. */
export async function onEveryChange(
  { root, dir, signal, files = [] }: WatchedProject,
  look: () => Promise<readonly string[]>,
): Promise<void> {
  const changes = new Changes()
  const watcher = new FolderWatcher(() => changes.note())
  const end = (): void => changes.end()
  signal.addEventListener('abort', end)
  try {
    let modules: readonly string[] = []
    do {
      // First watched, then read: what changes in between is read twice, never missed.
      watcher.watch(foldersOf(root, dir, [...files, ...modules]))
      modules = await look()
      watcher.watch(foldersOf(root, dir, [...files, ...modules]))
    } while (!signal.aborted && (await changes.next()))
  } finally {
    signal.removeEventListener('abort', end)
    watcher.close()
    changes.end()
  }
}

/** What may change the findings: the application's folders, the ways to them, and the folders of other modules. */
function foldersOf(root: string, dir: string | undefined, modules: readonly string[]): WatchedFolder[] {
  const given = dir === undefined ? undefined : normalizePath(dir)
  const applications = dir === undefined ? APPLICATION_DIRS : given === undefined ? [] : [given]
  const named = new Map<string, Set<string>>([['', new Set(['package.json', 'node_modules'])]])
  const name = (path: string): void => {
    const parent = parentPath(path)
    const names = named.get(parent) ?? new Set(['package.json'])
    named.set(parent, names.add(path.slice(parent === '' ? 0 : parent.length + 1)))
    if (parent !== '') name(parent)
  }
  for (const path of [...applications, ...modules]) name(path)
  const whole = applications.flatMap((path) => foldersBelow(join(root, path), (entry) => isQuiet(entry, true)))
  const ways = [...named].map(([path, names]) => ({ path: join(root, path), names }))
  return [...ways.filter(({ path }) => !whole.includes(path)), ...whole.map((path) => ({ path }))]
}

/** Gathers changes into bursts. */
class Changes {
  #timer: NodeJS.Timeout | undefined
  #state: 'none' | 'changed' | 'ended' = 'none'
  #wake: (() => void) | undefined

  note(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#set('changed'), QUIET_MS)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#set('ended')
  }

  /** Resolves with true once a burst is over that was not told of yet; with false at the end. */
  async next(): Promise<boolean> {
    if (this.#state === 'none') await new Promise<void>((resolve) => (this.#wake = resolve))
    const isChanged = this.#state === 'changed'
    if (isChanged) this.#state = 'none'
    return isChanged
  }

  #set(state: 'changed' | 'ended'): void {
    if (this.#state !== 'ended') this.#state = state
    this.#wake?.()
  }
}
