import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LeftOver } from './imported.ts'

/** What stands in a folder or in one below it. Its path is relative to the folder, with `/`. */
export type SourceEntry =
  | { readonly path: string; readonly kind: 'file' | 'folder' | 'other' }
  /** `to`: what stands in the link. `isFile`: it leads to a file. */
  | { readonly path: string; readonly kind: 'link'; readonly to: string; readonly isFile: boolean }
  | { readonly path: string; readonly kind: 'unreadable'; readonly reason: string }

/** All that is in a folder, sorted by path. Links are not followed: a tree that leads back to itself has an end. */
export function sourceEntries(folder: string): readonly SourceEntry[] {
  return entriesIn(folder, '').sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

function entriesIn(folder: string, dir: string): SourceEntry[] {
  try {
    return readdirSync(join(folder, dir), { withFileTypes: true }).flatMap((entry): SourceEntry[] => {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`
      if (entry.isDirectory()) return [{ path, kind: 'folder' }, ...entriesIn(folder, path)]
      if (entry.isSymbolicLink()) return [linkAt(folder, path)]
      return [{ path, kind: entry.isFile() ? 'file' : 'other' }]
    })
  } catch (error) {
    return [{ path: dir === '' ? '.' : dir, kind: 'unreadable', reason: reasonOf(error) }]
  }
}

function linkAt(folder: string, path: string): SourceEntry {
  const to = readlinkSync(join(folder, path)).replaceAll('\\', '/')
  try {
    return { path, kind: 'link', to, isFile: statSync(join(folder, path)).isFile() }
  } catch {
    return { path, kind: 'link', to, isFile: false }
  }
}

/** The text of a file; undefined where it can't be read, which is told. */
export function sourceText(folder: string, path: string, left: LeftOver[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(folder, path)))
  } catch (error) {
    left.push(unreadable(path, reasonOf(error)))
    return undefined
  }
}

export function unreadable(file: string, reason: string): LeftOver {
  return { file, what: `it can't be read: ${reason}`, fix: 'mend that, and import again, or copy it by hand' }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it is not there'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'it is no folder'],
  ['EACCES', 'there is no permission'],
  ['EPERM', 'there is no permission'],
  ['ERR_ENCODING_INVALID_ENCODED_DATA', 'it is not UTF-8'],
])

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return REASONS.get(code) ?? `the system says ${code}`
}
