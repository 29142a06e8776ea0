import type { Chunk } from '@retinue/core/agent'
import { expect, test } from 'vitest'
import { isEndOfTask } from './task-end.ts'

const told = (type: string, taskId: string): Chunk => ({ type, payload: { taskId } }) as never

test('a task ends with its own end, however that is, and not with that of a task below it', () => {
  for (const how of ['completed', 'failed', 'cancelled', 'timed-out'])
    expect([how, isEndOfTask('t1', told(`background-task-${how}`, 't1'))]).toEqual([how, true])
  expect(isEndOfTask('t1', told('background-task-completed', 't2'))).toBe(false)
  for (const how of ['started', 'running', 'suspended', 'retrying'])
    expect([how, isEndOfTask('t1', told(`background-task-${how}`, 't1'))]).toEqual([how, false])
})
