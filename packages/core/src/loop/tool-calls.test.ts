import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { RunOptions } from '../agent/run-options.ts'
import type { Chunk } from '../events/chunk.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'
import type { Tool } from '../tools/tool.ts'

async function run(turns: readonly ScriptedTurn[], tools: Record<string, Tool>, options: RunOptions = {}) {
  const model = scriptedModel(turns)
  const result = await new Agent({ id: 'a', model, tools }).generate('go', options)
  model.assertDone()
  return { result, model }
}

/** A tool that is in work until it is let go, and the names of those that began. */
function gates() {
  const begun: string[] = []
  const open = new Map<string, () => void>()
  const tool = createTool({
    id: 'gate',
    inputSchema: z.object({ name: z.string() }),
    execute: ({ name }) => {
      begun.push(name)
      return new Promise<string>((resolve) => open.set(name, () => resolve(`done ${name}`)))
    },
  })
  return { begun, tool, release: (name: string) => open.get(name)?.() }
}

const call = (name: string, args: unknown = {}) => ({ name, args })
const gateCalls = (count: number) => Array.from({ length: count }, (_, i) => call('gate', { name: `c${i}` }))
/** Lets everything go on that waits for nothing outside. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function counter(): { tool: Tool; calls: unknown[] } {
  const calls: unknown[] = []
  const tool = createTool({
    id: 'count',
    execute: (input) => {
      calls.push(input)
      return 'ran'
    },
  })
  return { tool, calls }
}

test('B1.7 tool calls start when the model call has ended, not before', async () => {
  const { tool, calls } = counter()
  const model = scriptedModel([
    { calls: [call('count')], after: settle().then(() => expect(calls).toEqual([])) },
    { text: 'done' },
  ])
  const stream = await new Agent({ id: 'a', model, tools: { count: tool } }).stream('go')
  const types: string[] = []
  for await (const chunk of stream.events) {
    types.push(chunk.type)
    if (chunk.type === 'tool-call') expect(types).not.toContain('tool-result')
  }
  expect(calls).toHaveLength(1)
})

test('B1.7 tool calls run at the same time, and their results stand in the order of the calls', async () => {
  const { tool, begun, release } = gates()
  const model = scriptedModel([{ calls: gateCalls(3) }, { text: 'done' }])
  const stream = await new Agent({ id: 'a', model, tools: { gate: tool } }).stream('go')
  await settle()
  expect(begun).toEqual(['c0', 'c1', 'c2'])
  for (const name of ['c2', 'c0', 'c1']) {
    release(name)
    await settle()
  }
  const result = await stream.result
  expect(result.toolResults.map((entry) => entry.result)).toEqual(['done c0', 'done c1', 'done c2'])
  const tool3 = model.calls[1]?.prompt.at(-1)
  expect(tool3?.role === 'tool' && tool3.content.map((part) => part.type === 'tool-result' && part.output)).toEqual(
    ['done c0', 'done c1', 'done c2'].map((value) => ({ type: 'text', value })),
  )
  // Each result is shown at once, whatever its siblings do.
  const shown: unknown[] = []
  for await (const chunk of stream.events) if (chunk.type === 'tool-result') shown.push(chunk.payload.result)
  expect(shown).toEqual(['done c2', 'done c0', 'done c1'])
})

test('B1.7 at most ten calls run at the same time, or toolCallConcurrency', async () => {
  for (const [limit, options] of [
    [10, {}],
    [2, { toolCallConcurrency: 2 }],
  ] as const) {
    const { tool, begun, release } = gates()
    const running = run([{ calls: gateCalls(12) }, { text: 'done' }], { gate: tool }, options)
    await settle()
    expect(begun).toHaveLength(limit)
    release('c1')
    await settle()
    expect(begun).toHaveLength(limit + 1)
    for (let i = 0; i < 12; i++) {
      release(`c${i}`)
      await settle()
    }
    expect((await running).result.toolResults).toHaveLength(12)
  }
})

test('B1.7 a call that fails fails alone', async () => {
  const { tool, calls } = counter()
  const throws = (thrown: unknown) =>
    createTool({
      id: 'throws',
      execute: () => {
        throw thrown
      },
    })
  const { result, model } = await run(
    [{ calls: [call('boom'), call('count'), call('odd'), call('rejects')] }, { text: 'done' }],
    {
      boom: throws(new Error('no disk')),
      odd: throws(null),
      rejects: createTool({ id: 'r', execute: () => Promise.reject('text') }),
      count: tool,
    },
  )
  expect(calls).toHaveLength(1)
  expect(result.toolResults.map((entry) => entry.error?.code ?? entry.result)).toEqual([
    'tool-failed',
    'ran',
    'tool-failed',
    'tool-failed',
  ])
  expect(model.calls[1]?.text).toContain('The tool "boom" failed: no disk')
  expect(result.text).toBe('done')
})

test('B1.7 S21 an unknown tool name reaches the model as an error result with the names that exist, and its sibling runs', async () => {
  const { tool, calls } = counter()
  const names = ['creating:count', 'Count', 'count ', '', '__proto__', 'x'.repeat(200)]
  const { result, model } = await run(
    [{ calls: [...names.map((name) => call(name, { q: 1 })), call('count', { real: 1 })] }, { text: 'done' }],
    { count: tool },
  )
  expect(calls).toEqual([{ real: 1 }])
  const errors = result.toolResults.filter((entry) => entry.error)
  expect(errors.map((entry) => entry.error?.code)).toEqual(names.map(() => 'tool-unknown'))
  // Whatever the model wrote, the history holds a legal name and an object: the strict model took the second call.
  for (const entry of result.toolCalls) expect(entry.toolName).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(model.calls[1]?.text).toContain('Use one of these exact names: count.')
})

test('B1.7 arguments that are not a JSON object never run, and the model reads what was expected', async () => {
  const { tool, calls } = counter()
  const broken = ['{"a": 1', '{"city": "Pa', 'not json', '"text"', '[1]', '5', 'null', 'true', '"{\\"a\\": "']
  const { result, model } = await run([{ calls: broken.map((args) => call('count', args)) }, { text: 'done' }], {
    count: { ...tool, inputSchema: { type: 'object', properties: { city: { type: 'string' } } } },
  })
  expect(calls).toEqual([])
  expect(result.toolResults.map((entry) => entry.error?.code)).toEqual(broken.map(() => 'tool-arguments-invalid'))
  for (const [index, { args }] of result.toolCalls.entries()) expect(args).toEqual({ unreadable: broken[index] })
  expect(model.calls[1]?.text).toContain('Nothing was run. Expected: {"type":"object"')
})

test('B1.7 arguments nested thousands deep are an error result, not the end of the run', async () => {
  const { tool, calls } = counter()
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const { result } = await run([{ calls: [call('count', deep)] }, { text: 'done' }], { count: tool })
  expect([calls, result.toolResults[0]?.error?.code, result.text]).toEqual([[], 'tool-arguments-invalid', 'done'])
})

test('B1.7 arguments that a provider hands over as a value that is no JSON are an error result', async () => {
  const { tool, calls } = counter()
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  for (const input of [circular, { n: 1n }, undefined, 5, new Map([['a', 1]])]) {
    const parts = [
      { type: 'tool-call', toolCallId: 'c', toolName: 'count', input },
      { type: 'finish', finishReason: 'tool-calls', usage: {} },
    ] as unknown as LanguageModelV4StreamPart[]
    const { result } = await run([{ parts }, { text: 'done' }], { count: tool })
    expect(result.toolResults[0]?.error?.code).toBe('tool-arguments-invalid')
  }
  expect(calls).toEqual([])
})

test('B1.7 no arguments at all are an empty object, and JSON text inside a JSON string is unwrapped once and told', async () => {
  const { tool, calls } = counter()
  const wrapped = JSON.stringify(JSON.stringify({ a: 1 }))
  const { result } = await run(
    [{ calls: [call('count', ''), call('count', ' \n'), call('count', wrapped)] }, { text: 'done' }],
    { count: tool },
  )
  expect(calls).toEqual([{}, {}, { a: 1 }])
  expect(result.warnings).toEqual(['The arguments of "count" were JSON text inside a JSON string.'])
  const twice = await run([{ calls: [call('count', JSON.stringify(wrapped))] }, { text: 'done' }], { count: tool })
  expect(twice.result.toolResults[0]?.error?.code).toBe('tool-arguments-invalid')
})

test('B1.7 arguments that fail the schema reach the model with what was expected; defaults and transforms reach the tool', async () => {
  const got: unknown[] = []
  const book = createTool({
    id: 'book',
    inputSchema: z.object({ nights: z.number().int().min(1), city: z.string().trim().default('Rome') }),
    execute: (input) => {
      got.push(input)
      return 'booked'
    },
  })
  const { result, model } = await run(
    [
      { calls: [call('book', { nights: 'two' }), call('book', { nights: 0 }), call('book', {})] },
      { calls: [call('book', { nights: 2 }), call('book', { nights: 1, city: ' Oslo ' })] },
      { text: 'done' },
    ],
    { book },
  )
  expect(got).toEqual([
    { nights: 2, city: 'Rome' },
    { nights: 1, city: 'Oslo' },
  ])
  expect(model.calls[1]?.text).toMatch(/don't fit: nights: .*Nothing was run\. Expected: .*"nights"/)
  // The history keeps what the model wrote.
  expect(result.toolCalls[3]?.args).toEqual({ nights: 2 })
})

describe('B1.7 after a model call that was cut off none of its calls starts', () => {
  for (const finish of ['length', 'content-filter', 'error'] as const) {
    test(finish, async () => {
      const { tool, calls } = counter()
      const model = scriptedModel([{ text: 'I will', calls: [call('count'), call('gone')], finish }])
      const stream = await new Agent({ id: 'a', model, tools: { count: tool } }).stream('go')
      const result = await stream.result
      expect([calls, result.finishReason]).toEqual([[], finish])
      expect(result.toolResults.map(({ error }) => error?.code)).toEqual(['tool-not-run', 'tool-not-run'])
      expect(result.error?.code).toBe(finish === 'error' ? 'model-call-failed' : undefined)
    })
  }
  test('a stream that breaks off, or errs, after the call', async () => {
    for (const last of [[], [{ type: 'error', error: { statusCode: 500 } }]]) {
      const { tool, calls } = counter()
      const parts = [
        { type: 'tool-call', toolCallId: 'c', toolName: 'count', input: '{}' },
        ...last,
      ] as LanguageModelV4StreamPart[]
      const stream = await new Agent({ id: 'a', model: scriptedModel([{ parts }]), tools: { count: tool } }).stream(
        'go',
      )
      const result = await stream.result
      expect([calls, result.finishReason]).toEqual([[], 'error'])
      expect(result.error?.code).toBe(last.length > 0 ? 'model-call-failed' : 'model-stream-incomplete')
      // What is kept is a valid conversation to go on from.
      const again = scriptedModel([{ text: 'ok' }])
      const history = [{ role: 'user', content: 'go' } as const, ...result.response.messages]
      await new Agent({ id: 'b', model: again }).generate([...history, { role: 'user', content: 'on' }] as never)
    }
  })
})

test('B1.7 after a model call that ended for any other reason its calls start', async () => {
  for (const finish of ['stop', 'tool-calls', 'other'] as const) {
    const { tool, calls } = counter()
    await run([{ calls: [call('count')], finish }, { text: 'done' }], { count: tool })
    expect(calls, finish).toHaveLength(1)
  }
})

test('B1.7 S21 a name that is nearly that of a gated tool runs nothing, however it is written', async () => {
  const { tool, calls } = counter()
  // Two of them: what a wrong name is recorded under is a name that exists, and must not be run for that.
  const gated = createTool({ id: 'pay', requireApproval: true, execute: (input) => void calls.push(input) })
  const names = ['creating:pay', 'creating.pay', 'creating pay', 'Pay', 'pay ', 'functions.pay', 'pay\n']
  const tools = { pay: gated, creating_pay: tool, ok: createTool({ id: 'ok', execute: () => 'ran' }) }
  const { result } = await run([{ calls: [...names.map((name) => call(name)), call('ok')] }, { text: 'done' }], tools)
  expect(calls).toEqual([])
  expect(result.toolResults.map(({ error, result: value }) => error?.code ?? value)).toEqual([
    ...names.map(() => 'tool-unknown'),
    'ran',
  ])
  expect(new Set(result.toolResults.map(({ toolCallId }) => toolCallId)).size).toBe(names.length + 1)
})

test('B1.7 S21 a model that repeats an unknown name for ever is given up; one that makes new ones up is bounded by its steps', async () => {
  const { tool, calls } = counter()
  const again = Array.from({ length: 20 }, () => ({ calls: [call('creating:count')] }))
  const same = scriptedModel(again)
  const stream = await new Agent({ id: 'a', model: same, tools: { count: tool } }).stream('go')
  expect([await stream.finishReason, (await stream.error)?.code, same.calls.length]).toEqual([
    'error',
    'tool-failed-repeatedly',
    3,
  ])
  const other = scriptedModel(again.map((_turn, n) => ({ calls: [call(`creating:${n}`)] })))
  const { finishReason } = await new Agent({ id: 'a', model: other, tools: { count: tool } }).generate('go')
  expect([finishReason, other.calls.length, calls]).toEqual(['max-steps', 10, []])
})

test('B1.7 the same failure three steps running ends the run with error', async () => {
  const bad = call('nope')
  const failing = createTool({ id: 'f', execute: (input) => Promise.reject(new Error(`bad ${input['n']}`)) })
  const model = scriptedModel([{ calls: [bad] }, { calls: [bad, bad] }, { calls: [bad] }])
  const stream = await new Agent({ id: 'a', model, tools: { failing } }).stream('go')
  const result = await stream.result
  model.assertDone()
  expect([result.finishReason, result.error?.code]).toEqual(['error', 'tool-failed-repeatedly'])
  // Another error of the same tool, or a step without it, begins anew; parallel calls of one step count once.
  const f = (n: number) => call('failing', { n })
  const ok = [{ calls: [f(1)] }, { calls: [f(1)] }, { calls: [f(2)] }, { calls: [f(1), f(1), f(1)] }, { text: 'done' }]
  expect((await run(ok, { failing })).result.text).toBe('done')
})

test('B1.7 call ids that a provider repeats are made unique, within a call and over the run', async () => {
  const { tool } = counter()
  const same = { id: 'c1', name: 'count', args: {} }
  const { result } = await run([{ calls: [same, same] }, { calls: [same, { ...same, id: '' }] }, { text: 'done' }], {
    count: tool,
  })
  expect(new Set(result.toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(4)
})

test('B1.7 what the provider ran itself is recorded in its message and never run here', async () => {
  const { tool, calls } = counter()
  const parts = [
    { type: 'tool-call', toolCallId: 'p1', toolName: 'web_search', input: '{"q":1}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'p1', toolName: 'web_search', result: { hits: 2 } },
    { type: 'tool-call', toolCallId: 'p2', toolName: 'count', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'p2', toolName: 'count', result: 'quota', isError: true },
    { type: 'tool-result', toolCallId: 'lost', toolName: 'count', result: 1 },
    { type: 'text-delta', id: 't', delta: 'found' },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'x' }, usage: {} },
  ] as unknown as LanguageModelV4StreamPart[]
  const model = scriptedModel([{ parts }])
  const stream = await new Agent({ id: 'a', model, tools: { count: tool } }).stream('go')
  const result = await stream.result
  expect([calls, result.finishReason, result.text]).toEqual([[], 'stop', 'found'])
  expect(result.toolResults.map((entry) => entry.error?.code ?? entry.result)).toEqual([{ hits: 2 }, 'tool-failed'])
  expect(result.warnings).toHaveLength(1)
  const chunks: Chunk[] = []
  for await (const chunk of stream.events) chunks.push(chunk)
  expect(chunks.filter(({ type }) => type === 'tool-result' || type === 'tool-error').map(({ type }) => type)).toEqual([
    'tool-result',
    'tool-error',
  ])
  expect(result.response.messages[0]?.content).toMatchObject([
    { type: 'tool-call', toolName: 'web_search', providerExecuted: true },
    { type: 'tool-result', output: { type: 'json', value: { hits: 2 } } },
    { type: 'tool-call', toolName: 'count', providerExecuted: true },
    { type: 'tool-result', output: { type: 'error-text', value: 'quota' } },
    { type: 'text', text: 'found' },
  ])
})
