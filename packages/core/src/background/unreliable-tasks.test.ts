import { expect, test } from 'vitest'
import { unreliableTasks } from '../../test-support/properties/unreliable-tasks.ts'
import { holds } from '../../test-support/property.ts'

test('R06 B9.3 B9.4 B9.6 over signals that can’t be trusted, with processes that die, each task has one end, told once', async () => {
  const kinds = await holds(unreliableTasks(20), { seed: 1, count: 2 })
  expect(kinds['deaths']).toBeGreaterThan(0)
  expect(kinds['tasks under way at a death']).toBeGreaterThan(0)
})
