import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { RetinueError } from '@retinue/core/errors'

/** Where a project is, and where in it the application, if the caller says so. */
export interface ProjectRoot {
  /** The real path, so that no part of it is a link. */
  readonly root: string
  /** Relative to the root, with `/`. */
  readonly dir: string | undefined
}

/** Throws `project-invalid` if there is no such directory. */
export function projectRoot(path: string, dir?: string): ProjectRoot {
  let root: string
  try {
    root = realpathSync(resolve(path))
  } catch {
    throw missing(path, 'is not there')
  }
  if (!statSync(root).isDirectory()) throw missing(path, 'is not a directory')
  if (dir === undefined) return { root, dir }
  const inside = isAbsolute(dir) ? relative(root, dir) : dir
  return { root, dir: inside.replaceAll('\\', '/') }
}

function missing(path: string, what: string): RetinueError {
  return new RetinueError({
    code: 'project-invalid',
    message: `The project directory ${JSON.stringify(path)} ${what}.`,
    hint: 'Give the directory that holds package.json.',
    data: { findings: [] },
  })
}
