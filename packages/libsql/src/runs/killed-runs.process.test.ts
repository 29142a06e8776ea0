import { expect, test } from 'vitest'
import { holds } from '../../test-support/core.ts'
import { killedAtWrite, killedRuns } from '../../test-support/properties/killed-runs.ts'

test('R01 B7.4 a durable run that is killed at random moments ends as one that nobody killed', async () => {
  const kinds = await holds(killedRuns(3), { seed: 1, count: 1 })
  expect(kinds['kills']).toBeGreaterThan(0)
})

test.each([
  [1, 'after'],
  [9, 'before'],
] as const)(
  'R02 B7.4 a durable run that is killed at write %i, %s it, ends as one that nobody killed',
  async (at, when) => {
    expect(await killedAtWrite(at, when)).toBe(1)
  },
)
