import type { ScheduleOutcome } from '@retinue/project/runtime'
import { expect, test } from 'vitest'
import { outcomeText } from './schedule-text.ts'

test('what was missed is told with how often, as far as it was counted', () => {
  const missed: ScheduleOutcome = { due: Date.UTC(2026, 0, 2), outcome: 'missed', by: 'time', at: 0 }
  expect(outcomeText(missed)).toBe('missed at 2026-01-02T00:00:00.000Z: nothing was running')
  expect(outcomeText({ ...missed, count: 3 })).toBe(
    'missed 3 times up to 2026-01-02T00:00:00.000Z: nothing was running',
  )
  expect(outcomeText({ ...missed, count: 100, isMore: true })).toMatch(/^missed at least 100 times up to/)
})
