import { readdirSync, rmSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Node lets nothing go of what it kept, such as modules of projects that are gone, and what it could write but half. */
const MOST_FILES = 20_000

/** The folder in which Node keeps what it compiles, for a process that this one starts; undefined where it keeps nothing. */
export function compiledFolder(): string | undefined {
  const own = getCompileCacheDir()
  return own === undefined ? undefined : dirname(own)
}

/** Keeps what was compiled for the next process: at once, as a process that is killed keeps nothing. */
export function keepCompiled(): void {
  const folder = getCompileCacheDir()
  if (folder === undefined) return
  if (isFull(folder)) rmSync(folder, { recursive: true, force: true })
  flushCompileCache()
}

function isFull(folder: string): boolean {
  try {
    return readdirSync(folder).length > MOST_FILES
  } catch {
    return false
  }
}
