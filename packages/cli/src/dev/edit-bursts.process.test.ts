import { expect, test } from 'vitest'
import { editBursts } from '../../test-support/properties/edit-bursts.ts'
import { holds } from '../../test-support/property.ts'

test('R21 after bursts of edits dev serves what a cold build serves, and leaves no process', async () => {
  expect(await holds(editBursts({ agents: 3, bursts: 3 }), { seed: 1, count: 1 })).not.toEqual({})
})
