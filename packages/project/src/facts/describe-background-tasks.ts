import type { ModuleFact } from './facts.ts'
import { backgroundTasksRefusals } from './refusal.ts'
import { isPlainRecord, kindOfValue } from './value-kind.ts'

/** What rules need to know of the application's background tasks. */
export function describeBackgroundTasks(value: unknown): ModuleFact | undefined {
  if (!isPlainRecord(value) || kindOfValue(value) !== 'object') return undefined
  const { enabled } = value
  return {
    kind: 'background-tasks',
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
    refusals: backgroundTasksRefusals(value),
  }
}
