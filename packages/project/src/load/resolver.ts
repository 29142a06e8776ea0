// As a namespace: where Node is too old to have what is used of it, the import must not fail before that can be said.
import * as nodeModule from 'node:module'
import { importCandidates, isRelative } from '../discover/import-candidates.ts'

/** An import that found nothing, remembered by the error that Node threw for it. */
export interface MissingImport {
  readonly specifier: string
  /** The URL of the module that asked for it. */
  readonly importer: string
}

const missingImports = new WeakMap<object, MissingImport>()
/** URLs of project roots, each ending in a slash. */
const roots = new Set<string>()
let registered = false

/** What could not be found, if that is why an error was thrown. */
export function missingImport(error: unknown): MissingImport | undefined {
  return typeof error === 'object' && error !== null ? missingImports.get(error) : undefined
}

/**
 * Lets the files below `rootUrl` import each other as TypeScript's bundlers do: without an extension, with `.js` for a `.ts` file,
 * a folder for its `index`. Packages are left alone. It stays for the life of the process, because a tool may import later.
 */
export function resolveImportsOf(rootUrl: string): void {
  roots.add(rootUrl.endsWith('/') ? rootUrl : `${rootUrl}/`)
  if (registered) return
  registered = true
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const importer = context.parentURL
      if (importer === undefined || !isOwn(importer)) return nextResolve(specifier, context)
      try {
        return nextResolve(specifier, context)
      } catch (error) {
        if (isRelative(specifier)) {
          for (const candidate of importCandidates(specifier)) {
            try {
              return nextResolve(candidate, context)
            } catch {
              // The next candidate may be there; if none is, the first error says what the person wrote.
            }
          }
        }
        if (typeof error === 'object' && error !== null) missingImports.set(error, { specifier, importer })
        throw error
      }
    },
  })
}

function isOwn(url: string): boolean {
  for (const root of roots) {
    if (url.startsWith(root) && !url.slice(root.length).includes('node_modules/')) return true
  }
  return false
}
