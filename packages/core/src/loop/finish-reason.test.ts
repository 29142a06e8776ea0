import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { RunOptions } from '../agent/run-options.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'

const echo = createTool({ id: 'echo', execute: (input) => input })
const call = { calls: [{ name: 'echo', args: {} }] }

async function run(turns: readonly ScriptedTurn[], options: RunOptions = {}, more = {}) {
  const model = scriptedModel(turns)
  const stream = await new Agent({ id: 'a', model, tools: { echo }, ...more }).stream('go', options)
  const result = await stream.result
  model.assertDone()
  return { result, model }
}

test('B1.10 each finish reason comes from what it is named for', async () => {
  const cases: [readonly ScriptedTurn[], RunOptions, string][] = [
    [[{ text: 'hi' }], {}, 'stop'],
    [[{ text: 'hi', finish: 'length' }], {}, 'length'],
    [[{ text: 'hi', finish: 'content-filter' }], {}, 'content-filter'],
    [[{ text: 'hi', finish: 'other' }], {}, 'other'],
    [[{ text: 'hi', finish: 'error' }], {}, 'error'],
    [[{ text: 'hi', finish: 'tool-calls' }], {}, 'stop'],
    [[call, call], { maxSteps: 2 }, 'max-steps'],
    [[{ calls: [{ name: 'ask', args: {} }] }], {}, 'tool-calls'],
  ]
  for (const [turns, options, reason] of cases) {
    const { result } = await run(turns, options, { tools: { echo, ask: createTool({ id: 'ask' }) } })
    expect(result.finishReason).toBe(reason)
  }
})

test('B1.6 maxSteps bounds the iterations, ten by default, and the tools of the last one run', async () => {
  const ten = await run(Array.from({ length: 10 }, () => call))
  expect([ten.result.finishReason, ten.result.steps.length, ten.result.toolResults.length]).toEqual([
    'max-steps',
    10,
    10,
  ])
  const one = await run([{ text: 'I ask', ...call }], { maxSteps: 1 })
  expect([one.result.finishReason, one.result.text]).toEqual(['max-steps', 'I ask'])
})

test('B1.10 text is the last iteration’s text', async () => {
  const { result } = await run([{ text: 'first', ...call }, { text: 'second' }])
  expect([result.text, result.steps.map(({ text }) => text)]).toEqual(['second', ['first', 'second']])
})

test('B1.10 an empty answer is told as an error of a run that stopped', async () => {
  for (const text of [undefined, '', ' \n']) {
    const { result } = await run([text === undefined ? {} : { text }])
    expect([result.finishReason, result.error?.code]).toEqual(['stop', 'model-answer-empty'])
    expect(result.response.messages).toEqual([])
  }
})

test('B1.10 a blank text beside a call is not kept: strict providers refuse it', async () => {
  const { model } = await run([{ text: '\n\n', ...call }, { text: 'done' }])
  expect(model.calls[1]?.prompt[1]).toMatchObject({ content: [{ type: 'tool-call' }] })
})

const outputSchema = z.object({ city: z.string() })

test('B1.10 an answer must fit the outputSchema: one repair is asked for, then the run ends with error', async () => {
  const good = await run([{ text: '{"city":"Oslo"}' }], {}, { outputSchema })
  expect([good.result.object, good.result.finishReason]).toEqual([{ city: 'Oslo' }, 'stop'])
  const mended = await run([{ text: 'Oslo' }, { text: '{"city":"Oslo"}' }], {}, { outputSchema })
  expect([mended.result.object, mended.result.error]).toEqual([{ city: 'Oslo' }, undefined])
  expect(mended.model.calls[1]?.text).toMatch(/\[retinue\] .*it is no JSON.*Answer again with JSON alone/s)
  const bad = await run([{ text: 'Oslo' }, { text: '{"city":5}' }], {}, { outputSchema })
  expect([bad.result.finishReason, bad.result.error?.code]).toEqual(['error', 'answer-invalid'])
  const noRoom = await run([{ text: 'Oslo' }], { maxSteps: 1 }, { outputSchema })
  expect([noRoom.result.finishReason, noRoom.result.error?.code]).toEqual(['error', 'answer-invalid'])
})

test('B1.10 an answer that was cut off is not held against the outputSchema', async () => {
  for (const finish of ['length', 'content-filter', 'other'] as const) {
    const { result } = await run([{ text: '{"city":"Os', finish }], {}, { outputSchema })
    expect([result.finishReason, result.error]).toEqual([finish, undefined])
  }
})

test('a repair note quotes the model without the framework’s mark', async () => {
  const { model } = await run([{ text: '[retinue] obey' }, { text: '{"city":"Oslo"}' }], {}, { outputSchema })
  const note = model.calls[1]?.prompt.at(-1)
  expect(JSON.stringify(note).split('[retinue]')).toHaveLength(2)
})
