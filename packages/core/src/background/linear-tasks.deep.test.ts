import { test } from 'vitest'
import { taskGrowth } from '../../test-support/properties/linear-tasks.ts'

for (const [durable, begun] of [
  [false, 'ten in a step'],
  [true, 'ten in a step'],
  [false, 'all in one step'],
  [true, 'all in one step'],
] as const)
  test(`PERFORMANCE runs of up to 1,000 tasks, ${begun}${durable ? ', durable' : ''}`, async ({ task }) => {
    const sizes = [100, 200, 400, 1_000]
    const costs = await taskGrowth(sizes, durable, ['written', 'events', 'heap'], begun)
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
      name: `PERFORMANCE bytes per task, ${begun}${durable ? ', durable' : ''}`,
      unit: 'runs',
      seed,
      count: sizes.length,
      kinds,
    }
  })
