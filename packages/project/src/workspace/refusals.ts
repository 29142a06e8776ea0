import { RetinueError } from '@retinue/core/errors'

/** What a model wanted to do with which path, as errors say it. */
export interface Target {
  readonly path: string
  readonly verb: 'read' | 'listed' | 'searched' | 'looked at' | 'written' | 'edited' | 'deleted'
}

/** A path that leads, or could lead, out of the workspace. */
export function refused(path: string, reason: string): RetinueError {
  return new RetinueError({
    code: 'workspace-path-refused',
    message: `The path ${shown(path)} is refused: ${reason}.`,
    hint: 'Give a path relative to the workspace, as workspace_list_files shows it.',
    data: { path: clipped(path) },
  })
}

/** A file with which that can't be done. */
export function impossible(
  { path, verb }: Target,
  reason: string,
  hint: string = 'workspace_list_files shows which files there are, and how large.',
): RetinueError {
  return new RetinueError({
    code: 'workspace-file-refused',
    message: `${shown(path)} can't be ${verb}: ${reason}.`,
    hint,
    data: { path: clipped(path) },
  })
}

/** Models read it: a path of a megabyte is not said again in full. */
function clipped(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path
}

function shown(path: string): string {
  return path === '' ? 'The workspace' : JSON.stringify(clipped(path))
}
