import { expect, test } from 'vitest'
import { runaways } from '../../test-support/properties/runaways.ts'
import { holds } from '../../test-support/property.ts'

test('B2.9 B2.10 R12 teams that run away end with a reason that says so, within depth, steps and budget, and no model is tried too often', async () => {
  const kinds = await holds(runaways, { seed: 5, count: 20 })
  for (const kind of ['error', 'max-steps', 'over-budget', 'depth 2', 'depth 3', 'depth 4'])
    expect(kinds[kind], kind).toBeGreaterThan(0)
})
