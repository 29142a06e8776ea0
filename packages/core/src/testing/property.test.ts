import { expect, test } from 'vitest'
import { assert, holds, type Property } from '../../test-support/property.ts'
import { Random } from '../../test-support/random.ts'

/** A property that does not hold for the cases whose number is over a share. */
const below = (share: number): Property => ({
  name: 'R00',
  unit: 'numbers',
  check: async (random, tally) => {
    const number = random.next()
    tally('numbers')
    assert(number < share, () => `${number} is too much`)
  },
})

test('the same seed makes the same cases, which are counted', async () => {
  expect(new Random(7).next()).toBe(new Random(7).next())
  expect(await holds(below(1), { seed: 3, count: 50 })).toEqual({ numbers: 50 })
})

test('a case that fails is named with its seed, and fails again alone', async () => {
  const failing = holds(below(0.9), { seed: 3, count: 500 })
  const { message } = (await failing.catch((error: unknown) => error)) as Error
  const [, index] = /^R00 does not hold for case (\d+) of seed 3: 0\.9\d* is too much\n/.exec(message) ?? []
  expect(message).toContain(`SEED=3 CASE=${index} npm run test:deep -- -t R00`)
  await expect(holds(below(0.9), { seed: 3, count: 500, only: Number(index) })).rejects.toThrow(message)
})
