import { lstatSync } from 'node:fs'
import { isRetinueError } from '@retinue/core/errors'
import { systemCode } from '../system-code.ts'
import { impossible, refused, type Target } from './refusals.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it, or a part of its path, is a file',
  EISDIR: 'it is a folder',
  EEXIST: 'something else is there',
  ENOTEMPTY: 'the folder is not empty; with recursive, what is in it is deleted, too',
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'a name in it is too long',
  EMFILE: 'too many files are open',
}

/**
 * Runs a call of the file system and says in our words why it failed: the system's own message holds absolute paths. `place` is
 * looked at to tell a link from a file.
 */
export function said<T>(target: Target, call: () => T, place?: string): T {
  try {
    return call()
  } catch (error) {
    if (isRetinueError(error)) throw error
    const code = systemCode(error) ?? 'an unknown error'
    const isLink = code === 'ELOOP' || (code === 'ENOTDIR' && place !== undefined && isLinkAt(place))
    if (isLink) throw refused(target.path, 'it leads through a link')
    throw impossible(target, REASONS[code] ?? `the system says ${code}`)
  }
}

function isLinkAt(place: string): boolean {
  try {
    return lstatSync(place).isSymbolicLink()
  } catch {
    return false
  }
}
