import type { ScheduleEvent, ScheduleOutcome } from '@retinue/project/runtime'

/** A line on what came of a schedule, for a log. */
export function scheduleText({ schedule, outcome }: ScheduleEvent): string {
  return outcome === undefined ? `schedule ${schedule}: begins\n` : `schedule ${schedule}: ${outcomeText(outcome)}\n`
}

/** What came of a time, in words. */
export function outcomeText({ outcome, due, ms, count = 1, isMore, error }: ScheduleOutcome): string {
  const time = new Date(due).toISOString()
  switch (outcome) {
    case 'completed':
      return `completed in ${ms ?? 0} ms`
    case 'failed':
      return `failed: ${error?.message ?? 'no reason is known'}`
    case 'waiting':
      return 'waits for a person; see "retinue approvals"'
    case 'aborted':
      return 'was aborted, because the application ended'
    case 'left-out':
      return `left out at ${time}: it was still running`
    case 'lost':
      return `lost at ${time}: its process ended in the middle`
    case 'missed':
      return count === 1
        ? `missed at ${time}: nothing was running`
        : `missed ${isMore ? 'at least ' : ''}${count} times up to ${time}: nothing was running`
  }
}
