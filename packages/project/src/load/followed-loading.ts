import * as nodeModule from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importCandidates, isRelative } from '../discover/import-candidates.ts'

/**
 * Notes which files the code of a project loads, wherever they stand: its own, of folders beside it, and of packages that are linked into
 * its `node_modules`; what is really installed there is left out. Of what was looked for by a relative path and not found, all places are
 * noted. `onFile` hears of each once, by its absolute path, before it runs. It stays for the life of the process.
 *
 * Register it last: of several hooks the last one is asked first, and another one may not ask on.
 */
export function followLoading(root: string, onFile: (path: string) => void): void {
  const followed = new Set<string>()
  const note = (path: string): void => {
    if (followed.has(path)) return
    followed.add(path)
    onFile(path)
  }
  const isFollowed = (url: string | undefined): boolean => {
    const path = pathOf(url)
    return path !== undefined && followed.has(path)
  }
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context
      try {
        const resolved = nextResolve(specifier, context)
        const path = pathOf(resolved.url)
        if (path !== undefined && (path.startsWith(`${root}/`) || isFollowed(parentURL))) note(path)
        return resolved
      } catch (error) {
        if (isRelative(specifier) && isFollowed(parentURL)) {
          const folder = dirname(pathOf(parentURL) ?? '')
          for (const candidate of [specifier, ...importCandidates(specifier)])
            note(resolve(folder, candidate.replace(/[?#].*$/, '')))
        }
        throw error
      }
    },
  })
}

/** The path of a file that is in no `node_modules`. */
function pathOf(url: string | undefined): string | undefined {
  if (url?.startsWith('file:') !== true || url.includes('/node_modules/')) return undefined
  return fileURLToPath(new URL(url.replace(/[?#].*$/, '')))
}
