import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Surroundings } from './source-tree.ts'

/** What a project on a disk finds around it, looked up when it is asked for. */
export function diskSurroundings(root: string): Surroundings {
  return {
    hasPackage(name) {
      // With Plug'n'Play, packages are in archives that only its own resolver knows.
      const folders = [root, ...foldersAbove(root)]
      if (folders.some((folder) => existsSync(join(folder, '.pnp.cjs')))) return undefined
      return folders.some((folder) => existsSync(join(folder, 'node_modules', name, 'package.json')))
    },
    manifestAbove() {
      for (const folder of foldersAbove(root)) {
        try {
          return readFileSync(join(folder, 'package.json'), 'utf8')
        } catch {
          // Not there, or not to be read: Node goes on upward, too.
        }
      }
      return undefined
    },
    fileAbove(path) {
      try {
        return readFileSync(join(root, path), 'utf8')
      } catch {
        return undefined
      }
    },
  }
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...foldersAbove(above)]
}
