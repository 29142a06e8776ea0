import { closeSync, constants, type Dirent, lstatSync, openSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../system-code.ts'
import { diskSurroundings } from './disk-surroundings.ts'
import {
  byName,
  type Entry,
  type EntryKind,
  parentPath,
  SourceError,
  type SourceTree,
  type Surroundings,
} from './source-tree.ts'

/**
 * The files below a directory, as they are when they are first looked at: a folder is listed once, so that all who ask see the same.
 * `root` must be its real path, so that no part of it is a link.
 */
export class DiskTree implements SourceTree {
  readonly root: string
  readonly surroundings: Surroundings
  readonly #folders = new Map<string, Folder | SourceError>()

  constructor(root: string) {
    this.root = root
    this.surroundings = diskSurroundings(root)
  }

  kindOf(path: string): EntryKind | undefined {
    if (path === '') return 'directory'
    const parent = parentPath(path)
    const above = this.kindOf(parent)
    if (above !== 'directory') return above === 'link' ? 'link' : undefined
    const folder = this.#folder(parent)
    // What may not be listed may still be passed through.
    if (folder instanceof SourceError) return kindOnDisk(join(this.root, path))
    return folder.kinds.get(path.slice(parent === '' ? 0 : parent.length + 1))
  }

  list(dir: string): readonly Entry[] {
    const folder = this.#folder(dir)
    if (folder instanceof SourceError) throw folder
    return folder.entries
  }

  #folder(dir: string): Folder | SourceError {
    const known = this.#folders.get(dir)
    if (known !== undefined) return known
    const folder = listFolder(join(this.root, dir), dir)
    this.#folders.set(dir, folder)
    return folder
  }

  read(file: string): Uint8Array {
    try {
      // A file that became a link since it was listed is refused by the system, not read. Windows has no such flag.
      const descriptor = openSync(join(this.root, file), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
      try {
        return readFileSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      throw new SourceError(file, systemReason(error))
    }
  }
}

interface Folder {
  readonly entries: readonly Entry[]
  readonly kinds: ReadonlyMap<string, EntryKind>
}

function listFolder(path: string, dir: string): Folder | SourceError {
  try {
    const entries = readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: kindOf(entry),
    }))
    return { entries: entries.sort(byName), kinds: new Map(entries.map(({ name, kind }) => [name, kind])) }
  } catch (error) {
    return new SourceError(dir, systemReason(error))
  }
}

function kindOnDisk(path: string): EntryKind | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? undefined : kindOf(stats)
}

function kindOf(entry: Dirent | Stats): EntryKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission to read it',
  EPERM: 'there is no permission to read it',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link',
  ENOENT: 'it was removed while it was being read',
  ENOTDIR: 'it is not a directory',
}

/** Why the system refused, without the absolute path that its own message holds. */
function systemReason(error: unknown): string {
  const code = systemCode(error) ?? 'unknown error'
  return REASONS[code] ?? `the system says ${code}`
}
