import { moduleName } from '../layout.ts'
import { readText, type Unread } from '../tree/read-text.ts'
import { joinPath, normalizePath, parentPath, type SourceTree } from '../tree/source-tree.ts'
import { parseFrontmatter } from './frontmatter.ts'
import { importCandidates, isRelative } from './import-candidates.ts'
import { type ModuleShape, parseModule } from './module-shape.ts'

/** A module as it was read: its shape, or why it could not be read. */
export type ReadModule =
  | { readonly ok: true; readonly shape: ModuleShape }
  | { readonly ok: false; readonly unread: Unread }

/** The modules of a tree, each read and parsed once, and what they import from each other. */
export class ModuleIndex {
  readonly #tree: SourceTree
  readonly #modules = new Map<string, ReadModule>()
  readonly #imports = new Map<string, readonly string[]>()

  constructor(tree: SourceTree) {
    this.#tree = tree
  }

  read(file: string): ReadModule {
    const known = this.#modules.get(file)
    if (known !== undefined) return known
    const source = readText(this.#tree, file)
    const read: ReadModule = source.ok ? { ok: true, shape: shapeOf(file, source.text) } : source
    this.#modules.set(file, read)
    return read
  }

  shape(file: string): ModuleShape | undefined {
    const read = this.read(file)
    return read.ok ? read.shape : undefined
  }

  /** The files that were read, and those that were looked for and could not be. */
  files(): readonly string[] {
    return [...this.#modules.keys()]
  }

  /** The files that a module imports by a relative path, and what it reads beside itself, each once. */
  importsOf(file: string): readonly string[] {
    const known = this.#imports.get(file)
    if (known !== undefined) return known
    const found = new Set<string>()
    for (const { specifier, isRead } of this.shape(file)?.imports ?? []) {
      const target = this.resolve(file, specifier) ?? (isRead && this.#folderRead(file, specifier))
      if (target) found.add(target)
    }
    const imports = [...found]
    this.#imports.set(file, imports)
    return imports
  }

  /** A folder that a module reads. One that it is in itself is only where it looks from. */
  #folderRead(importer: string, specifier: string): string | undefined {
    const path = normalizePath(joinPath(parentPath(importer), specifier))
    const isFolder = path !== undefined && this.#tree.kindOf(path) === 'directory'
    return isFolder && path !== '' && !importer.startsWith(`${path}/`) ? path : undefined
  }

  /** The file of the tree that a relative specifier names, as loading would find it. */
  resolve(importer: string, specifier: string): string | undefined {
    if (!isRelative(specifier)) return undefined
    const dir = parentPath(importer)
    for (const candidate of [specifier, ...importCandidates(specifier)]) {
      const path = normalizePath(joinPath(dir, candidate.replace(/[?#].*$/, '')))
      if (path !== undefined && this.#tree.kindOf(path) === 'file') return path
    }
    return undefined
  }

  /** The given modules and everything that they import, directly or not. */
  closure(files: Iterable<string>): Set<string> {
    const seen = new Set<string>()
    const queue = [...files]
    for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      if (moduleName(file) !== undefined) queue.push(...this.importsOf(file))
    }
    return seen
  }
}

/** What is no module is read as an `agent.md`: the one other file that something is looked up in. */
function shapeOf(file: string, text: string): ModuleShape {
  return moduleName(file) === undefined ? parseFrontmatter(text).shape : parseModule(file, text)
}
