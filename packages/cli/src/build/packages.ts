import { existsSync, realpathSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { InstalledFrom } from './installed-from.ts'
import { readManifest } from './read-manifest.ts'

/** A package that a project imports, as it is installed. */
export interface Package {
  readonly dir: string
  readonly name: string
  readonly version: string
  /** It came with an installation, and is no folder that is linked into it, such as one of a monorepo. */
  readonly isInstalled: boolean
  readonly manifest: Readonly<Record<string, unknown>>
}

/** The packages of this repository. */
const OURS: ReadonlySet<string> = new Set([
  'retinue',
  ...['core', 'evals', 'libsql', 'memory', 'project', 'server'].map((name) => `@retinue/${name}`),
])

/** What our packages bring along into an output: of these, as of our own, it is known that what they say of side effects is true. */
export const BROUGHT_ALONG: ReadonlySet<string> = new Set([
  '@ai-sdk/provider',
  '@cfworker/json-schema',
  '@hono/node-server',
  '@standard-schema/spec',
  'croner',
  'eventsource-parser',
  'hono',
  'jsonriver',
  'zod',
])

/** The providers of models: heavy, and loaded only when one of their models answers. They are installed, not bundled. */
export const PROVIDERS: RegExp = /^@ai-sdk\/(?:openai|anthropic|google|openai-compatible)$/

/** What of a package.json names the packages that its modules may import. */
const NEEDS = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const

/** A package that must be installed, and the packages whose modules import it. */
interface Listed {
  readonly found: Package
  readonly importers: Set<Package | undefined>
}

/** What a native module is built, found or loaded with. */
const NATIVE_HELPERS = ['bindings', 'node-addon-api', 'node-gyp-build', 'node-pre-gyp', 'prebuild-install']

/**
 * Which packages of a build are bundled, and which must be installed beside it, with their versions. Bundled is what is linked, what
 * is our own, and what is nothing but ES modules. What is native or CommonJS, or looks for files beside itself, stays a package.
 */
export class Packages {
  readonly #root: string
  /** Packages of which it was found out that they look for files beside themselves. */
  readonly #kept: Set<string>
  readonly #byFolder = new Map<string, Package | undefined>()
  readonly #plain = new Map<string, boolean>()
  /** Installed packages that are bundled. */
  readonly #bundled = new Set<string>()
  /** What must be installed, by the name by which it is imported, and by its version. */
  readonly #listed = new Map<string, Map<string, Listed>>()

  /** `root`: the project's real path. */
  constructor(root: string, kept: Iterable<string>) {
    this.#root = root
    this.#kept = new Set(kept)
  }

  /** The package that a file belongs to. */
  of(file: string): Package | undefined {
    return this.#at(dirname(file))
  }

  /** Whether a package is one of this repository; a project may be called as one of them. */
  isOurs({ name, dir }: Package): boolean {
    return OURS.has(name) && dir !== this.#root && !this.#root.startsWith(dir + sep)
  }

  /** Whether the file of a package, found under a specifier, must come from an installation. */
  mustBeInstalled(file: string): boolean {
    const found = this.of(file)
    if (found === undefined || !found.isInstalled || this.isOurs(found)) return false
    const isInstalled = this.#kept.has(found.dir) || !this.#isModule(file) || !this.#isPlain(found)
    if (!isInstalled) this.#bundled.add(found.dir)
    return isInstalled
  }

  /**
   * Nothing but ES modules, with all that it depends on: else the whole of it is installed, under the name that a person knows, and not
   * the part of it that can't be bundled.
   */
  #isPlain(asked: Package): boolean {
    const known = this.#plain.get(asked.dir)
    if (known !== undefined) return known
    // Packages may depend on each other in a circle.
    this.#plain.set(asked.dir, true)
    const { manifest } = asked
    const needed = [...namesOf(manifest['dependencies']), ...namesOf(manifest['optionalDependencies'])]
    const isPlain = !isNative(manifest) && needed.every((name) => this.#isPlainDependency(this.#find(name, asked.dir)))
    this.#plain.set(asked.dir, isPlain)
    return isPlain
  }

  #isPlainDependency(found: Package | undefined): boolean {
    if (found === undefined || !found.isInstalled || this.isOurs(found)) return true
    return hasModules(found.manifest) && this.#isPlain(found)
  }

  /** The package of a name, as Node finds it from a folder. */
  #find(name: string, from: string): Package | undefined {
    const dir = join(from, 'node_modules', name)
    if (existsSync(join(dir, 'package.json'))) return this.#at(realpathSync(dir))
    const above = dirname(from)
    return above === from ? undefined : this.#find(name, above)
  }

  /** Puts a package on the list under the name by which a module imports it. */
  list(specifier: string, file: string, importer: string): void {
    const found = this.of(file)
    if (found === undefined) return
    const name = packageName(specifier)
    const versions = this.#listed.get(name) ?? new Map<string, Listed>()
    this.#listed.set(name, versions)
    const listed = versions.get(found.version) ?? { found, importers: new Set() }
    versions.set(found.version, listed)
    listed.importers.add(this.of(importer))
  }

  /**
   * The folders of bundled packages that must be installed, too: those that a listed one imports, which would be there twice, and those
   * that bring along a version of their own of what is listed. Throws `build-version-conflict` where the project itself asks for two.
   */
  toKeep(): readonly string[] {
    const keep = new Set<string>()
    for (const [name, versions] of [...this.#listed].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const dir of this.#withOwnVersion(name, [...versions.values()])) keep.add(dir)
    const asked = new Set<string>()
    for (const { found } of this.#all()) this.#addAsked(found, asked)
    for (const dir of asked) if (this.#bundled.has(dir)) keep.add(dir)
    return [...keep].sort()
  }

  #withOwnVersion(name: string, versions: readonly Listed[]): readonly string[] {
    if (versions.length < 2) return []
    const [one, other] = versions.filter(({ importers }) => [...importers].some((each) => !this.#canBeListed(each)))
    if (one !== undefined && other !== undefined) throw conflict(name, one.found, other.found)
    const importers = versions.filter((each) => each !== one).flatMap((each) => [...each.importers])
    return importers.flatMap((each) => each?.dir ?? [])
  }

  #canBeListed(found: Package | undefined): boolean {
    return found?.isInstalled === true && !this.isOurs(found)
  }

  /**
   * Adds the folders of what a listed package imports, and of what that imports. Of core two copies may be in one process; and of what
   * providers of models import nothing is shared with the project but plain objects.
   */
  #addAsked({ dir, manifest, name }: Package, asked: Set<string>): void {
    if (PROVIDERS.test(name)) return
    for (const needed of NEEDS.flatMap((field) => namesOf(manifest[field]))) {
      const found = this.#find(needed, dir)
      if (found === undefined || asked.has(found.dir) || !this.#canBeListed(found)) continue
      asked.add(found.dir)
      this.#addAsked(found, asked)
    }
  }

  #all(): readonly Listed[] {
    return [...this.#listed.values()].flatMap((versions) => [...versions.values()])
  }

  /** What must be installed, as the dependencies of a package.json; a path of a file there is one from the project's root. */
  dependencies(): Readonly<Record<string, string>> {
    const from = new InstalledFrom()
    const sorted = [...this.#listed].sort(([a], [b]) => (a < b ? -1 : 1))
    const entries = sorted.flatMap(([alias, versions]) => [...versions.values()].map(({ found }) => ({ alias, found })))
    return Object.fromEntries(
      entries.map(({ alias, found }) => [alias, from.source(found.dir, this.#root) ?? listedAs(alias, found)]),
    )
  }

  /** As Node would read the file: by its extension, else by the nearest package.json. */
  #isModule(file: string): boolean {
    const extension = extname(file)
    if (extension === '.mjs' || extension === '.mts') return true
    return (extension === '.js' || extension === '.ts') && nearestManifest(dirname(file))?.['type'] === 'module'
  }

  #at(dir: string): Package | undefined {
    if (this.#byFolder.has(dir)) return this.#byFolder.get(dir)
    const manifest = readManifest(dir)
    const above = dirname(dir)
    const isPackage = typeof manifest?.['name'] === 'string' && typeof manifest['version'] === 'string'
    const found = isPackage ? packageAt(dir, manifest) : above === dir ? undefined : this.#at(above)
    this.#byFolder.set(dir, found)
    return found
  }
}

function listedAs(alias: string, { name, version }: Package): string {
  return alias === name ? version : `npm:${name}@${version}`
}

function packageAt(dir: string, manifest: Readonly<Record<string, unknown>>): Package {
  const isInstalled = /[\\/]node_modules[\\/]/.test(dir)
  return { dir, name: String(manifest['name']), version: String(manifest['version']), isInstalled, manifest }
}

function isNative(manifest: Readonly<Record<string, unknown>>): boolean {
  if (manifest['gypfile'] === true || manifest['binary'] !== undefined) return true
  if (manifest['os'] !== undefined || manifest['cpu'] !== undefined) return true
  const dependencies = namesOf(manifest['dependencies'])
  const platforms = namesOf(manifest['optionalDependencies']).filter((name) => /linux|darwin|win32/.test(name))
  return platforms.length > 0 || dependencies.some((name) => NATIVE_HELPERS.includes(name))
}

/** Whether an import of the package gives ES modules: by its type, or by what it exports to imports. */
function hasModules(manifest: Readonly<Record<string, unknown>>): boolean {
  return manifest['type'] === 'module' || JSON.stringify(manifest['exports'] ?? null).includes('"import":')
}

function namesOf(dependencies: unknown): string[] {
  return typeof dependencies === 'object' && dependencies !== null ? Object.keys(dependencies) : []
}

/** `@scope/name/sub/path` is of `@scope/name`. */
export function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function nearestManifest(dir: string): Readonly<Record<string, unknown>> | undefined {
  const found = readManifest(dir)
  if (found !== undefined) return found
  const above = dirname(dir)
  return above === dir ? undefined : nearestManifest(above)
}

function conflict(name: string, one: Package, other: Package): RetinueError {
  return new RetinueError({
    code: 'build-version-conflict',
    message: `The project uses ${name} in two versions, ${one.version} and ${other.version}, and a build can have only one of them.`,
    hint: `Bring them together: npm ls ${name} says who asks for which.`,
    data: { package: name, folders: [one.dir, other.dir] },
  })
}
