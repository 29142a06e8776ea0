import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { isWithin } from '../is-within.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Where an output keeps what its agents write, in `.retinue/data`: the folder that RETINUE_ROOT names; else the project, as long as the
 * output stands in its `.retinue/`; else where it was started. It is never in the output itself, which the next build replaces. Throws
 * `UsageError` if there can be no such folder.
 */
export function dataRoot(output: string, cwd: string, env: Readonly<Record<string, string | undefined>>): string {
  const given = env['RETINUE_ROOT']
  const root = given ? resolve(cwd, given) : defaultRoot(output, cwd)
  try {
    mkdirSync(root, { recursive: true })
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new UsageError(`RETINUE_ROOT is "${root}", and no such folder can be made: ${why}`)
  }
  return realpathSync(root)
}

function defaultRoot(output: string, cwd: string): string {
  const above = dirname(output)
  if (above.endsWith(`${sep}.retinue`)) return dirname(above)
  return isWithin(output, cwd) ? above : cwd
}
