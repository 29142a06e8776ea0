import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const CRON_FIX =
  "write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'"

/** What is wrong with a cron expression, as what follows "has a cron that", and how to mend it. */
export interface CronProblem {
  readonly message: string
  readonly fix: string
}

/** Why nothing is ever due by a text; undefined if it is a cron expression of five fields. */
export function cronProblem(cron: string): CronProblem | undefined {
  // Loaded when the first schedule is read: most projects have none.
  const { Cron } = require('croner') as typeof import('croner')
  try {
    // Without a function it runs nothing.
    const next = new Cron(cron, { mode: '5-part', paused: true }).nextRun()
    if (next !== null) return undefined
    return { message: 'never comes: no month of it has such a day', fix: 'name a day that one of its months has' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { message: `can't be read: ${message.replace(/^Cron\w*: /, '').replace(/\.$/, '')}`, fix: CRON_FIX }
  }
}

/** Whether a text names a time zone that this Node knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
