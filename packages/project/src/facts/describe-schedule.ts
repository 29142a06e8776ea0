import type { ModuleFact } from './facts.ts'
import { loadCroner } from './load-croner.ts'
import { scheduleProblems } from './schedule-problems.ts'
import { isPlainRecord } from './value-kind.ts'

/** What rules need to know of the schedule that a module exports. */
export function describeSchedule(value: unknown): ModuleFact | undefined {
  if (!isPlainRecord(value) || typeof value['then'] === 'function') return undefined
  return { kind: 'schedule', problems: scheduleProblems(value, loadCroner) }
}
