import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { APPLICATION_DIRS, isQuiet } from './layout.ts'
import { FolderWatcher, foldersBelow, inodeOf, type WatchedFolder } from './tree/folder-watcher.ts'
import { normalizePath, parentPath } from './tree/source-tree.ts'

/** How long nothing must change before a burst of changes is over: an editor or a checkout writes many files at once. */
const QUIET_MS = 80

/** A look that takes longer hangs, or may: it is no use to wait for what is out of date. */
const PATIENCE_MS = 1_000

/** How often it is looked whether the root is still the same folder. */
const ROOT_MS = 1_000

/** Longer than projects take to load. */
const MOST_PATIENCE_MS = 5_000

export interface WatchedProject {
  /** A real path. */
  readonly root: string
  readonly dir: string | undefined
  readonly signal: AbortSignal
  /** Other files in the project's root that count, and what they lead to where they are links. */
  readonly files?: readonly string[]
  /** How long a look may take before a newer change ends it, in milliseconds. Default: 1,000. */
  readonly patienceMs?: number
}

/** What a look at a project is given. */
export interface Look {
  /**
   * Aborts when something changed since the look began, and it had its time: what it finds does not count any more, and the next look
   * begins when it gives up.
   */
  readonly superseded: AbortSignal
  /** Watches these files from now on, too: a path is as `look` gives it. */
  watch(files: readonly string[]): void
  /** Has the project looked at again, as if something had changed. */
  again(): void
}

/**
 * Looks at a project now and after every burst of changes; so does a root that goes, or comes again, count. `look` gives the files that count, relative to the root, wherever they
 * stand; they need not be there yet.
 */
export async function onEveryChange(
  { root, dir, signal, files = [], patienceMs = PATIENCE_MS }: WatchedProject,
  look: (look: Look) => Promise<readonly string[]>,
): Promise<void> {
  const changes = new Changes()
  const watcher = new FolderWatcher(() => changes.note())
  const end = (): void => changes.end()
  // A folder above it that is moved takes it along, and what watches it: from within nothing has changed. All that is above is not
  // watched for it: others work there.
  let home = inodeOf(root)
  const rooted = setInterval(() => {
    if (inodeOf(root) !== home) changes.note()
  }, ROOT_MS)
  signal.addEventListener('abort', end)
  try {
    let modules: readonly string[] = []
    const again = (): void =>
      watcher.watch(foldersOf(root, dir, [...files.flatMap((file) => wayOf(root, file)), ...modules]))
    // Files are named one by one, and all folders are gone through for them.
    let isSoon = false
    const also = (more: readonly string[]): void => {
      const fresh = more.filter((file) => !isApplications(file, dir))
      if (fresh.length === 0) return
      modules = [...modules, ...fresh]
      if (!isSoon)
        setImmediate(() => {
          isSoon = false
          if (!signal.aborted) again()
        })
      isSoon = true
    }
    let patience = patienceMs
    do {
      const given = changes.patience(patience)
      const [known, start] = [new Set(modules), Date.now()]
      home = inodeOf(root)
      // First watched, then read: what changes in between is read twice, never missed.
      again()
      try {
        modules = await look({ superseded: given.superseded, again: () => changes.note(), watch: also })
      } finally {
        given.end()
      }
      // What is saved by the code that loads would end it for ever, if it were not given more time from one look to the next.
      patience = given.superseded.aborted ? Math.min(patience * 2, MOST_PATIENCE_MS) : patienceMs
      again()
      // What counts only now was not watched while it was read.
      const fresh = modules.filter((file) => !known.has(file) && !isApplications(file, dir))
      if (fresh.some((file) => isChangedSince(join(root, file), start))) changes.note()
    } while (!signal.aborted && (await changes.next()))
  } finally {
    signal.removeEventListener('abort', end)
    clearInterval(rooted)
    watcher.close()
    changes.end()
  }
}

/** More links than that lead nowhere. */
const MOST_LINKS = 40

/** A file and, where it is a link, what it leads to, step by step: relative to the root, wherever it stands. */
function wayOf(root: string, file: string): readonly string[] {
  const way = [file]
  try {
    for (let path = join(root, file); way.length <= MOST_LINKS && isLink(path); ) {
      path = resolve(dirname(path), readlinkSync(path))
      way.push(relative(root, path).replaceAll('\\', '/'))
    }
  } catch {
    // It is just being replaced, which is a change of its own.
  }
  return way
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** A file's time may be behind the clock by the length of a tick. */
const TICK_MS = 5

function isChangedSince(path: string, time: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= time - TICK_MS
}

/** Whether a file is in a folder that is watched as a whole. */
function isApplications(file: string, dir: string | undefined): boolean {
  return applicationsOf(dir).some((path) => file.startsWith(`${path}/`))
}

function applicationsOf(dir: string | undefined): readonly string[] {
  const given = dir === undefined ? undefined : normalizePath(dir)
  return dir === undefined ? APPLICATION_DIRS : given === undefined ? [] : [given]
}

/** What may change the findings: the application's folders, the ways to them, and the folders of other modules. */
function foldersOf(root: string, dir: string | undefined, modules: readonly string[]): WatchedFolder[] {
  const applications = applicationsOf(dir)
  const named = new Map<string, Set<string>>([['', new Set(['package.json', 'node_modules'])]])
  const name = (path: string): void => {
    const parent = parentPath(path)
    const names = named.get(parent) ?? new Set(['package.json'])
    named.set(parent, names.add(path.slice(parent === '' ? 0 : parent.length + 1)))
    // Above the root, what is in the way to both is not looked at.
    if (parent !== '' && !/(?:^|\/)\.\.$/.test(parent)) name(parent)
  }
  for (const path of [...applications, ...modules]) name(path)
  // A folder among them is read as a whole.
  const read = modules.filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory())
  const whole = [...applications, ...read].flatMap((path) =>
    foldersBelow(join(root, path), (entry) => isQuiet(entry, true)),
  )
  const ways = [...named].map(([path, names]) => ({ path: join(root, path), names }))
  return [...ways.filter(({ path }) => !whole.includes(path)), ...whole.map((path) => ({ path }))]
}

/** Gathers changes into bursts. */
class Changes {
  #timer: NodeJS.Timeout | undefined
  #state: 'none' | 'changed' | 'ended' = 'none'
  #wake: (() => void) | undefined
  /** Told of each burst when it is over. */
  #onBurst: (() => void) | undefined

  /** A signal that aborts at the end of a burst, but not before so many milliseconds have passed. */
  patience(ms: number): { readonly superseded: AbortSignal; end(): void } {
    const controller = new AbortController()
    const start = performance.now()
    let timer: NodeJS.Timeout | undefined
    this.#onBurst = () => {
      timer ??= setTimeout(() => controller.abort(), Math.max(0, start + ms - performance.now()))
    }
    const end = (): void => {
      clearTimeout(timer)
      this.#onBurst = undefined
    }
    return { superseded: controller.signal, end }
  }

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
    if (state === 'changed') this.#onBurst?.()
    this.#wake?.()
  }
}
