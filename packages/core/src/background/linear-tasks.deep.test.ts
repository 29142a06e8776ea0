import { test } from 'vitest'
import { taskGrowth } from '../../test-support/properties/linear-tasks.ts'

for (const durable of [false, true])
  test(`PERFORMANCE runs of up to 1,000 tasks${durable ? ', durable' : ''}`, async ({ task }) => {
    const sizes = [100, 200, 400, 1_000]
    const costs = await taskGrowth(sizes, durable, ['written', 'events', 'heap'])
    const kinds = Object.fromEntries(
      sizes.flatMap((size, at) =>
        (['written', 'events', 'heap'] as const).map((what) => [
          `${what} with ${size}`,
          Math.round(costs[at]?.[what] ?? 0),
        ]),
      ),
    )
    // Nothing of it is random: the seed is that of the run.
    const seed = Number(process.env['SEED'])
    task.meta.deep = {
      name: `PERFORMANCE bytes per task${durable ? ', durable' : ''}`,
      unit: 'runs',
      seed,
      count: sizes.length,
      kinds,
    }
  })
