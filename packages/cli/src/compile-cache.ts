import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Has Node keep what it compiles for the next command, in a folder of this user's own: who can write to it decides what is run. Nothing is
 * kept where there can be no such folder. To Node the variable NODE_COMPILE_CACHE names another folder, and NODE_DISABLE_COMPILE_CACHE=1
 * prevents it.
 */
export function useCompileCache(env: NodeJS.ProcessEnv = process.env): void {
  const folder = ownFolder(env)
  if (folder !== undefined) enableCompileCache(folder)
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
