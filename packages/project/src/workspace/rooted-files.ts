import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { pathSteps, refused, unreadable } from './path-steps.ts'

export interface ListedFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
}

interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder'
  readonly size: number
}

/**
 * Files below one folder, and nothing else (B11.9).
 *
 * On Linux each step of a path is opened from the folder that holds it, through `/proc/self/fd/<folder>/<name>` with `O_NOFOLLOW`:
 * a folder that is swapped for a link between two steps is refused by the system itself, so there is no moment in which a check
 * was made and not yet used. Elsewhere there is no such way to open: every step is looked at with `lstat`, the file is opened with
 * `O_NOFOLLOW` (macOS; Windows has no such flag), and what was opened must be the very file that was looked at, below the root
 * still. A link that stands there is refused on every system; only someone who swaps folders in the microseconds between could
 * get past this on macOS and Windows, and then reads a file whose identity was the expected one a moment before.
 */
export class RootedFiles {
  readonly #root: string
  readonly #walk: Walk

  /** `root` is trusted: it may be reached through links. `portable` chooses the way of systems without `/proc`. */
  constructor(root: string, portable: boolean = process.platform !== 'linux') {
    this.#root = root
    this.#walk = portable ? walkPortable : walkLinux
  }

  /** A file's bytes, at most `limit` of them. */
  read(path: string, limit: number): Uint8Array {
    const steps = pathSteps(path)
    if (steps.length === 0) throw unreadable(path, 'it is a folder')
    return this.#open(path, steps, (descriptor, stats) => {
      if (stats.isDirectory()) throw unreadable(path, 'it is a folder')
      if (!stats.isFile()) throw unreadable(path, 'it is not a regular file')
      if (stats.size > limit) throw unreadable(path, `it has ${stats.size} bytes, and ${limit} may be read`)
      return readAll(descriptor, path, limit)
    })
  }

  /** The files below a folder, sorted by path; links are left out. `complete` is false if there are more than `limit`. */
  list(path: string, limit: number): { files: ListedFile[]; complete: boolean } {
    const files: ListedFile[] = []
    const folders = [pathSteps(path)]
    for (let steps = folders.shift(); steps !== undefined; steps = folders.shift()) {
      const here = steps
      for (const { name, kind, size } of this.#entries(path, here)) {
        const found = [...here, name]
        if (kind === 'folder') folders.push(found)
        else if (files.length === limit) return { files: files.sort(byPath), complete: false }
        else files.push({ path: found.join('/'), size })
      }
    }
    return { files: files.sort(byPath), complete: true }
  }

  #entries(path: string, steps: readonly string[]): FolderEntry[] {
    return this.#open(path, steps, (_, stats, place) => {
      if (!stats.isDirectory()) throw unreadable(path, 'it is not a folder')
      return readdirSync(place).flatMap((name): FolderEntry[] => {
        const entry = lstatSync(join(place, name), { throwIfNoEntry: false })
        if (entry?.isDirectory()) return [{ name, kind: 'folder', size: 0 }]
        return entry?.isFile() ? [{ name, kind: 'file', size: entry.size }] : []
      })
    })
  }

  #open<T>(path: string, steps: readonly string[], use: (descriptor: number, stats: Stats, place: string) => T): T {
    const { descriptor, place } = this.#walk(this.#root, path, steps)
    try {
      return use(descriptor, fstatSync(descriptor), place)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** Opens what steps lead to. `place` is a path by which the open folder itself can be listed. */
type Walk = (root: string, path: string, steps: readonly string[]) => { descriptor: number; place: string }

// Reading a pipe would wait for a writer; NONBLOCK makes opening it return, and it is refused then.
const OPEN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const walkLinux: Walk = (root, path, steps) => {
  let descriptor = openStep(path, () => openSync(root, constants.O_RDONLY | constants.O_DIRECTORY))
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1
    const parent = descriptor
    try {
      const place = `/proc/self/fd/${parent}/${step}`
      descriptor = openStep(path, () => openSync(place, isLast ? OPEN : OPEN | constants.O_DIRECTORY), place)
    } finally {
      closeSync(parent)
    }
  }
  return { descriptor, place: `/proc/self/fd/${descriptor}` }
}

const walkPortable: Walk = (root, path, steps) => {
  const base = openStep(path, () => realpathSync(root))
  let place = base
  let expected: Stats | undefined
  for (const step of steps) {
    place = join(place, step)
    const at = place
    expected = openStep(path, () => lstatSync(at))
    if (expected.isSymbolicLink()) throw refused(path, 'it leads through a link')
  }
  const descriptor = openStep(path, () => openSync(place, OPEN), place)
  const opened = fstatSync(descriptor)
  const isSame = expected === undefined || (opened.ino === expected.ino && opened.dev === expected.dev)
  if (!isSame || realpathSync(place) !== place) {
    closeSync(descriptor)
    throw refused(path, 'it changed while it was being opened')
  }
  return { descriptor, place }
}

/** Runs a call of the file system and says in our words why it failed. `place` is looked at to tell a link from a file. */
function openStep<T>(path: string, open: () => T, place?: string): T {
  try {
    return open()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const isLink = code === 'ELOOP' || (code === 'ENOTDIR' && place !== undefined && isLinkAt(place))
    if (isLink) throw refused(path, 'it leads through a link')
    if (code === 'ENOENT' || code === 'ENOTDIR') throw unreadable(path, 'it is not there')
    throw unreadable(path, code === 'EACCES' ? 'there is no permission' : `the system says ${String(code)}`)
  }
}

function isLinkAt(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** Reads to the end, or refuses a file that grew past the limit since its size was looked at. */
function readAll(descriptor: number, path: string, limit: number): Uint8Array {
  const buffer = new Uint8Array(limit + 1)
  let length = 0
  for (;;) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null)
    if (read === 0) return buffer.subarray(0, length)
    length += read
    if (length > limit) throw unreadable(path, `it has more than the ${limit} bytes that may be read`)
  }
}

function byPath(a: ListedFile, b: ListedFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
