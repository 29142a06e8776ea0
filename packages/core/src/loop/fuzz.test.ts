import { expect, test } from 'vitest'
import { fuzzedStreams } from '../../test-support/properties/fuzzed-streams.ts'
import { holds } from '../../test-support/property.ts'
import { Agent } from '../agent/agent.ts'
import { scriptedModel } from '../testing/index.ts'

test('B8.4 R08 whatever models stream: one start, one finish, well nested, exact sums, generate ≡ stream, nothing unhandled', async () => {
  const kinds = await holds(fuzzedStreams, { seed: 1, count: 500 })
  const reasons = ['content-filter', 'error', 'length', 'max-steps', 'other', 'stop']
  expect(Object.keys(kinds).sort()).toEqual([...reasons, 'three levels deep', 'with delegations'])
  expect(kinds['three levels deep']).toBeGreaterThan(10)
})

test('R08 what is no part is passed over, and the parts around it are kept', async () => {
  const parts = [
    null,
    undefined,
    5,
    'text',
    [],
    { type: 'text-delta', id: 1, delta: 'a' },
    null,
    { type: 'text-delta', id: 1, delta: 2 },
  ]
  const finish = { type: 'finish', finishReason: 'stop', usage: {} }
  const model = scriptedModel([])
  model.doStream = async () => ({ stream: ReadableStream.from([...parts, finish]) as ReadableStream<never> })
  const stream = await new Agent({ id: 'a', model, maxRetries: 0 }).stream('go')
  expect([await stream.text, await stream.finishReason]).toEqual(['a2', 'stop'])
})
