import { copyFileSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { withheld } from '@retinue/project'

/** A file that a build takes along: where it is put, and where it stands. */
export interface CopiedFile {
  readonly to: string
  readonly from: string
}

/** What a file or folder comes to: the files, sorted by where they are put, and what of it is left out. */
export interface ToCopy {
  readonly files: readonly CopiedFile[]
  /** Absolute. */
  readonly left: readonly string[]
}

/** Who asks for a file or folder. */
export interface CopyRequest {
  readonly from: string
  readonly to: string
  /** Where that is said: a module and its line, or a setting. */
  readonly by: string
  /** Whether a file that may be a key is meant to be shipped. */
  readonly isMeant?: boolean
  /** Whether a link is left out, as `check` has said of those in seeds. */
  readonly withoutLinks?: boolean
}

/**
 * The files below a file or folder. Links are followed only to what lies in the same folder; one that leads elsewhere, and a file
 * that holds secrets, is an error: `build-file-refused`.
 */
export function filesToCopy({ from, to, by, isMeant = false, withoutLinks = false }: CopyRequest): ToCopy {
  const name = basename(from)
  if (withheld(name) === 'never') throw refused(from, by, 'it holds secrets, or what must not be shipped')
  if (withheld(name) === 'name' && !isMeant) throw refused(from, by, 'it may be a key', KEY_HINT)
  const left: string[] = []
  return { files: below(from, to, { top: realpathOf(from, by), by, withoutLinks, left }), left }
}

const KEY_HINT =
  'Read it from a place that an environment variable names. If it may be shipped, name the file in package.json: "retinue": { "include": ["FILE"] }'

interface Copying {
  /** The real path of what was asked for. */
  readonly top: string
  readonly by: string
  readonly withoutLinks: boolean
  /** What is left out is added to it. */
  readonly left: string[]
}

function below(from: string, to: string, copying: Copying): readonly CopiedFile[] {
  const { top, by, left } = copying
  const stats = lstatSync(from)
  if (stats.isSymbolicLink()) {
    if (copying.withoutLinks) return []
    const real = realpathOf(from, by)
    if (real !== top && !real.startsWith(`${top}/`)) throw refused(from, by, 'it is a link that leads elsewhere')
    return below(real, to, copying)
  }
  if (stats.isFile()) return [{ to, from }]
  if (!stats.isDirectory()) throw refused(from, by, 'it is neither a file nor a folder')
  const names = readdirSync(from).sort()
  return names.flatMap((name) => {
    const path = join(from, name)
    if (withheld(name) === undefined) return below(path, `${to}/${name}`, copying)
    left.push(path)
    return []
  })
}

/** Copies a file into a folder. */
export function copyInto(folder: string, { to, from }: CopiedFile): void {
  const target = join(folder, to)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(from, target)
}

function realpathOf(path: string, by: string): string {
  try {
    return realpathSync(path)
  } catch (cause) {
    throw refused(path, by, 'it is not there', HINT, cause)
  }
}

const HINT =
  'Read it from a place that an environment variable names, or put it into the project, beside the module that reads it.'

/** A file that the project asks for, and that gets into no output. `by`: who asks for it. */
export function refused(path: string, by: string, why: string, hint: string = HINT, cause?: unknown): RetinueError {
  return new RetinueError({
    code: 'build-file-refused',
    message: `"${path}" is asked for by ${by}, and a build can't take it along: ${why}.`,
    hint,
    data: { path, by },
    ...(cause === undefined ? {} : { cause }),
  })
}
