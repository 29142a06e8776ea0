import { expect, test } from 'vitest'
import { EventClock } from '../../test-support/event-clock.ts'
import { everyTaskCrash, TASK_PLANS } from '../../test-support/properties/task-crashes.ts'

test('R02 B9.6 runs with background tasks, whose process dies before or after every write', async ({ task }) => {
  const clock = new EventClock()
  const kinds: Record<string, number> = {}
  let count = 0
  try {
    for (const plan of TASK_PLANS)
      for (const durable of [true, false]) {
        const { wrong, crashes } = await everyTaskCrash(clock, plan, { durable })
        expect(wrong).toEqual({})
        kinds[`${plan.what}, ${durable ? 'durable' : 'not durable'}`] = crashes
        count += crashes
      }
  } finally {
    clock.restore()
  }
  // Nothing of it is random: the seed is that of the run.
  const seed = Number(process.env['SEED'])
  task.meta.deep = {
    name: 'R02 B9.6 runs with background tasks',
    unit: 'crashes, one at every write',
    seed,
    count,
    kinds,
  }
})
