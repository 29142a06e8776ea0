import { expect, test } from 'vitest'
import { fuzzedTrees } from '../../test-support/properties/fuzzed-trees.ts'
import { holds } from '../../test-support/property.ts'

test('B11.10 R20 in 150 random trees every file is used, imported, passed over by a rule, or told, in any order', async () => {
  const kinds = await holds(fuzzedTrees, { seed: 1, count: 150 })
  expect(kinds['files used or told']).toBeGreaterThan(2000)
})
