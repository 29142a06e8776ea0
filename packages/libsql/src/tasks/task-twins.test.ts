import { expect, test } from 'vitest'
import { holds } from '../../test-support/core.ts'
import { taskTwins } from '../../test-support/properties/task-twins.ts'

test('B9.4 whatever is asked for tasks in whatever order, both stores answer the same', async () => {
  const kinds = await holds(taskTwins(60), { seed: 9, count: 15 })
  const hard = ['claim gives', 'claim gives nothing', 'change gives', 'change option-invalid', 'send task-ended']
  const rest = ['create storage-conflict', 'send gives', 'shared storage-row-unreadable', 'messages gives']
  for (const kind of [...hard, ...rest]) expect([kind, kinds[kind]]).toEqual([kind, expect.any(Number)])
})
