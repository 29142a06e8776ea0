import { expect, test } from 'vitest'
import { holds } from '../../test-support/core.ts'
import {
  killedTaskAtWrite,
  killedTasks,
  lostTasks,
  lostTasksAtWrite,
} from '../../test-support/properties/killed-tasks.ts'

test('R01 B9.6 a durable run with background tasks that is killed at random moments ends as one that nobody killed', async () => {
  const kinds = await holds(killedTasks(2), { seed: 1, count: 1 })
  expect(kinds['kills']).toBeGreaterThan(0)
})

test('R01 B9.6 the tasks of a run that nobody can go on with are called off', async () => {
  const kinds = await holds(lostTasks(1), { seed: 1, count: 1 })
  expect(kinds['kills']).toBeGreaterThan(0)
})

test('R02 B9.6 a durable run with background tasks that is killed after a write ends as one that nobody killed', async () => {
  expect(await killedTaskAtWrite(5, 'after')).toBe(1)
})

test('B9.6 a task whose run died is called off by the next process at once, and not gone on with: a dead process has no lease', async () => {
  // At the writes 4 to 9 both tasks are under way: how they come between each other is not the same in every run.
  expect(await lostTasksAtWrite(6)).toEqual(['a cancelled', 'a completed', 'b cancelled', 'b completed'])
})
