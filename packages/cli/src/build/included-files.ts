import { existsSync } from 'node:fs'
import { isAbsolute, join, normalize, sep } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { readManifest } from './read-manifest.ts'

/**
 * The files and folders that a project's package.json says a build takes along: `"retinue": { "include": ["corpus"] }`, for what its
 * modules read by paths that nobody can follow. Undefined where it does not say. Throws `build-include-invalid`.
 */
export function includedFiles(root: string): readonly string[] | undefined {
  const own = readManifest(root)?.['retinue']
  const include = isRecord(own) ? own['include'] : undefined
  if (include === undefined) return undefined
  if (!Array.isArray(include) || !include.every((path) => typeof path === 'string'))
    throw invalid('"retinue.include" in package.json is no list of paths')
  return include.map((path: string) => {
    const inside = normalize(path).replaceAll(sep, '/').replace(/\/$/, '')
    if (isAbsolute(path) || inside === '.' || inside.startsWith('..'))
      throw invalid(`"${path}" in "retinue.include" leads out of the project, or is all of it`)
    if (!existsSync(join(root, inside))) throw invalid(`"${path}" in "retinue.include" is not there`)
    return inside
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function invalid(what: string): RetinueError {
  return new RetinueError({
    code: 'build-include-invalid',
    message: `${what}.`,
    hint: 'Write paths of files and folders from the project\'s root: "retinue": { "include": ["corpus"] }',
  })
}
