import { expect, test } from 'vitest'
import { everyDecisionOrder } from '../../test-support/properties/decision-orders.ts'

test('R05 B7.4 two who decide two calls, each in either way and order, whoever makes the first step: one decision a call', async () => {
  // Two places, eight programs of each decider, and who begins.
  expect(await everyDecisionOrder(1)).toBe(2 * 8 * 8 * 2)
})
