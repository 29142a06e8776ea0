import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { systemCode } from '../system-code.ts'
import { type FolderOpener, folderOpener, type OpenFolder } from './open-folder.ts'
import { pathSteps, UNFINISHED } from './path-steps.ts'
import { impossible, refused, type Target } from './refusals.ts'
import { said } from './system-reason.ts'

export interface ListedFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
}

export interface FileStat {
  readonly kind: 'file' | 'folder'
  /** In bytes; of a folder 0. */
  readonly size: number
  readonly modified: Date
  readonly isExecutable: boolean
}

interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder'
  readonly size: number
}

/** So many folders are looked into by one listing: it must end also where there are a million empty ones. */
const MAX_FOLDERS = 10_000

/**
 * Files below one folder, and nothing else (B11.9): `open-folder.ts` says how, and what holds on which system. Everything is done
 * at once, in one turn of the event loop, so that two calls of one process never meet in the middle of a change.
 */
export class RootedFiles {
  readonly #opener: FolderOpener

  /** `root` is trusted: it may be reached through links. `portable` chooses the way of systems without `/proc`. */
  constructor(root: string, portable?: boolean) {
    this.#opener = folderOpener(root, portable)
  }

  /** A file's bytes, at most `limit` of them. */
  read(path: string, limit: number, verb: Target['verb'] = 'read'): Uint8Array {
    const target: Target = { path, verb }
    return this.#inFolder(target, false, (folder, name) => {
      const descriptor = this.#opener.openFile(target, folder, name)
      try {
        const stats = fstatSync(descriptor)
        assertFile(target, stats)
        if (stats.size > limit) throw impossible(target, `it has ${stats.size} bytes, and ${limit} may be ${verb}`)
        return readAll(target, descriptor, stats.size, limit)
      } finally {
        closeSync(descriptor)
      }
    })
  }

  /** What is at a path: a file or a folder; the root is a folder. */
  stat(path: string): FileStat {
    const target: Target = { path, verb: 'looked at' }
    const steps = pathSteps(path)
    const name = steps.pop()
    return this.#opener.within(target, steps, {}, (folder) => {
      const stats = said(target, () => lstatSync(folder.at(name ?? '.')))
      folder.hold()
      if (!stats.isDirectory()) assertFile(target, stats)
      const kind = stats.isDirectory() ? 'folder' : 'file'
      const isExecutable = (stats.mode & 0o100) !== 0
      return { kind, size: kind === 'file' ? stats.size : 0, modified: stats.mtime, isExecutable }
    })
  }

  /** The files below a folder, sorted by path; links are left out. `complete` is false if there are more than `limit`. */
  list(path: string, limit: number, verb: Target['verb'] = 'listed'): { files: ListedFile[]; complete: boolean } {
    const top = pathSteps(path)
    const files: ListedFile[] = []
    const folders = [top]
    let seen = 0
    for (let steps = folders.shift(); steps !== undefined; steps = folders.shift()) {
      if (++seen > MAX_FOLDERS) return { files: files.sort(byPath), complete: false }
      const here = steps
      for (const { name, kind, size } of this.#entries({ path, verb }, here, here === top)) {
        const found = [...here, name]
        if (kind === 'folder') folders.push(found)
        else if (files.length === limit) return { files: files.sort(byPath), complete: false }
        else files.push({ path: found.join('/'), size })
      }
    }
    return { files: files.sort(byPath), complete: true }
  }

  /**
   * Makes a file or replaces it as a whole, with the folders above it: who reads it meanwhile sees the old or the new one. Only a
   * file is replaced, never a folder or a link.
   */
  write(path: string, bytes: Uint8Array, verb: Target['verb'] = 'written'): { created: boolean } {
    const target: Target = { path, verb }
    return this.#inFolder(target, true, (folder, name) => {
      const before = entryAt(target, folder, name)
      if (before !== undefined) assertFile(target, before)
      const mode = before === undefined ? undefined : before.mode & 0o777
      finish(target, folder, bytes, mode, (unfinished) => renameSync(unfinished, folder.at(name)))
      return { created: before === undefined }
    })
  }

  /** Makes a file where nothing is; false, and nothing changed, where something is, also if it came this very moment. */
  create(path: string, bytes: Uint8Array, mode?: number): boolean {
    const target: Target = { path, verb: 'written' }
    return this.#inFolder(target, true, (folder, name) => {
      if (entryAt(target, folder, name) !== undefined) return false
      let isMade = true
      finish(target, folder, bytes, mode, (unfinished) => {
        isMade = linkNew(unfinished, folder.at(name))
      })
      return isMade
    })
  }

  /** Deletes a file, or a folder that is empty; with `recursive` also what is in it. Gives how many files went. */
  remove(path: string, recursive: boolean): number {
    const target: Target = { path, verb: 'deleted' }
    if (pathSteps(path).length === 0) throw impossible(target, 'it is the workspace itself')
    return this.#inFolder(target, false, (folder, name) => {
      const stats = said(target, () => lstatSync(folder.at(name)))
      if (stats.isDirectory()) return this.#removeFolder(target, folder, name, recursive)
      assertFile(target, stats)
      folder.hold()
      said(target, () => unlinkSync(folder.at(name)))
      return 1
    })
  }

  #removeFolder(target: Target, folder: OpenFolder, name: string, recursive: boolean): number {
    const count = recursive
      ? this.#opener.below(target, folder, name, (inner) => this.#removeContents(target, inner))
      : 0
    folder.hold()
    said(target, () => rmdirSync(folder.at(name)), folder.at(name))
    return count
  }

  /** A link in a folder goes with it, and is not followed. */
  #removeContents(target: Target, folder: OpenFolder): number {
    let count = 0
    for (const name of said(target, () => readdirSync(folder.place))) {
      const entry = lstatSync(folder.at(name), { throwIfNoEntry: false })
      if (entry?.isDirectory()) count += this.#removeFolder(target, folder, name, true)
      else if (entry !== undefined) {
        folder.hold()
        said(target, () => unlinkSync(folder.at(name)))
        if (!isUnfinished(name)) count++
      }
    }
    return count
  }

  /** A folder that goes, or becomes something else, while the folders above it are listed is passed over. */
  #entries(target: Target, steps: readonly string[], isTop: boolean): FolderEntry[] {
    try {
      return this.#opener.within(target, steps, {}, (folder) => {
        const names = said(target, () => readdirSync(folder.place))
        const entries = names.flatMap((name): FolderEntry[] => {
          const entry = isUnfinished(name) ? undefined : lstatSync(folder.at(name), { throwIfNoEntry: false })
          if (entry?.isDirectory()) return [{ name, kind: 'folder', size: 0 }]
          return entry?.isFile() ? [{ name, kind: 'file', size: entry.size }] : []
        })
        folder.hold()
        return entries
      })
    } catch (error) {
      if (isTop) throw error
      return []
    }
  }

  #inFolder<T>(target: Target, create: boolean, use: (folder: OpenFolder, name: string) => T): T {
    const steps = pathSteps(target.path)
    const name = steps.pop()
    if (name === undefined) throw impossible(target, 'it is a folder')
    return this.#opener.within(target, steps, { create }, (folder) => use(folder, name))
  }
}

