import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { RetinueError } from '@retinue/core/errors'
import type { ModuleInfo, OutputChunk, Plugin, PluginContext, RolldownOutput } from 'rolldown'
import { rolldown } from 'rolldown'
import { asNode, nodeConditions } from './as-node.ts'
import { refused } from './copied-files.ts'
import { ENTRY, FILE, PROJECT, RUNTIME } from './entry-module.ts'
import { waitingCircle } from './execution-order.ts'
import { type Asked, placeModule } from './module-files.ts'
import { BROUGHT_ALONG, Packages, PROVIDERS, packageName } from './packages.ts'
import { MAY_ASK, type Unfollowed, unfollowedIn } from './unfollowed.ts'

export interface BundleOptions {
  /** The project's real path. */
  readonly root: string
  /** The text of the module that it begins with: see `ENTRY_TEXT`. */
  readonly entry: string
  /**
   * What it is made of, once that is known: what every project needs is read meanwhile. It ends the bundling where it rejects.
   */
  readonly project: Promise<BundledProject>
}

export interface BundledProject {
  /** The text of the module that imports its own: see `projectModule`. */
  readonly module: string
  /** The packages of the providers that its agents name. */
  readonly providers: readonly string[]
}

export interface Bundle {
  /** Scripts and their source maps, by name. */
  readonly files: ReadonlyMap<string, string | Uint8Array>
  /** What must be installed beside them, as a package.json in the project's root would list it. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Files and folders that modules read, by their places below `files`. */
  readonly reads: ReadonlyMap<string, Read>
  /** Modules that may read files of which nobody can say which, by their paths in the project. */
  readonly open: readonly string[]
  /** What modules ask for when they run, and is not in the bundle. */
  readonly unfollowed: readonly UnfollowedAt[]
  /** Modules in a circle, because of which others may run too early, by their paths in the project. */
  readonly unordered: readonly string[]
}

/** A file or folder that a module reads. */
export interface Read {
  /** Absolute. */
  readonly from: string
  /** The module and the line, by its path in the project. */
  readonly by: string
}

/** With the module that asks, by its path in the project. */
export interface UnfollowedAt extends Unfollowed {
  readonly file: string
}

/** What a package says that looks for files beside itself. */
const SELF_READING = /import\.meta|createRequire|__dirname|__filename/

/** Bundles a project with what it is made of. Throws `build-failed` and `build-version-conflict`. */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const kept = new Set<string>()
  let isOrdered = false
  // A package may turn out to need its own place: the bundle is made anew then, with fewer packages in it each time.
  for (;;) {
    const work = new Work(options, kept, isOrdered)
    const bundled = await work.run()
    const found = [...work.selfReading, ...work.toKeep()].filter((dir) => !kept.has(dir))
    if (found.length === 0 && isOrdered === work.needsOrder) return bundled
    for (const dir of found) kept.add(dir)
    isOrdered = work.needsOrder
  }
}

/** One run of the bundler, and what it comes across. */
class Work {
  /** The folders of bundled packages that look for files beside themselves. */
  readonly selfReading: string[] = []
  /** Whether modules must be kept in their order: chunks run what they share first. That makes every module larger. */
  needsOrder = false
  readonly #root: string
  readonly #entry: string
  readonly #project: Promise<BundledProject>
  readonly #isOrdered: boolean
  readonly #packages: Packages
  /** Whether workers begin with chunks of their own. */
  #isSplit = false
  readonly #reads = new Map<string, Read>()
  readonly #open = new Set<string>()
  readonly #unfollowed: UnfollowedAt[] = []
  readonly #unordered = new Set<string>()
  readonly #resolved = new Map<string, Awaited<ReturnType<PluginContext['resolve']>>>()
  /** Modules that were asked for with a query, and their files. */
  readonly #queried = new Map<string, string>()
  /** What ends it, by where it was met. The bundler would make an error of its own of what is thrown at once. */
  readonly #refused = new Map<string, unknown>()

  constructor({ root, entry, project }: BundleOptions, kept: Iterable<string>, isOrdered: boolean) {
    this.#root = root
    this.#entry = entry
    this.#project = project
    this.#isOrdered = isOrdered
    this.#packages = new Packages(root, kept)
  }

  /** The folders of packages that must be installed after all. Throws `build-version-conflict`. */
  toKeep(): readonly string[] {
    return this.#packages.toKeep()
  }

