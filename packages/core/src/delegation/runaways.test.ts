import { expect, test } from 'vitest'
import { runaways } from '../../test-support/properties/runaways.ts'
import { holds } from '../../test-support/property.ts'

test('B2.9 R12 teams that run away end with a reason that says so, within depth and steps, and no model is tried too often', async () => {
  const kinds = await holds(runaways, { seed: 1, count: 30 })
  expect(kinds).toMatchObject({
    error: expect.any(Number),
    'max-steps': expect.any(Number),
    'depth 3': expect.any(Number),
  })
})
