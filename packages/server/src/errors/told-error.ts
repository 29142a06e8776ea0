import { type ErrorCode, type ErrorInfo, isRetinueError, modelSafeMessage } from '@retinue/core/errors'
import { withoutSecrets } from '@retinue/core/memory'
import { statusOf } from './http-status.ts'

/** Errors of the server's side whose words are all our own: they name what to set up, and no value of it. */
const OWN_WORDS: ReadonlySet<ErrorCode> = new Set([
  'model-key-missing',
  'model-missing',
  'model-package-missing',
  'model-provider-unknown',
  'model-timed-out',
  'run-timed-out',
  'budget-spent',
  'server-closing',
  'task-cancelled',
  'task-limit',
  'task-timed-out',
  'tool-arguments-invalid',
  'tool-declined',
  'tool-failed-repeatedly',
  'tool-not-run',
  'tool-outcome-unknown',
  'tool-timed-out',
  'tool-unknown',
])

/** What is told of a tool that threw. */
export const TOOL_FAILED = 'The tool failed.'

/**
 * An error as people outside may read it. What they brought about is told in full. Of what failed on the server's side they get the
 * code and our own words: what a provider, a database or a function of the application said can hold secrets, and is for the log.
 */
export function toldError(error: ErrorInfo): ErrorInfo {
  const { code, message, hint } = error
  const isTheirs = statusOf(code) < 500 || OWN_WORDS.has(code)
  if (!isTheirs) return { code, message: code.startsWith('tool-') ? TOOL_FAILED : modelSafeMessage(error) }
  return { code, message: withoutSecrets(message), ...(hint === undefined ? {} : { hint: withoutSecrets(hint) }) }
}

/** Whatever was thrown, as people outside may read it. */
export function toldThrown(thrown: unknown): ErrorInfo {
  if (isRetinueError(thrown)) return toldError(thrown.toJSON())
  return {
    code: 'server-failed',
    message: 'The server failed.',
    hint: 'Its log has the error, under the id of the request.',
  }
}
