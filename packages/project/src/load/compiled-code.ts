import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Node lets nothing go of what it kept, such as modules of projects that are gone, and what it could write but half. */
const MOST_FILES = 20_000

/** The folder in which Node keeps what it compiles, for a process that this one starts; undefined where it keeps nothing. */
export function compiledFolder(): string | undefined {
  const own = getCompileCacheDir()
  return own === undefined ? undefined : dirname(own)
}

/**
 * Keeps what was compiled for the next process: at once, as a process that is killed keeps nothing. Where more than `mostFiles` are there,
 * they are let go first.
 */
export function keepCompiled(mostFiles: number = MOST_FILES): void {
  const folder = getCompileCacheDir()
  if (folder === undefined) return
  if (isFuller(folder, mostFiles)) {
    rmSync(folder, { recursive: true, force: true })
    // Node makes it when it is begun, and not again.
    mkdirSync(folder, { recursive: true })
  }
  flushCompileCache()
}

function isFuller(folder: string, files: number): boolean {
  try {
    return readdirSync(folder).length > files
  } catch {
    return false
  }
}
