import { isRetinueError } from '@retinue/core/errors'
import { type CheckResult, checkProject } from '@retinue/project'
import { UsageError } from './command.ts'

/** Checks the project in a directory that the command line names; one that is not there is a slip of the finger: exit code 2. */
export async function checkAt(path: string, dir: string | undefined): Promise<CheckResult> {
  try {
    return await checkProject(path, dir === undefined ? {} : { dir })
  } catch (error) {
    if (isRetinueError(error, 'project-invalid')) throw new UsageError(error.message.replace(/\.$/, ''))
    throw error
  }
}
