import { expect, test } from 'vitest'
import { taskGrowth } from '../../test-support/properties/linear-tasks.ts'

test.each([
  ['is not durable', 'ten in a step', [50, 100, 200]],
  ['is durable', 'ten in a step', [50, 100, 200]],
  ['is durable', 'all in one step', [50, 100, 200]],
] as const)(
  'PERFORMANCE a run that %s and begins its tasks %s: what one writes and tells does not grow with their number',
  async (kind, begun, sizes) => {
    const durable = kind === 'is durable'
    const [first] = await taskGrowth(sizes, durable, ['written', 'events'], begun)
    expect(first?.written).toBeLessThan(durable ? 16_000 : 8_000)
    expect(first?.events).toBeLessThan(3_000)
  },
)
