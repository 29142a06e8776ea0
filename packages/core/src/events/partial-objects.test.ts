import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/index.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

const schema = z.object({ name: z.string(), tags: z.array(z.string()) })

async function objects(turns: readonly ScriptedTurn[], structured: object = { structuredOutput: { schema } }) {
  const look = createTool({ id: 'look', execute: () => '{"name":"no"}' })
  const agent = new Agent({ id: 'a', model: scriptedModel(turns), tools: { look } })
  const stream = await agent.stream('Go', structured)
  const seen: unknown[] = []
  for await (const object of stream.objectStream) seen.push(object)
  return { seen, object: await stream.object, stream }
}

test('B8.1 the object grows with the text, and the last one is the checked answer', async () => {
  const { seen, object } = await objects([{ text: ['{"na', 'me":"A', 'da","tags":["x"', ',"y"]}'] }])
  expect(seen.at(-1)).toEqual({ name: 'Ada', tags: ['x', 'y'] })
  expect(object).toEqual(seen.at(-1))
  expect(seen).toContainEqual({ name: 'A' })
  expect(seen).toContainEqual({ name: 'Ada', tags: ['x'] })
  // Each is a value of its own.
  expect(new Set(seen).size).toBe(seen.length)
})

test('B8.1 every reader gets it from the start, and one that leaves ends nothing', async () => {
  const { seen, stream } = await objects([{ text: ['{"name":"A', 'da","tags":[]}'] }])
  for await (const _ of stream.objectStream) break
  const again: unknown[] = []
  for await (const object of stream.objectStream) again.push(object)
  expect(again).toEqual(seen)
})

test('B8.1 fences and prose before the object are passed over', async () => {
  const { seen } = await objects([{ text: ['```js', 'on\n{"name":"A","tags":[', ']}\n``', '`'] }])
  expect(seen.at(-1)).toEqual({ name: 'A', tags: [] })
})

test('B8.1 what the schema makes of the answer comes last; an answer that was repaired starts anew', async () => {
  const trimmed = z.object({ name: z.string().trim().min(1) })
  const { seen } = await objects([{ text: '{"name":""}' }, { text: '{"name":" Ada "}' }], {
    structuredOutput: { schema: trimmed },
  })
  expect(seen).toEqual([{ name: '' }, { name: ' Ada ' }, { name: 'Ada' }])
})

test('B8.1 texts of steps with tool calls, and results, are no answer', async () => {
  const { seen } = await objects([
    { text: 'Let me look {at this}.', calls: [{ name: 'look', args: {} }] },
    { text: '{"name":"A","tags":[]}' },
  ])
  expect(seen.filter((object) => JSON.stringify(object).includes('no'))).toEqual([])
  expect(seen.at(-1)).toEqual({ name: 'A', tags: [] })
})

test('B8.1 a run without a schema has no objects; one that ends without an answer ends the stream', async () => {
  expect((await objects([{ text: '{"name":"A"}' }], {})).seen).toEqual([])
  const { seen, object } = await objects([{ text: '{"name":"A', finish: 'length' }])
  expect([seen.at(-1), object]).toEqual([{ name: 'A' }, undefined])
})
