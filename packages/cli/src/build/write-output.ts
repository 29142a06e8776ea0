import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RetinueError } from '@retinue/core/errors'
import { type CopiedFile, copyInto } from './copied-files.ts'

/** The files of an output: texts by their paths in it, and files that are copied. */
export interface OutputFiles {
  readonly written: ReadonlyMap<string, string | Uint8Array>
  readonly copied: readonly CopiedFile[]
}

/** The line in an output's package.json by which it is known as one. */
export const MARK = 'retinue-output'

/** Unfinished outputs of builds that were killed are removed after so long. */
const LEFT_BEHIND_MS = 3_600_000

/**
 * Puts an output where the last one is, whole or not at all: it is written beside it, and then takes its place. Of two builds at once
 * the later one stays. Throws `build-output-foreign` if something else is there, `build-failed` if the system refuses.
 */
export function writeOutput(folder: string, files: OutputFiles): void {
  assertOurs(folder)
  const parent = dirname(folder)
  const fresh = join(parent, `.${basename(folder)}-${randomUUID()}.tmp`)
  try {
    removeLeftBehind(parent, basename(folder))
    for (const [path, content] of files.written) {
      const file = join(fresh, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    for (const file of files.copied) copyInto(fresh, file)
    replace(folder, fresh)
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true })
    throw cause instanceof RetinueError ? cause : notWritten(folder, cause)
  }
}

/** A folder can't be put in the place of one that holds something: the old one steps aside first. */
function replace(folder: string, fresh: string): void {
  const old = `${fresh.slice(0, -'.tmp'.length)}-old.tmp`
  for (let attempt = 0; ; attempt++) {
    try {
      if (existsSync(folder)) renameSync(folder, old)
      renameSync(fresh, folder)
      break
    } catch (error) {
      // Another build put its own there in between, or took the old one away.
      if (attempt >= 20 || !RACE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      rmSync(old, { recursive: true, force: true })
    }
  }
  rmSync(old, { recursive: true, force: true })
}

const RACE: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT'])

function assertOurs(folder: string): void {
  if (!existsSync(folder)) return
  const isOurs = statSync(folder).isDirectory() && (readdirSync(folder).length === 0 || isMarked(folder))
  if (isOurs) return
  throw new RetinueError({
    code: 'build-output-foreign',
    message: `"${folder}" is there and is no output of a build: nothing in it was touched.`,
    hint: 'Remove it, or build to another folder: retinue build --out FOLDER',
  })
}

function isMarked(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === MARK
  } catch {
    return false
  }
}

function removeLeftBehind(parent: string, name: string): void {
  if (!existsSync(parent)) return
  for (const entry of readdirSync(parent)) {
    if (!entry.startsWith(`.${name}-`) || !entry.endsWith('.tmp')) continue
    const path = join(parent, entry)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > LEFT_BEHIND_MS) rmSync(path, { recursive: true, force: true })
  }
}

function notWritten(folder: string, cause: unknown): RetinueError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RetinueError({
    code: 'build-failed',
    message: `The output could not be written to "${folder}": ${reason}`,
    hint: 'See that the folder can be written to and that there is room, or build elsewhere: retinue build --out FOLDER',
    cause,
  })
}
