import { expect, test } from 'vitest'
import { holds } from '../../test-support/core.ts'
import { decisionRaces } from '../../test-support/properties/decision-races.ts'

test('R04 B7.4 of eight decisions that come at once from two processes one wins, and the others are told', async () => {
  const kinds = await holds(decisionRaces(15), { seed: 4, count: 1 })
  expect([kinds['won by approve'], kinds['won by decline']]).toEqual([expect.any(Number), expect.any(Number)])
})
