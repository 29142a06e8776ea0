import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { assertNodeVersion } from './node-version.ts'

/** Where a project is, and where in it the application, if the caller says so. */
export interface ProjectRoot {
  /** The real path, so that no part of it is a link. */
  readonly root: string
  /** Relative to the root, with `/`. */
  readonly dir: string | undefined
}

/** Throws `project-invalid` if there is no such directory, `node-too-old` if nothing could be loaded from it. */
export function projectRoot(path: string, dir?: string): ProjectRoot {
  assertNodeVersion()
  const root = realPath(path)
  if (root === undefined) throw invalid(`The project directory ${JSON.stringify(path)} is not there`, PROJECT_HINT)
  if (!statSync(root).isDirectory())
    throw invalid(`The project directory ${JSON.stringify(path)} is not a directory`, PROJECT_HINT)
  return { root, dir: dir === undefined ? undefined : applicationDir(root, dir) }
}

const PROJECT_HINT = 'Give the directory that holds package.json.'

/** An absolute path may lead to the project through a link; one that leads elsewhere names nothing that can be read. */
function applicationDir(root: string, dir: string): string {
  if (!isAbsolute(dir)) return dir.replaceAll('\\', '/')
  const real = realPath(dir)
  const inside = relative(root, real ?? dir)
  if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside.replaceAll('\\', '/')
  const what = real === undefined ? 'is not there' : `lies outside the project "${root}"`
  throw invalid(`The application directory ${JSON.stringify(dir)} ${what}`, 'Give a path relative to the project.')
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(resolve(path))
  } catch {
    return undefined
  }
}

function invalid(message: string, hint: string): RetinueError {
  return new RetinueError({ code: 'project-invalid', message: `${message}.`, hint, data: { findings: [] } })
}
