import { expect, test } from 'vitest'
import type { Chunk } from './chunk.ts'
import { EventLog } from './event-log.ts'
import { nest } from './nest.ts'

const delta = (runId: string): Chunk => ({
  type: 'text-delta',
  runId,
  from: 'AGENT',
  path: ['x'],
  payload: { id: 't', text: 'a' },
})

test('B8.3 the root’s chunk is itself, and a child’s stands in one tool-output a level', () => {
  const log = new EventLog()
  log.addScope('b', { toolCallId: 'c1', toolName: 'mid', parentRunId: 'a', path: ['s', 'mid'] })
  log.addScope('c', { toolCallId: 'c2', toolName: 'leaf', parentRunId: 'b', path: ['s', 'mid', 'leaf'] })
  const [root, child, grandchild] = [delta('a'), delta('b'), delta('c')]
  expect(nest(root, log)).toBe(root)
  const wrap = (output: Chunk, runId: string, toolCallId: string, toolName: string, path: string[]) => ({
    type: 'tool-output',
    runId,
    from: 'USER',
    path,
    payload: { output, toolCallId, toolName },
  })
  expect(nest(child, log)).toEqual(wrap(child, 'a', 'c1', 'mid', ['s', 'mid']))
  const inner = wrap(grandchild, 'b', 'c2', 'leaf', ['s', 'mid', 'leaf']) as Chunk
  expect(nest(grandchild, log)).toEqual(wrap(inner, 'a', 'c1', 'mid', ['s', 'mid']))
})
