import type { ScheduleState } from '@retinue/project/runtime'
import { EXIT } from '../exit-codes.ts'
import { outcomeText } from '../serve/schedule-text.ts'
import { renderTable, timeText } from '../table.ts'
import { type SchedulesOptions, withSchedules } from './with-schedules.ts'

/** Prints the schedules of all agents: when they are due next, and what came of the last time. Gives the exit code. */
export function listSchedules(options: SchedulesOptions): Promise<number> {
  const { json, out, err } = options
  return withSchedules(options, async (runner) => {
    const schedules = await runner.list()
    if (json) out(`${JSON.stringify({ schedules: schedules.map(asData) }, null, 2)}\n`)
    else if (schedules.length === 0) err('The project has no schedules.\n')
    else out(scheduleTable(schedules))
    return EXIT.ok
  })
}

/** Prints what came of the times of one schedule, the newest first. */
export function showScheduleLog(options: SchedulesOptions & { readonly name: string }): Promise<number> {
  const { json, out, err, name } = options
  return withSchedules(options, async (runner) => {
    const { outcomes, isRunning } = await runner.find(name)
    if (json) out(`${JSON.stringify({ outcomes }, null, 2)}\n`)
    else if (outcomes.length === 0)
      err(isRunning ? `"${name}" is running for the first time.\n` : `"${name}" has not been due yet.\n`)
    else {
      const rows = outcomes.map((outcome) => [
        timeText(outcome.due),
        outcome.by,
        outcome.threadId ?? '',
        outcomeText(outcome),
      ])
      out(renderTable(['DUE', 'BY', 'THREAD', 'OUTCOME'], rows))
    }
    return EXIT.ok
  })
}

function scheduleTable(schedules: readonly ScheduleState[]): string {
  const rows = schedules.map(({ agent, key, cron, timeZone, next, isRunning, outcomes: [last] }) => {
    const due = next === undefined ? 'never' : timeText(next)
    const came = isRunning ? 'is running' : last === undefined ? 'none' : outcomeText(last)
    return [`${agent}/${key}`, cron, timeZone, due, came]
  })
  return renderTable(['SCHEDULE', 'CRON', 'TIME ZONE', 'NEXT (UTC)', 'LAST'], rows)
}

function asData({ next, ...state }: ScheduleState): object {
  return { ...state, next: next === undefined ? null : new Date(next).toISOString() }
}