function entryAt(target: Target, folder: OpenFolder, name: string): Stats | undefined {
  return said(target, () => lstatSync(folder.at(name), { throwIfNoEntry: false }))
}

function assertFile(target: Target, stats: Stats): void {
  if (stats.isSymbolicLink()) throw refused(target.path, 'it leads through a link')
  if (stats.isDirectory()) throw impossible(target, 'it is a folder')
  if (!stats.isFile()) throw impossible(target, 'it is not a regular file')
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** Writes a whole file under a name of its own, which `place` then puts where it belongs. Whatever fails, nothing half is left. */
function finish(
  target: Target,
  folder: OpenFolder,
  bytes: Uint8Array,
  mode: number | undefined,
  place: (unfinished: string) => void,
): void {
  const unfinished = folder.at(`${UNFINISHED}${randomUUID()}`)
  said(target, () => {
    folder.hold()
    const descriptor = openSync(unfinished, NEW_FILE, mode)
    try {
      try {
        folder.hold()
        writeFileSync(descriptor, bytes)
        if (mode !== undefined) fchmodSync(descriptor, mode)
      } finally {
        closeSync(descriptor)
      }
      folder.hold()
      place(unfinished)
    } finally {
      rmSync(unfinished, { force: true })
    }
  })
}

/** Gives a file a name that is free; the system itself decides whether it is. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    // Some disks know no second name: there it is a look and a rename.
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return false
    renameSync(from, to)
    return true
  }
}

function isUnfinished(name: string): boolean {
  return name.startsWith(UNFINISHED)
}

/** Reads to the end, or refuses a file that grew past the limit since its size was looked at. */
function readAll(target: Target, descriptor: number, size: number, limit: number): Uint8Array {
  let buffer = new Uint8Array(size + 1)
  let length = 0
  for (;;) {
    const at = length
    const into = buffer
    const read = said(target, () => readSync(descriptor, into, at, into.length - at, null))
    if (read === 0) return buffer.subarray(0, length)
    length += read
    if (length > limit) throw impossible(target, `it has more than the ${limit} bytes that may be ${target.verb}`)
    if (length === buffer.length) {
      buffer = new Uint8Array(Math.min(limit + 1, length * 2))
      buffer.set(into)
    }
  }
}

function byPath(a: ListedFile, b: ListedFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
