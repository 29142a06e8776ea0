/** What stands at a place of a tree. A link is never followed, so that nothing outside the tree is read and no cycle is walked. */
export type EntryKind = 'file' | 'directory' | 'link' | 'other'

export interface Entry {
  readonly name: string
  readonly kind: EntryKind
}

/**
 * The files of a project, read only. Paths are relative to the project's root and use `/`; the root itself is `''`. Discovery
 * reads nothing but this, so a tree in memory is as good as a disk.
 */
export interface SourceTree {
  /** What is at a path, or `undefined` if nothing is. A path that leads through a link is a link. */
  kindOf(path: string): EntryKind | undefined
  /** A directory's entries, sorted by name in code-unit order. Throws a `SourceError` if it can't be read. */
  list(dir: string): readonly Entry[]
  /** A file's bytes. Throws a `SourceError` if it can't be read. */
  read(file: string): Uint8Array
  /** What stands around the root, if the tree stands anywhere. */
  readonly surroundings?: Surroundings
}

/** What a project has by where it stands: Node looks above its root, too. */
export interface Surroundings {
  /** Whether the project's files can import a package. `undefined` where packages are not kept in folders. */
  hasPackage(name: string): boolean | undefined
  /** The text of the nearest package.json above the root. */
  manifestAbove(): string | undefined
  /** The text of a file above the root, by its path from there: `../tsconfig.base.json`. `undefined` where it can't be read. */
  fileAbove(path: string): string | undefined
}

/** A file or directory that is there but can't be read. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(reason)
    this.path = path
  }
}

export function joinPath(dir: string, name: string): string {
  return dir === '' ? name : `${dir}/${name}`
}

export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Resolves `.` and `..` in a path of the tree. `undefined` if it leads out of the tree's root. */
export function normalizePath(path: string): string | undefined {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

export function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
