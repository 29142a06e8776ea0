import { isRetinueError } from '@retinue/core/errors'
import { errorText } from '../run/run-end.ts'
import { UsageError } from '../usage-error.ts'

/** What kept something from being served, as people read it: of what is no error of ours, the stack is what helps. */
export function problemText(error: unknown): string {
  if (isRetinueError(error)) return errorText(error)
  if (error instanceof UsageError) return `error: ${error.message}\n`
  return `${error instanceof Error ? error.stack : error}\n`
}
