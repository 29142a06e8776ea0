export const CRON_FIX =
  "write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'"

/** What is wrong with a cron expression, as what follows "has a cron that", and how to mend it. */
export interface CronProblem {
  readonly message: string
  readonly fix: string
}

/** What other programs take for a cron, as the fields that mean it. */
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/** Why a text is not five fields, which is all that a cron is here; undefined if it is. What stands in them is not looked at. */
export function cronFieldsProblem(cron: string): CronProblem | undefined {
  const fields = cron.trim().split(/\s+/)
  const meant = SHORTHANDS.get(cron.trim().toLowerCase())
  if (meant !== undefined) return { message: `is a shorthand, and not five fields`, fix: `write cron: '${meant}'` }
  // A date would be a time that comes once, and then the schedule would be an error.
  if (cron.includes(':')) return { message: 'is a date or a time of day, and not five fields', fix: CRON_FIX }
  if (fields.length === 5) return undefined
  const many = cron.trim() === '' ? 'is empty' : fields.length === 1 ? 'has 1 field' : `has ${fields.length} fields`
  return { message: `${many}, and not five`, fix: CRON_FIX }
}
