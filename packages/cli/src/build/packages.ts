import { existsSync, realpathSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
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
  readonly #listed = new Map<string, Package>()

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
    return this.#kept.has(found.dir) || !this.#isModule(file) || !this.#isPlain(found)
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

  /** Puts a package on the list under the name by which it is imported. Throws `build-version-conflict`. */
  list(specifier: string, file: string): void {
    const found = this.of(file)
    if (found === undefined) return
    const name = packageName(specifier)
    const known = this.#listed.get(name)
    if (known !== undefined && known.version !== found.version) throw conflict(name, known, found)
    this.#listed.set(name, found)
  }

  /** What must be installed, as the dependencies of a package.json. */
  dependencies(): Readonly<Record<string, string>> {
    const sorted = [...this.#listed].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      sorted.map(([alias, { name, version }]) => [alias, alias === name ? version : `npm:${name}@${version}`]),
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
