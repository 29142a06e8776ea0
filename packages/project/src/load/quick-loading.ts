import { existsSync, readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Loads a project's own modules without asking the disk again what is known: for each import Node looks for the file, follows links,
 * and searches every folder above for packages and for a package.json. That is half of the time that a thousand modules take. What
 * is not sure is left to Node. Only for a process in which nobody else has a say in how modules are found (`isPlainProcess`).
 */
export function loadQuickly(root: string, rootUrl: string): void {
  const packages = new Packages(root)
  const isOwn = (url: string | undefined): url is string => {
    return url?.startsWith(rootUrl) === true && !url.includes('/node_modules/', rootUrl.length - 1)
  }
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const importer = context.parentURL
      // A module that was asked for by its URL: it was found by listing folders, so it is there and no link.
      if (isOwn(specifier) && !isOwn(importer)) {
        const format = packages.formatOf(fileURLToPath(specifier))
        if (format !== undefined) return { url: specifier, format, shortCircuit: true }
      }
      if (!isOwn(importer) || !isPackage(specifier) || context.conditions.includes('require')) {
        return nextResolve(specifier, context)
      }
      const resolved = packages.resolved(dirname(fileURLToPath(importer)), specifier, () =>
        nextResolve(specifier, context),
      )
      return { ...resolved, shortCircuit: true }
    },
    load(url, context, nextLoad) {
      const { format } = context
      if (!isOwn(url) || (format !== 'module' && format !== 'module-typescript')) return nextLoad(url, context)
      const source = readIfThere(fileURLToPath(url))
      return source === undefined ? nextLoad(url, context) : { format, source, shortCircuit: true }
    },
  })
}

/**
 * Makes Node get ready to run TypeScript, which takes it a tenth of a second the first time: for when there is nothing else to do.
 */
export async function warmUp(): Promise<void> {
  const url = 'retinue:warm-up'
  const hooks = nodeModule.registerHooks({
    resolve: (specifier, context, nextResolve) => {
      return specifier === url
        ? { url, format: 'module-typescript', shortCircuit: true }
        : nextResolve(specifier, context)
    },
    load: (specifier, context, nextLoad) => {
      const source = 'export type Nothing = never'
      return specifier === url
        ? { format: 'module-typescript', source, shortCircuit: true }
        : nextLoad(specifier, context)
    },
  })
  try {
    await import(url)
  } finally {
    hooks.deregister()
  }
}

type Resolved = ReturnType<Parameters<nodeModule.ResolveHookSync>[2]>

/** What the folders of a project say of packages, each looked at once. */
class Packages {
  readonly #root: string
  readonly #scopes = new Map<string, string>()
  readonly #types = new Map<string, unknown>()
  readonly #resolved = new Map<string, Resolved>()

  constructor(root: string) {
    this.#root = root
  }

  /** The format that Node gives a file, where the file's name or the nearest package.json says that it is an ES module. */
  formatOf(file: string): string | undefined {
    if (file.endsWith('.mts')) return 'module-typescript'
    if (file.endsWith('.mjs')) return 'module'
    if (!/\.[jt]s$/.test(file) || this.#typeAt(this.#scopeOf(dirname(file))) !== 'module') return undefined
    return file.endsWith('.ts') ? 'module-typescript' : 'module'
  }

  /** What a package's specifier means is the same for all folders between which nothing else could say so. */
  resolved(folder: string, specifier: string, resolve: () => Resolved): Resolved {
    const key = `${this.#scopeOf(folder)}\n${specifier}`
    const known = this.#resolved.get(key)
    if (known !== undefined) return known
    const resolved = resolve()
    this.#resolved.set(key, resolved)
    return resolved
  }

  /** The nearest folder, up to the root, that has packages or a package.json of its own. */
  #scopeOf(folder: string): string {
    const known = this.#scopes.get(folder)
    if (known !== undefined) return known
    const above = dirname(folder)
    const isScope = folder === this.#root || folder === above || hasPackages(folder)
    const scope = isScope ? folder : this.#scopeOf(above)
    this.#scopes.set(folder, scope)
    return scope
  }

  #typeAt(scope: string): unknown {
    if (!this.#types.has(scope)) this.#types.set(scope, typeOf(join(scope, 'package.json')))
    return this.#types.get(scope)
  }
}

function hasPackages(folder: string): boolean {
  return existsSync(join(folder, 'package.json')) || existsSync(join(folder, 'node_modules'))
}

function typeOf(manifest: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed ? parsed.type : undefined
  } catch {
    return undefined
  }
}

/** The name of a package, with or without a path in it: no path, no URL, no import of the importer's own package. */
function isPackage(specifier: string): boolean {
  return /^(?:@[\w.-]+\/)?[a-z][\w.-]*(?:\/|$)/.test(specifier)
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
