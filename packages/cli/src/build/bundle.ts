import { extname, isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RetinueError } from '@retinue/core/errors'
import type { OutputChunk, Plugin, PluginContext, RolldownOutput } from 'rolldown'
import { rolldown } from 'rolldown'
import { ENTRY, RUNTIME } from './entry-module.ts'
import { placeModule } from './module-files.ts'
import { isOurs, Packages, packageName } from './packages.ts'
import { MAY_ASK, type Unfollowed, unfollowedIn } from './unfollowed.ts'

export interface BundleOptions {
  /** The project's real path. */
  readonly root: string
  /** The text of the module that it begins with: see `entryModule`. */
  readonly entry: string
  /** The packages of the providers that its agents name. */
  readonly providers: readonly string[]
}

export interface Bundle {
  /** Scripts and their source maps, by name. */
  readonly files: ReadonlyMap<string, string | Uint8Array>
  /** What must be installed beside them. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Files and folders that modules read, by their places below `files`; the values are absolute. */
  readonly reads: ReadonlyMap<string, string>
  /** Modules that may read files of which nobody can say which, by their paths in the project. */
  readonly open: readonly string[]
  /** What modules ask for when they run, and is not in the bundle. */
  readonly unfollowed: readonly UnfollowedAt[]
}

/** With the module that asks, by its path in the project. */
export interface UnfollowedAt extends Unfollowed {
  readonly file: string
}

/** The providers of models: heavy, and loaded only when one of their models answers. They are installed, not bundled. */
const PROVIDERS = /^@ai-sdk\/(?:openai|anthropic|google|openai-compatible)$/

/** What a package says that looks for files beside itself. */
const SELF_READING = /import\.meta|createRequire|__dirname|__filename/

/** How often a package may turn out to need its own place. Each time the bundle is made anew. */
const MAX_ROUNDS = 5

/** Bundles a project with what it is made of. Throws `build-failed` and `build-version-conflict`. */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const kept = new Set<string>()
  for (let round = 1; ; round++) {
    const work = new Work(options, kept)
    const bundled = await work.run()
    const found = work.selfReading.filter((dir) => !kept.has(dir))
    if (found.length === 0 || round === MAX_ROUNDS) return bundled
    for (const dir of found) kept.add(dir)
  }
}

/** One run of the bundler, and what it comes across. */
class Work {
  /** The folders of bundled packages that look for files beside themselves. */
  readonly selfReading: string[] = []
  readonly #root: string
  readonly #entry: string
  readonly #providers: readonly string[]
  readonly #packages: Packages
  readonly #reads = new Map<string, string>()
  readonly #open = new Set<string>()
  readonly #unfollowed: UnfollowedAt[] = []
  readonly #resolved = new Map<string, Awaited<ReturnType<PluginContext['resolve']>>>()
  #refused: unknown

  constructor({ root, entry, providers }: BundleOptions, kept: Iterable<string>) {
    this.#root = root
    this.#providers = providers
    this.#entry = entry
    this.#packages = new Packages(kept)
  }

