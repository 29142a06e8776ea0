import { copyFileSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'

/** What is never copied: secrets, what was installed, what runs left behind. A sample of an `.env` holds no secrets. */
const NEVER = /^(?:\.env(?!\.(?:example|sample|template)$)(?:\..*)?|\.git|\.retinue|node_modules)$/

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

/**
 * The files below a file or folder. Links are followed only to what lies in the same folder; one that leads elsewhere, and a file
 * that holds secrets, is an error: `build-file-refused`.
 */
export function filesToCopy(from: string, to: string): ToCopy {
  if (NEVER.test(basename(from))) throw refused(from, 'it holds secrets, or what must not be shipped')
  const left: string[] = []
  return { files: below(from, to, realpathOf(from), left), left }
}

function below(from: string, to: string, top: string, left: string[]): readonly CopiedFile[] {
  const stats = lstatSync(from)
  if (stats.isSymbolicLink()) {
    const real = realpathOf(from)
    if (real !== top && !real.startsWith(`${top}/`)) throw refused(from, 'it is a link that leads elsewhere')
    return below(real, to, top, left)
  }
  if (stats.isFile()) return [{ to, from }]
  if (!stats.isDirectory()) throw refused(from, 'it is neither a file nor a folder')
  const names = readdirSync(from).sort()
  return names.flatMap((name) => {
    if (!NEVER.test(name)) return below(join(from, name), `${to}/${name}`, top, left)
    left.push(join(from, name))
    return []
  })
}

/** Copies a file into a folder. */
export function copyInto(folder: string, { to, from }: CopiedFile): void {
  const target = join(folder, to)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(from, target)
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (cause) {
    throw refused(path, 'it is not there', cause)
  }
}

function refused(path: string, why: string, cause?: unknown): RetinueError {
  return new RetinueError({
    code: 'build-file-refused',
    message: `The project reads "${path}", and a build can't take it along: ${why}.`,
    hint: 'Read it from a place that an environment variable names, or put it beside the module that reads it.',
    data: { path },
    ...(cause === undefined ? {} : { cause }),
  })
}
