import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Why a text is no cron expression of five fields; undefined if it is one. */
export function cronProblem(cron: string): string | undefined {
  // Loaded when the first schedule is read: most projects have none.
  const { CronPattern } = require('croner') as typeof import('croner')
  try {
    new CronPattern(cron, undefined, { mode: '5-part' })
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return message.replace(/^Cron\w*: /, '').replace(/\.$/, '')
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