  async run(): Promise<Bundle> {
    const output = await this.#generate()
    if (this.#refused !== undefined) throw this.#refused
    const files = new Map<string, string | Uint8Array>()
    for (const file of output.output) files.set(file.fileName, file.type === 'chunk' ? codeOf(file) : file.source)
    const open = [...this.#open].sort()
    // Modules are read at the same time, in any order.
    const unfollowed = this.#unfollowed.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    return { files, dependencies: this.#packages.dependencies(), reads: this.#reads, open, unfollowed }
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
          ...(conditions().length > 0 && { conditionNames: [...conditions(), 'node', 'import', 'default'] }),
        },
        experimental: { attachDebugInfo: 'none' },
        plugins: [this.#plugin()],
        // What is wrong with the project `check` has said; what cannot be built is thrown.
        onLog() {},
      })
      try {
        return await build.generate({
          format: 'esm',
          sourcemap: true,
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
        filter: { id: /^(?:[^./\0]|\.\/)/ },
        async handler(id, importer, { kind }) {
          if (id === ENTRY) return { id: `\0${ENTRY}`, moduleSideEffects: 'no-treeshake' }
          if (id in RUNTIME) return ownModule(RUNTIME[id as keyof typeof RUNTIME])
          if (importer === `\0${ENTRY}`) return join(work.#root, id)
          if (id.startsWith('.') || id.startsWith('node:') || isAbsolute(id)) return null
          // What a specifier means is the same for all modules of a package.
          const key = `${kind} ${work.#packages.of(importer ?? '')?.dir} ${id}`
          const found = await (work.#resolved.get(key) ?? this.resolve(id, importer, { skipSelf: true, kind }))
          work.#resolved.set(key, found)
          // What is not installed was a finding, or is looked for when it is needed, as the providers of models are.
          if (found === null) return { id, external: true }
          if (found.external || !isAbsolute(found.id)) return found
          if (PROVIDERS.test(id)) return work.#provider(id, found.id, importer)
          return work.#packages.mustBeInstalled(found.id) ? work.#external(id, found.id) : found
        },
      },
      load: {
        filter: { id: new RegExp(`^\\0${ENTRY}$`) },
        handler: () => ({ code: work.#entry, moduleType: 'js' }),
      },
      transform: {
        filter: { id: /^[^\0].*\.[mc]?[jt]s$/, code: MAY_ASK },
        handler: (code, id) => work.#placed(code, id),
      },
    }
  }

  /** Core can load any provider, which says nothing; one that the project names or imports itself must be there. */
  #provider(specifier: string, file: string, importer: string | undefined): { id: string; external: true } {
    const owner = importer === undefined ? undefined : this.#packages.of(importer)
    const isAsked = owner?.name !== '@retinue/core' || this.#providers.includes(packageName(specifier))
    return isAsked ? this.#external(specifier, file) : { id: specifier, external: true }
  }

  #external(specifier: string, file: string): { id: string; external: true } {
    try {
      this.#packages.list(specifier, file)
    } catch (error) {
      // Told at the end: the bundler would make an error of its own of it.
      this.#refused ??= error
    }
    return { id: specifier, external: true }
  }

  /**
   * A module that asks where it stands, or for modules that only it knows. One of an installed package sends its package back to where
   * it was installed.
   */
  #placed(code: string, file: string): { code: string; map: null } | undefined {
    const owner = this.#packages.of(file)
    const unfollowed = owner === undefined || !isOurs(owner) ? unfollowedIn(code, file) : []
    if (owner?.isInstalled) {
      if (SELF_READING.test(code) || unfollowed.length > 0) this.selfReading.push(owner.dir)
      return undefined
    }
    for (const each of unfollowed) this.#unfollowed.push({ ...each, file: this.#place(file) })
    if (!code.includes('import.meta')) return undefined
    const placed = placeModule(code, file, this.#place(file))
    for (const read of placed.reads) this.#reads.set(this.#place(read), read)
    if (placed.isOpen) this.#open.add(this.#place(file))
    return { code: placed.code, map: null }
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
    return `../../../${source.includes('\0') || source.includes('retinue:') ? 'retinue-entry.js' : this.#place(path)}`
  }
}

/** The conditions under which this process finds packages: a build finds the same. */
function conditions(options: readonly string[] = process.execArgv): string[] {
  return options.flatMap((option, at) => {
    const value = /^(?:-C|--conditions)=(.+)$/.exec(option)?.[1]
    if (value !== undefined) return [value]
    return option === '-C' || option === '--conditions' ? (options[at + 1] ?? []) : []
  })
}

/** A module of this package, in the form that this file itself has: source or compiled. */
function ownModule(path: string): string {
  return fileURLToPath(new URL(`${path}${extname(import.meta.url)}`, import.meta.url))
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
    message: `The project could not be bundled: ${text.trim()}`,
    hint: 'Mend what the message names, and build again.',
    cause,
  })
}
