import { isRetinueError } from '@retinue/core/errors'
import { type CheckResult, checkProject, watchProject } from '@retinue/project'
import { UsageError } from './command.ts'

/** Checks the project in a directory that the command line names; one that is not there is a slip of the finger: exit code 2. */
export function checkAt(path: string, dir: string | undefined): Promise<CheckResult> {
  return slipsAsUsage(() => checkProject(path, { types: true, ...(dir === undefined ? {} : { dir }) }))
}

/** The same after every burst of changes, until the signal ends it. */
export function watchAt(
  path: string,
  dir: string | undefined,
  signal: AbortSignal,
  onResult: (result: CheckResult, ms: number) => void,
): Promise<void> {
  return slipsAsUsage(() =>
    watchProject(path, { signal, types: true, ...(dir === undefined ? {} : { dir }) }, onResult),
  )
}

async function slipsAsUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isRetinueError(error, 'project-invalid')) throw new UsageError(error.message.replace(/\.$/, ''))
    throw error
  }
}
