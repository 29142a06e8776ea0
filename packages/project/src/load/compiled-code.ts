import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** The folder in which Node keeps what it compiles, for a process that this one starts; undefined where it keeps nothing. */
export function compiledFolder(): string | undefined {
  const own = getCompileCacheDir()
  return own === undefined ? undefined : dirname(own)
}
