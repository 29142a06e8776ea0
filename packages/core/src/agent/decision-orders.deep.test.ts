import { test } from 'vitest'
import { everyDecisionOrder } from '../../test-support/properties/decision-orders.ts'

test('R05 B7.4 all orders of the first five steps of two who decide two calls', async ({ task }) => {
  const count = await everyDecisionOrder(5)
  // Nothing of it is random: the seed is that of the run.
  const seed = Number(process.env['SEED'])
  task.meta.deep = {
    name: 'R05 B7.4 two deciders, two calls',
    unit: 'orders of their steps, all',
    seed,
    count,
    kinds: {},
  }
})
