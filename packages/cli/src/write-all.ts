import { lstatSync, mkdirSync, rmdirSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { UsageError } from './usage-error.ts'

/**
 * Writes new files below a folder, all of them or none: if one can't be written, those before it are taken back, and the folders that
 * were made for them. What is there is never written over, and nothing is written through a link. Throws `UsageError`.
 */
export function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  const done: Undo[] = []
  let path = ''
  try {
    for (const [name, text] of files) {
      path = name
      makeFolder(dirname(join(folder, name)), folder, done)
      const file = join(folder, name)
      // Nothing that came in between is written over.
      writeFileSync(file, '', { flag: 'wx' })
      done.push(() => rmSync(file, { force: true }))
      writeFileSync(file, text)
    }
  } catch (error) {
    const kept = done.reverse().filter((undo) => !isUndone(undo)).length
    const rest = kept === 0 ? 'nothing was written' : 'some of what was written could not be taken back'
    throw new UsageError(`${rest}: "${path}" can't be: ${reasonOf(error, folder)}`)
  }
}

type Undo = () => void

function isUndone(undo: Undo): boolean {
  try {
    undo()
    return true
  } catch {
    return false
  }
}

/** Undefined where nothing is, also below a file. */
function statsAt(path: string, stats: typeof lstatSync): Stats | undefined {
  try {
    return stats(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Makes a folder and those above it. Below the root, what is there must be a folder of its own: a link leads elsewhere. */
function makeFolder(path: string, root: string, done: Undo[]): void {
  const isBelow = path.length > root.length
  const found = statsAt(path, isBelow ? lstatSync : statSync)
  if (found?.isDirectory()) return
  if (found !== undefined) {
    const what = found.isSymbolicLink() ? 'a link' : 'no folder'
    throw new UsageError(`"${relative(isBelow ? root : process.cwd(), path).replaceAll('\\', '/')}" is ${what}`)
  }
  makeFolder(dirname(path), root, done)
  mkdirSync(path)
  // What somebody else put in it in between is theirs.
  done.push(() => rmdirSync(path))
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'something is in its place'],
  ['ENOTDIR', 'a file stands where a folder is needed'],
  ['EACCES', 'there is no permission to write there'],
  ['EPERM', 'there is no permission to write there'],
  ['EROFS', 'nothing can be written there'],
  ['ENOSPC', 'no space is left'],
  ['ENAMETOOLONG', 'its name is too long'],
])

function reasonOf(error: unknown, folder: string): string {
  if (error instanceof UsageError) return error.message
  return REASONS.get(codeOf(error)) ?? (error instanceof Error ? error.message.replaceAll(folder, '.') : String(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
