import { closeSync, constants, type Dirent, lstatSync, openSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { byName, type Entry, type EntryKind, SourceError, type SourceTree } from './source-tree.ts'

/** The files below a directory. `root` must be its real path, so that no part of it is a link. */
export class DiskTree implements SourceTree {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  kindOf(path: string): EntryKind | undefined {
    let at = this.root
    let kind: EntryKind | undefined = 'directory'
    for (const part of path === '' ? [] : path.split('/')) {
      if (kind !== 'directory') return kind === 'link' ? 'link' : undefined
      at = join(at, part)
      const stats = lstatSync(at, { throwIfNoEntry: false })
      if (stats === undefined) return undefined
      kind = kindOf(stats)
    }
    return kind
  }

  list(dir: string): readonly Entry[] {
    try {
      const entries = readdirSync(join(this.root, dir), { withFileTypes: true })
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) })).sort(byName)
    } catch (error) {
      throw new SourceError(dir, systemReason(error))
    }
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
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
  return REASONS[code] ?? `the system says ${code}`
}
