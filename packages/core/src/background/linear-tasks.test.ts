import { expect, test } from 'vitest'
import { taskGrowth } from '../../test-support/properties/linear-tasks.ts'

test.each([
  ['is not durable', [100, 200, 400], false],
  ['is durable', [50, 100, 200], true],
] as const)(
  'PERFORMANCE a run that %s: what a task writes and tells does not grow with their number',
  async (_what, sizes, durable) => {
    const [first] = await taskGrowth(sizes, durable, ['written', 'events'])
    expect(first?.written).toBeLessThan(durable ? 16_000 : 8_000)
    expect(first?.events).toBeLessThan(3_000)
  },
)
