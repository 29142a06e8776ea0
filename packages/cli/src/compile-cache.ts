import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

/** Node lets nothing go of what it kept, such as modules of projects that are gone, and what it could write but half. */
const MOST_FILES = 20_000

/**
 * Has Node keep what it compiles for the next command, in a folder of this user's own: who can write to it decides what is run. When this
 * command ends, what is more than it is worth is let go. Nothing is kept where there can be no such folder. To Node the variable
 * NODE_COMPILE_CACHE names another folder, which is the user's, and NODE_DISABLE_COMPILE_CACHE=1 prevents it.
 */
export function useCompileCache(env: NodeJS.ProcessEnv = process.env): void {
  if (getCompileCacheDir() !== undefined) return
  const folder = ownFolder(env)
  if (folder === undefined) return
  enableCompileCache(folder)
  const inUse = getCompileCacheDir()
  // At the end nobody waits for it, and what this command adds comes after it.
  if (inUse !== undefined) process.once('exit', () => letGoOfCompiled(folder, basename(inUse)))
}

/**
 * Keeps a folder of compiled code within so many files. Each version of Node has a folder in it; those that were written to longest ago go
 * first, and the one in use last: of that only the files, as Node makes it when it is begun, and not again.
 */
export function letGoOfCompiled(folder: string, inUse: string, mostFiles: number = MOST_FILES): void {
  const versions = versionsIn(folder)
  let files = versions.reduce((sum, version) => sum + version.files.length, 0)
  const oldestFirst = versions.sort(
    (a, b) => Number(a.name === inUse) - Number(b.name === inUse) || a.written - b.written,
  )
  for (const version of oldestFirst) {
    if (files <= mostFiles) return
    if (version.name === inUse) for (const file of version.files) remove(join(folder, inUse, file))
    else remove(join(folder, version.name))
    files -= version.files.length
  }
}

interface KeptVersion {
  readonly name: string
  /** When a file came into it or went, in milliseconds since 1970. */
  readonly written: number
  readonly files: readonly string[]
}

function versionsIn(folder: string): KeptVersion[] {
  return unlessItFails(() => readdirSync(folder), []).flatMap((name) => {
    const path = join(folder, name)
    return unlessItFails(() => {
      const { mtimeMs } = statSync(path)
      return [{ name, written: mtimeMs, files: readdirSync(path) }]
    }, [])
  })
}

function remove(path: string): void {
  unlessItFails(() => rmSync(path, { recursive: true, force: true }), undefined)
}

/** To keep compiled code is a convenience: what another command lets go of or writes to at this time is left as it is. */
function unlessItFails<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}

/** Where programs keep what they can make again. */
function cacheHome(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches')
  return env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
}

/** Undefined where there can be none: a user may have no home. */
function ownFolder(env: NodeJS.ProcessEnv): string | undefined {
  try {
    const folder = join(cacheHome(env), 'retinue', 'compiled')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    // Windows keeps the folders of users apart by itself.
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOwn ? folder : undefined
  } catch {
    return undefined
  }
}
