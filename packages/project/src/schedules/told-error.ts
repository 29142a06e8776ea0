import { isRetinueError } from '@retinue/core/errors'
import type { ScheduleOutcome } from './schedule-record.ts'

/** Fifty outcomes of a schedule are kept, each with its error: what a server answered may be a whole page. */
const MAX_CHARACTERS = 2_000

/** What went wrong, as it is told and kept: short, and plain JSON whatever was thrown. */
export function toldError(error: unknown): NonNullable<ScheduleOutcome['error']> {
  const message = textOf(error)
  const cut = message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)} …` : message
  return isRetinueError(error) ? { code: String(error.code), message: cut } : { message: cut }
}

/** Anything can be thrown, also what no text can be made of. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something was thrown that has no text'
  }
}
