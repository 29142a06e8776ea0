import { refused } from './refusals.ts'

/** Whose rules a path is judged by. What no system takes is refused for all. */
export type PathStyle = 'linux' | 'darwin' | 'win32'

/** Begins the names of files that are still being written. They are no part of the workspace: no path names them, no list shows them. */
export const UNFINISHED = '.~retinue-'

const MAX_LENGTH = 1024
const MAX_STEPS = 64

/** Windows opens a device by these names in every folder, with whatever extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i

/**
 * Splits a path that a model wrote into the names to walk, one below the other. What could lead out of the root is refused by its
 * text already; links are refused when they are met. Nothing is decoded: `%2e%2e` is a name like another.
 */
export function pathSteps(path: string, style: PathStyle = systemStyle()): string[] {
  if (path.length > MAX_LENGTH) throw refused(path, `it is longer than ${MAX_LENGTH} characters`)
  if (path.includes('\0')) throw refused(path, 'it holds a NUL character')
  if (!path.isWellFormed()) throw refused(path, 'it is no well-formed text')
  if (/\p{Cc}/u.test(path)) throw refused(path, 'it holds a control character')
  if (path.includes('\\')) throw refused(path, 'it holds a backslash; folders are separated by "/"')
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refused(path, 'it is absolute')
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (steps.length > MAX_STEPS) throw refused(path, `it has more than ${MAX_STEPS} folders`)
  for (const step of steps) {
    const problem = stepProblem(step, style)
    if (problem !== undefined) throw refused(path, problem)
  }
  return steps
}

/** Whether a name can be one step of a path on this system. */
export function isSafeStep(name: string): boolean {
  try {
    return pathSteps(name).length === 1
  } catch {
    return false
  }
}

function systemStyle(): PathStyle {
  return process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux'
}

function stepProblem(step: string, style: PathStyle): string | undefined {
  // Some file systems leave out what is invisible, so that dots with such a character between them are dots again.
  if (['.', '..'].includes(step.replace(/\p{Cf}/gu, ''))) return '".." is not allowed'
  // Case does not matter on many disks.
  if (step.toLowerCase().startsWith(UNFINISHED)) return `names that begin with "${UNFINISHED}" are reserved`
  if (style !== 'win32') return undefined
  // Windows reads what follows a colon as another stream of the same file, and drops dots and blanks at the end of a name.
  if (/[<>:"|?*]/.test(step)) return 'it holds a character that Windows does not take in names'
  if (/[. ]$/.test(step)) return 'a name in it ends with a dot or a blank'
  return DEVICE.test(step.trimStart()) ? 'a name in it is that of a device' : undefined
}