  async run(): Promise<Bundle> {
    const output = await this.#generate()
    // Modules are read at the same time, in any order.
    const [refusal] = [...this.#refused].sort(([a], [b]) => (a < b ? -1 : 1))
    if (refusal !== undefined) throw refusal[1]
    const files = new Map<string, string | Uint8Array>()
    for (const file of output.output) files.set(file.fileName, file.type === 'chunk' ? codeOf(file) : file.source)
    const open = [...this.#open].sort()
    const unfollowed = this.#unfollowed.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    const reads = new Map([...this.#reads].sort(([a], [b]) => (a < b ? -1 : 1)))
    const unordered = [...this.#unordered].sort()
    return { files, dependencies: this.#packages.dependencies(), reads, open, unfollowed, unordered }
  }

  async #generate(): Promise<RolldownOutput> {
    try {
      const build = await rolldown({
        // Paths that get into the output are relative to it: the same bytes come from any directory.
        cwd: this.#root,
        input: { application: ENTRY },
        platform: 'node',
        // Node pays no heed to it either, and `check` has loaded everything as Node does.
        tsconfig: false,
        resolve: {
          extensions: ['.ts', '.mts', '.js', '.mjs', '.json'],
          extensionAlias: { '.js': ['.js', '.ts'], '.mjs': ['.mjs', '.mts'] },
          conditionNames: nodeConditions(),
          mainFields: ['main'],
        },
        // Node runs every module that is imported, whatever package.json says of side effects.
        treeshake: { moduleSideEffects: (id) => (this.#isKnown(id) ? undefined : true) },
        experimental: { attachDebugInfo: 'none' },
        plugins: [this.#plugin(), asNode(this.#queried)],
        // What is wrong with the project `check` has said; what cannot be built is thrown.
        onLog() {},
      })
      try {
        return await build.generate({
          format: 'esm',
          sourcemap: true,
          strictExecutionOrder: this.#isOrdered,
          // Half as large, and quicker to start; names of functions and classes stay, and the source maps tell the rest.
          minify: {
            compress: { keepNames: { function: true, class: true } },
            mangle: { keepNames: true },
            codegen: true,
          },
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          sourcemapPathTransform: (source, map) => this.#sourceName(join(map, '..', source)),
        })
      } finally {
        await build.close()
      }
    } catch (error) {
      throw failed(error)
    }
  }

  #plugin(): Plugin {
    const work = this
    return {
      name: 'retinue',
      resolveId: {
        // What is relative in a module of its own the bundler finds by itself.
        filter: { id: /^[^./\0]/ },
        async handler(id, importer = '', { kind }) {
          if (id === ENTRY) return { id: `\0${ENTRY}`, moduleSideEffects: 'no-treeshake' }
          if (id === PROJECT) return { id: `\0${PROJECT}`, moduleSideEffects: 'no-treeshake' }
          if (id in RUNTIME) return fileURLToPath(import.meta.resolve(RUNTIME[id as keyof typeof RUNTIME]))
          if (id.startsWith(FILE)) return join(work.#root, id.slice(FILE.length))
          if (id.startsWith('node:') || isAbsolute(id)) return null
          // What a specifier means is the same for all modules of a folder; a package may hold folders with packages of their own.
          const key = `${kind} ${dirname(importer)} ${id}`
          const found = await (work.#resolved.get(key) ?? this.resolve(id, importer, { skipSelf: true, kind }))
          work.#resolved.set(key, found)
          // What is not installed was a finding, or is looked for when it is needed, as the providers of models are.
          if (found === null) return { id, external: true }
          if (found.external || !isAbsolute(found.id)) return found
          if (PROVIDERS.test(id)) return work.#provider(id, found.id, importer)
          return work.#packages.mustBeInstalled(found.id) ? work.#external(id, found.id, importer) : found
        },
      },
      load: {
        filter: { id: new RegExp(`^\\0(?:${ENTRY}|${PROJECT})$`) },
        async handler(id) {
          return { code: id === `\0${ENTRY}` ? work.#entry : (await work.#project).module, moduleType: 'js' }
        },
      },
      buildEnd() {
        const modules = new Map([...this.getModuleIds()].map((id) => [id, this.getModuleInfo(id)] as const))
        work.#ordered(modules)
      },
      transform: {
        filter: { id: /^[^\0].*\.[mc]?[jt]s(?:[?#].*)?$/, code: MAY_ASK },
        handler(code, id) {
          const placed = work.#placed(code, work.#queried.get(id) ?? id)
          if (placed !== undefined && placed.chunks.size > 0) work.#isSplit = true
          for (const [file, fileName] of placed?.chunks ?? []) this.emitFile({ type: 'chunk', id: file, fileName })
          return placed && { code: placed.code, map: null }
        },
      },
    }
  }

  /** Our own packages rely on no order, and the project's modules all run after them. */
  #ordered(modules: ReadonlyMap<string, ModuleInfo | null>): void {
    const its = new Map([...modules].flatMap(([id, info]) => (info === null || this.#isOurs(id) ? [] : [[id, info]])))
    const isSplit = [...its.values()].some(({ dynamicallyImportedIds: later }) => later.some((id) => its.has(id)))
    if (!isSplit && !this.#isSplit) return
    const circle = waitingCircle(its)
    this.needsOrder = circle.length === 0
    for (const id of circle) this.#unordered.add(this.#place(this.#queried.get(id) ?? id))
  }

  /** Whether a module is of a package of this repository, or none that anybody wrote. */
  #isOurs(id: string): boolean {
    const owner = this.#packages.of(this.#queried.get(id) ?? id)
    return id.startsWith('\0') || (owner !== undefined && this.#packages.isOurs(owner))
  }

  /** Whether what the package of a module says of side effects is known to be true. */
  #isKnown(id: string): boolean {
    const owner = this.#packages.of(this.#queried.get(id) ?? id)
    return this.#isOurs(id) || (owner?.isInstalled === true && BROUGHT_ALONG.has(owner.name))
  }

  /** Core can load any provider, which says nothing; one that the project names or imports itself must be there. */
  async #provider(specifier: string, file: string, importer: string): Promise<{ id: string; external: true }> {
    const owner = this.#packages.of(importer)
    const isAsked = owner?.name !== '@retinue/core' || (await this.#project).providers.includes(packageName(specifier))
    return isAsked ? this.#external(specifier, file, importer) : { id: specifier, external: true }
  }

  #external(specifier: string, file: string, importer: string): { id: string; external: true } {
    this.#packages.list(specifier, file, importer)
    return { id: specifier, external: true }
  }

  /**
   * A module that asks where it stands, or for modules that only it knows. One of an installed package sends its package back to where
   * it was installed.
   */
  #placed(code: string, file: string): { code: string; chunks: ReadonlyMap<string, string> } | undefined {
    const owner = this.#packages.of(file)
    const unfollowed = owner === undefined || !this.#packages.isOurs(owner) ? unfollowedIn(code, file) : []
    if (owner?.isInstalled) {
      if (SELF_READING.test(code) || unfollowed.length > 0) this.selfReading.push(owner.dir)
      return undefined
    }
    const path = this.#place(file)
    const placed = placeModule(code, { file, path, chunkOf: (worker) => chunkOf(this.#place(worker)) })
    for (const each of [...unfollowed, ...placed.lacking]) this.#unfollowed.push({ ...each, file: path })
    for (const read of placed.reads) this.#read(file, read)
    if (placed.isOpen) this.#open.add(path)
    const inside = placed.workers.filter((worker) => this.#isReached(file, worker))
    return {
      code: placed.code,
      chunks: new Map(inside.map((worker) => [worker.path, chunkOf(this.#place(worker.path))])),
    }
  }

  #read(file: string, read: Asked): void {
    // A file that is read and is not there may be written by who reads it.
    if (!existsSync(read.path) || !this.#isReached(file, read)) return
    const place = this.#place(read.path)
    const by = `${this.#place(file)}:${read.line}`
    const known = this.#reads.get(place)
    // Of those who read the same, the one that is always the first.
    this.#reads.set(place, { from: read.path, by: known !== undefined && known.by < by ? known.by : by })
  }

  /** Whether a module finds a file in the output by the way that leads to it now. */
  #isReached(file: string, { path, line }: Asked): boolean {
    const place = this.#place(path)
    const isInside = slashed(join(dirname(this.#place(file)), relative(dirname(file), path))) === place
    const by = `${this.#place(file)}:${line}`
    if (!isInside) this.#refused.set(by, refused(path, by, 'it lies outside of the project'))
    return isInside
  }

  /** Where a file of the project, or of a package that is linked into it, is found in the output. */
  #place(file: string): string {
    const inside = slashed(relative(this.#root, file))
    if (!inside.startsWith('../') && !isAbsolute(inside)) return inside
    const owner = this.#packages.of(join(file, 'x')) ?? this.#packages.of(file)
    return owner === undefined
      ? `outside/${inside.replaceAll('../', '')}`
      : `node_modules/${owner.name}/${slashed(relative(owner.dir, file))}`
  }

  /** What a source is called in a source map: never by a path of this machine. */
  #sourceName(source: string): string {
    const path = isAbsolute(source) ? source : join(this.#root, source)
    // What is no file is called by the bundler as if it stood in the root.
    const name = basename(path)
    const isMade = source.includes('\0') || name === ENTRY || name === PROJECT
    return `../../../../${isMade ? `${name.replace(/^.*:/, 'retinue-')}.js` : this.#place(path)}`
  }
}

/** What the chunk is called that a thread or process begins with. */
function chunkOf(place: string): string {
  return `worker-${createHash('sha256').update(place).digest('hex').slice(0, 8)}.js`
}

function codeOf({ code }: OutputChunk): string {
  return code
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

function failed(cause: unknown): RetinueError {
  const text = cause instanceof Error ? cause.message : String(cause)
  return new RetinueError({
    code: 'build-failed',
    message: `The project could not be bundled: ${stripVTControlCharacters(text).trim()}`,
    hint: 'Mend what the message names, and build again.',
    cause,
  })
}
