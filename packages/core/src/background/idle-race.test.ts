import { expect, test } from 'vitest'
import { idleRace } from '../../test-support/properties/idle-race.ts'
import { holds } from '../../test-support/property.ts'

test('R07 B9.2 B9.3 whenever tasks complete against the turns of their run, each is told once, and the run ends in time', async () => {
  const kinds = await holds(idleRace, { seed: 1, count: 80 })
  expect(kinds['told together']).toBeGreaterThan(5)
})
