import { CRON_FIX, type CronProblem, cronFieldsProblem } from './cron-fields.ts'

/** Gives what reads crons. */
export type Croner = () => Pick<typeof import('croner'), 'Cron'>

/** Why nothing is ever due by a text; undefined if it is a cron expression of five fields. */
export function cronProblem(cron: string, croner: Croner): CronProblem | undefined {
  const problem = cronFieldsProblem(cron)
  if (problem !== undefined) return problem
  const { Cron } = croner()
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
