import { byName, type Entry, type EntryKind, SourceError, type SourceTree } from './source-tree.ts'

/** What a tree in memory holds at a path: text or bytes of a file, a link, or an empty directory. */
export type MemoryEntry = string | Uint8Array | { link: string } | { directory: true }

type Node = Map<string, Node> | Exclude<MemoryEntry, { directory: true }>

/** A tree of files that exists nowhere but here. Directories are made as paths need them. */
export class MemoryTree implements SourceTree {
  readonly #root: Map<string, Node> = new Map()

  constructor(files: Readonly<Record<string, MemoryEntry>>) {
    for (const [path, entry] of Object.entries(files)) this.#add(path, entry)
  }

  kindOf(path: string): EntryKind | undefined {
    const node = this.#find(path)
    return node === undefined ? undefined : kindOf(node)
  }

  list(dir: string): readonly Entry[] {
    const node = this.#find(dir)
    if (!(node instanceof Map)) throw new SourceError(dir, 'it is not a directory')
    return [...node].map(([name, child]) => ({ name, kind: kindOf(child) })).sort(byName)
  }

  read(file: string): Uint8Array {
    const node = this.#find(file)
    if (typeof node === 'string') return new TextEncoder().encode(node)
    if (node instanceof Uint8Array) return node
    throw new SourceError(file, 'it is not a file')
  }

  #add(path: string, entry: MemoryEntry): void {
    let at = this.#root
    const parts = path.split('/')
    const name = parts.pop()
    for (const part of parts) {
      let next = at.get(part)
      if (!(next instanceof Map)) {
        next = new Map<string, Node>()
        at.set(part, next)
      }
      at = next
    }
    if (name === undefined || name === '') throw new TypeError(`${JSON.stringify(path)} names no entry`)
    at.set(name, isDirectory(entry) ? new Map<string, Node>() : entry)
  }

  #find(path: string): Node | undefined {
    let at: Node | undefined = this.#root
    for (const part of path === '' ? [] : path.split('/')) {
      if (at === undefined || !(at instanceof Map)) return isLink(at) ? at : undefined
      at = at.get(part)
    }
    return at
  }
}

function isDirectory(entry: MemoryEntry): entry is { directory: true } {
  return typeof entry === 'object' && 'directory' in entry
}

function isLink(node: Node | undefined): node is { link: string } {
  return typeof node === 'object' && !(node instanceof Map) && 'link' in node
}

function kindOf(node: Node): EntryKind {
  if (node instanceof Map) return 'directory'
  return isLink(node) ? 'link' : 'file'
}
