import type { ScheduleEvent, ScheduleOutcome } from '@retinue/project/runtime'
import { safeLine } from '../safe-text.ts'

/** A line on what came of a schedule, for a log. */
export function scheduleText({ schedule, outcome }: ScheduleEvent): string {
  return outcome === undefined ? `schedule ${schedule}: begins\n` : `schedule ${schedule}: ${outcomeText(outcome)}\n`
}

/** What came of a time, in words, on one line. */
export function outcomeText(came: ScheduleOutcome): string {
  const { outcome, due, ms, error } = came
  const time = new Date(due).toISOString()
  switch (outcome) {
    case 'completed':
      return `completed in ${ms ?? 0} ms`
    case 'failed':
      return `failed: ${safeLine(error?.message ?? '') || 'no reason is known'}`
    case 'waiting':
      return 'waits for a person; see "retinue approvals"'
    case 'aborted':
      return 'was aborted'
    case 'left-out':
      return `left out at ${time}: it was still running`
    case 'lost':
      return `lost at ${time}: its process ended in the middle`
    case 'missed':
      return `missed ${timesText(came)}: nothing was running`
    case 'absent':
      return `not run ${timesText(came)}: the application had no such schedule then`
  }
}

function timesText({ due, count = 1, isMore }: ScheduleOutcome): string {
  const time = new Date(due).toISOString()
  return count === 1 ? `at ${time}` : `${isMore ? 'at least ' : ''}${count} times up to ${time}`
}
