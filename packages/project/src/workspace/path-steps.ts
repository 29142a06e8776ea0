import { RetinueError } from '@retinue/core/errors'

/**
 * Splits a path that a model wrote into the names to walk, one below the other. What could lead out of the root is refused by its
 * text already; links are refused when they are met. Nothing is decoded: `%2e%2e` is a name like another.
 */
export function pathSteps(path: string): string[] {
  if (path.includes('\0')) throw refused(path, 'it holds a NUL character')
  if (path.includes('\\')) throw refused(path, 'it holds a backslash; folders are separated by "/"')
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refused(path, 'it is absolute')
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (steps.includes('..')) throw refused(path, '".." is not allowed')
  // Windows reads what follows a colon as another stream of the same file.
  if (process.platform === 'win32' && path.includes(':')) throw refused(path, 'it holds a colon')
  return steps
}

/** A path that leads, or could lead, out of the workspace. */
export function refused(path: string, reason: string): RetinueError {
  return new RetinueError({
    code: 'workspace-path-refused',
    message: `The path ${JSON.stringify(path)} is refused: ${reason}.`,
    hint: 'Give a path relative to the workspace, as workspace_list_files shows it.',
    data: { path },
  })
}

/** A file that can't be read as what it should be. */
export function unreadable(path: string, reason: string): RetinueError {
  return new RetinueError({
    code: 'workspace-file-refused',
    message: `${JSON.stringify(path)} can't be read: ${reason}.`,
    hint: 'workspace_list_files shows which files there are, and how large.',
    data: { path },
  })
}
