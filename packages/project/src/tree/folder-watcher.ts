import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { systemCode } from '../system-code.ts'

/** A folder to watch, and which of its entries count; all, if that is not said. */
export interface WatchedFolder {
  readonly path: string
  readonly names?: Names
}

/**
 * Tells of changes in folders. One watcher a folder: Node's own recursive watching misses, on Linux, what is made in a new folder
 * before it has seen the folder. Whoever is told reads everything anew, and names the folders that are there then.
 */
export class FolderWatcher {
  readonly #onChange: () => void
  readonly #start: typeof watch
  readonly #watched = new Map<string, Watched>()

  /** `start`: how one folder is watched. */
  constructor(onChange: () => void, start: typeof watch = watch) {
    this.#onChange = onChange
    this.#start = start
  }

  /**
   * Watches these folders from now on, and no others. One that is not there is left out: its parent tells when it comes. Throws
   * `watch-limit` where the system lets no more be watched.
   */
  watch(folders: readonly WatchedFolder[]): void {
    const wanted = new Map(folders.map((folder) => [folder.path, folder]))
    for (const path of this.#watched.keys()) if (!wanted.has(path)) this.#drop(path)
    for (const { path, names } of wanted.values()) {
      const inode = inodeOf(path)
      const known = this.#watched.get(path)
      // A folder that went and was made again has another inode, and the old watcher would be silent for ever.
      if (known !== undefined && inode !== undefined && known.inode === inode) known.names = names
      else {
        this.#drop(path)
        if (inode !== undefined) this.#add(path, inode, names)
      }
    }
  }

  close(): void {
    for (const path of this.#watched.keys()) this.#drop(path)
  }

  #add(path: string, inode: bigint, names: Names): void {
    const watcher = startWatcher(path, this.#start)
    if (watcher === undefined) return
    const watched: Watched = { watcher, inode, names }
    this.#watched.set(path, watched)
    watcher.on('change', (event, name) => {
      // A folder that goes says so by its own name. What comes in its place may have its inode, too.
      const isItself = event === 'rename' && name === basename(path)
      if (isItself) watched.inode = undefined
      if (isItself || name === null || watched.names === undefined || watched.names.has(String(name))) this.#onChange()
    })
    // Windows says so when the folder goes.
    watcher.on('error', () => {
      this.#drop(path)
      this.#onChange()
    })
  }

  #drop(path: string): void {
    this.#watched.get(path)?.watcher.close()
    this.#watched.delete(path)
  }
}

type Names = ReadonlySet<string> | undefined

interface Watched {
  readonly watcher: FSWatcher
  /** Undefined once it may watch what is not there any more. */
  inode: bigint | undefined
  names: Names
}

/** What tells a folder from another one at the same path; undefined where there is none. */
export function inodeOf(path: string): bigint | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats?.isDirectory() ? stats.ino : undefined
}

function startWatcher(path: string, start: typeof watch): FSWatcher | undefined {
  try {
    return start(path)
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const limit = LIMITS.get(code)
    if (limit === undefined) throw error
    throw new RetinueError({
      code: 'watch-limit',
      message: `The system lets no more folders be watched than are watched already (${code} at ${path}).`,
      hint: `${limit} Without watching, each check is a command of its own.`,
      data: { code, path },
      cause: error,
    })
  }
}

/** What to do where the system has enough: inotify has a limit for folders, and one for the programs that watch some. */
const LIMITS: ReadonlyMap<string, string> = new Map([
  [
    'ENOSPC',
    'On Linux, raise the limit (sudo sysctl fs.inotify.max_user_watches=524288), or end another program that watches files.',
  ],
  [
    'EMFILE',
    'On Linux, raise the limits (sudo sysctl fs.inotify.max_user_instances=512; ulimit -n 4096), or end another program that watches files.',
  ],
])

/** A folder and all in it, without those whose names are skipped. Links are not followed. */
export function foldersBelow(path: string, isSkipped: (name: string) => boolean): string[] {
  const found = [path]
  for (let at = 0; at < found.length; at++) {
    const folder = found[at] ?? ''
    for (const entry of entriesOf(folder)) {
      if (entry.isDirectory() && !isSkipped(entry.name)) found.push(join(folder, entry.name))
    }
  }
  return found
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It went, or can't be read: there is nothing in it to watch.
    return []
  }
}
