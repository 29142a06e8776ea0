import { expect, test } from 'vitest'
import { histories } from '../../test-support/properties/histories.ts'
import { holds } from '../../test-support/property.ts'

test('B2.2 R11 of random histories under random cuts and filters a strict model refuses none, and parts come through as they were', async () => {
  const kinds = await holds(histories, { seed: 1, count: 500 })
  expect(Object.keys(kinds).sort()).toEqual([
    'handed over a part',
    'handed over as much or more',
    'handed over nothing',
    'refused before a model was asked',
  ])
})
