import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import type { Chunk } from '../events/chunk.ts'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'
import { Agent } from './agent.ts'
import type { RunStream } from './run-stream.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

async function chunksOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = []
  for await (const chunk of source) chunks.push(chunk)
  return chunks
}

const echo = createTool({ id: 'echo', execute: (input) => input })
const talk: readonly ScriptedTurn[] = [
  { text: ['Let', ' me'], reasoning: 'hm', calls: [{ id: 'c1', name: 'echo', args: { a: 1 } }] },
  { text: ['The', ' answer'] },
]
const talker = (turns = talk) => new Agent({ id: 'a', model: scriptedModel(turns), tools: { echo } })

test('B8.1 the run goes on and the promises settle whether or not anybody reads', async () => {
  const stream = await talker().stream('go')
  const [text, object, usage, totalUsage, finishReason, steps, toolCalls, toolResults, response, error] =
    await Promise.all([
      stream.text,
      stream.object,
      stream.usage,
      stream.totalUsage,
      stream.finishReason,
      stream.steps,
      stream.toolCalls,
      stream.toolResults,
      stream.response,
      stream.error,
    ])
  expect([text, object, finishReason, error]).toEqual(['The answer', undefined, 'stop', undefined])
  expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10, totalTokens: 30, calls: 2 })
  expect(totalUsage).toEqual(usage)
  expect(steps.map((step) => step.text)).toEqual(['Let me', 'The answer'])
  expect(toolCalls).toMatchObject([{ toolCallId: 'c1', toolName: 'echo', args: { a: 1 } }])
  expect(toolResults).toMatchObject([{ toolCallId: 'c1', result: { a: 1 } }])
  expect(response.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
})

test('B8.1 the promises settle for a run that fails too, and nobody has to catch anything', async () => {
  const stream = await talker([new Error('broken')]).stream('go')
  expect([await stream.text, await stream.finishReason, (await stream.error)?.code]).toEqual([
    '',
    'error',
    'model-call-failed',
  ])
  expect(await stream.steps).toHaveLength(1)
})

test('B8.1 the run id is known at once, and is the caller’s if there is one', async () => {
  const stream = await talker().stream('go', { runId: 'mine' })
  expect(stream.runId).toBe('mine')
  expect((await chunksOf(stream.events)).every(({ runId }) => runId === 'mine')).toBe(true)
  const other = await talker().stream('go')
  expect(other.runId).toMatch(/^[0-9a-f-]{36}$/)
})

test('B8.1 every reader gets everything from the start: during the run, after it, several at a time', async () => {
  const gate = Promise.withResolvers<void>()
  const stream = await talker([talk[0] as ScriptedTurn, { text: ['The', ' answer'], after: gate.promise }]).stream('go')
  const early = chunksOf(stream.fullStream)
  await settle()
  const during = [chunksOf(stream.fullStream), chunksOf(stream.events)]
  gate.resolve()
  await stream.result
  const [first, ...others] = await Promise.all([early, ...during, chunksOf(stream.fullStream), chunksOf(stream.events)])
  expect(first?.length).toBeGreaterThan(10)
  for (const other of others) expect(other).toEqual(first)
  expect(await chunksOf(stream.textStream)).toEqual(['Let', ' me', 'The', ' answer'])
  const web = stream.textStream.toReadableStream()
  expect(await chunksOf(web)).toEqual(['Let', ' me', 'The', ' answer'])
})

test('B8.1 objectStream and object hold the answer that fits the outputSchema', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
  const model = scriptedModel([{ text: 'no JSON' }, { text: '```json\n{"n":1}\n```' }])
  const stream = await new Agent({ id: 'a', model, outputSchema: outputSchema as never }).stream('go')
  expect([await chunksOf(stream.objectStream), await stream.object]).toEqual([[{ n: 1 }], { n: 1 }])
  expect(model.calls[1]?.text).toContain('[retinue]')
})

test('B8.2 the chunks of a run, in their order, with the payloads of the contract', async () => {
  const chunks = await chunksOf((await talker().stream('go', { runId: 'r' })).events)
  for (const { runId, from, path } of chunks) expect([runId, from, path]).toEqual(['r', 'AGENT', ['a']])
  const model = { requested: 'scripted/scripted', used: 'scripted/scripted' }
  const usage = {
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 15,
    reasoningTokens: 0,
    cachedInputTokens: 0,
    calls: 1,
    unreportedCalls: 0,
  }
  const sum = { ...usage, inputTokens: 20, outputTokens: 10, totalTokens: 30, calls: 2 }
  expect(chunks.map(({ type, payload }) => [type, payload])).toEqual([
    ['start', { id: 'a', messageId: 'r' }],
    ['step-start', { messageId: 'r-1', iteration: 1, model }],
    ['reasoning-start', { id: 'r' }],
    ['reasoning-delta', { id: 'r', text: 'hm' }],
    ['reasoning-end', { id: 'r' }],
    ['text-start', { id: 't' }],
    ['text-delta', { id: 't', text: 'Let' }],
    ['text-delta', { id: 't', text: ' me' }],
    ['text-end', { id: 't' }],
    ['tool-call', { toolCallId: 'c1', toolName: 'echo', args: { a: 1 } }],
    ['tool-result', { toolCallId: 'c1', toolName: 'echo', args: { a: 1 }, result: { a: 1 } }],
    ['step-finish', { stepResult: { reason: 'tool-calls', isContinued: true }, output: { usage } }],
    ['step-start', { messageId: 'r-2', iteration: 2, model }],
    ['text-start', { id: 't' }],
    ['text-delta', { id: 't', text: 'The' }],
    ['text-delta', { id: 't', text: ' answer' }],
    ['text-end', { id: 't' }],
    ['step-finish', { stepResult: { reason: 'stop', isContinued: false }, output: { usage } }],
    ['finish', { stepResult: { reason: 'stop', isContinued: false }, output: { usage: sum }, totalUsage: sum }],
  ])
})

test('B8.2 arguments that stream in have their own chunks, which end where the call is made', async () => {
  const parts = [
    { type: 'tool-input-start', id: 'c', toolName: 'echo' },
    { type: 'tool-input-delta', id: 'c', delta: '{"a"' },
    { type: 'tool-input-delta', id: 'c', delta: ':1}' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: '{"a":1}' },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'x' }, usage: {} },
  ] as unknown as LanguageModelV4StreamPart[]
  const chunks = await chunksOf((await talker([{ parts }, { text: 'done' }]).stream('go')).events)
  expect(chunks.slice(2, 7).map(({ type, payload }) => [type, payload])).toEqual([
    ['tool-call-input-streaming-start', { toolCallId: 'c', toolName: 'echo' }],
    ['tool-call-delta', { toolCallId: 'c', argsTextDelta: '{"a"' }],
    ['tool-call-delta', { toolCallId: 'c', argsTextDelta: ':1}' }],
    ['tool-call-input-streaming-end', { toolCallId: 'c' }],
    ['tool-call', { toolCallId: 'c', toolName: 'echo', args: { a: 1 } }],
  ])
})

test('B8.3 a child’s chunk is a tool-output of its parent’s, once for each level; events is the same, flat', async () => {
  const script = scriptedModels({
    top: [{ calls: [{ id: 'm', name: 'mid', args: { prompt: 'x' } }] }, { text: 'top' }],
    'top/mid': [{ calls: [{ id: 'l', name: 'leaf', args: { prompt: 'x' } }] }, { text: 'mid' }],
    'top/mid/leaf': [{ text: 'leaf' }],
  })
  const mid = new Agent({
    id: 'm',
    description: 'm',
    agents: { leaf: new Agent({ id: 'l', description: 'l' }) },
  })
  const stream: RunStream = await new Agent({ id: 'top', agents: { mid } }).stream('go', {
    resolveModel: script.resolveModel,
    runId: 'r',
  })
  const flat = await chunksOf(stream.events)
  const nested = await chunksOf(stream.fullStream)
  const unwrap = (chunk: Chunk): [Chunk, number] => {
    let inner = chunk
    let depth = 0
    for (; inner.type === 'tool-output'; depth++) {
      expect(inner.path).toEqual(['top', 'mid', 'leaf'].slice(0, depth + 2))
      inner = inner.payload.output as Chunk
    }
    return [inner, depth]
  }
  expect(nested.map((chunk) => unwrap(chunk)[0])).toEqual(flat)
  for (const chunk of nested) {
    const [inner, depth] = unwrap(chunk)
    expect(depth).toBe(inner.path.length - 1)
    expect(chunk.runId).toBe('r')
  }
})

test('B8.4 exactly one start and one finish, whatever happens', async () => {
  const turns: Record<string, readonly ScriptedTurn[]> = {
    answer: [{ text: 'hi' }],
    'empty answer': [{}],
    'thrown error': [new Error('x')],
    'finish error': [{ text: 'x', finish: 'error' }],
    'no finish': [{ parts: [{ type: 'text-delta', id: 't', delta: 'x' }] }],
    'nothing at all': [{ parts: [] }, { parts: [] }, { parts: [] }],
    length: [{ text: 'x', finish: 'length' }],
    'unexpected call': [{ calls: [{ name: 'echo', args: {} }] }],
  }
  for (const [what, list] of Object.entries(turns)) {
    const agent = new Agent({ id: 'a', model: scriptedModel(list), tools: { echo }, maxRetries: 0 })
    const types = (await chunksOf((await agent.stream('go')).events)).map(({ type }) => type)
    expect(types[0], what).toBe('start')
    expect(types.at(-1), what).toBe('finish')
    expect(
      types.filter((type) => type === 'start' || type === 'finish'),
      what,
    ).toHaveLength(2)
    expect(types.filter((type) => type === 'step-start').length).toBe(
      types.filter((type) => type === 'step-finish').length,
    )
  }
})

test('B8.4 generate rejects on finish reason error only', async () => {
  const generate = (turn: ScriptedTurn) =>
    new Agent({ id: 'a', model: scriptedModel([turn]), tools: { echo }, maxRetries: 0 }).generate('go', { maxSteps: 1 })
  await expect(generate(new Error('x'))).rejects.toMatchObject({ code: 'model-call-failed' })
  await expect(generate({ finish: 'error', text: 'x' })).rejects.toMatchObject({ code: 'model-call-failed' })
  for (const finish of ['length', 'content-filter', 'other'] as const)
    expect((await generate({ text: 'x', finish })).finishReason).toBe(finish)
  expect((await generate({ calls: [{ name: 'echo', args: {} }] })).finishReason).toBe('max-steps')
  const empty = await generate({})
  expect([empty.finishReason, empty.error?.code]).toEqual(['stop', 'model-answer-empty'])
})

test('B1.3 generate is stream, collected: the same result for the same run', async () => {
  const lists: readonly (readonly ScriptedTurn[])[] = [
    talk,
    [{ text: 'x', finish: 'length' }],
    [{ calls: [{ name: 'nope', args: '{' }] }, { text: 'done', usage: null }],
    [{}],
  ]
  for (const turns of lists) {
    const generated = await talker(turns).generate('go', { runId: 'r' })
    const streamed = await (await talker(turns).stream('go', { runId: 'r' })).result
    expect(streamed).toEqual(generated)
  }
})

test('B8.5 S11 the size of a stream is in proportion to what was said', async () => {
  const steps = 40
  const size = 20_000
  const results = Array.from({ length: steps }, (_, i) => `${i} `.repeat(size / String(`${i} `).length))
  const script = scriptedModels({
    top: [{ calls: [{ name: 'mid', args: { prompt: 'x' } }] }, { text: 'done' }],
    'top/mid': [...results.map((_, i) => ({ calls: [{ name: 'read', args: { i } }] })), { text: 'read it all' }],
  })
  const read = createTool({ id: 'read', execute: (input) => results[Number(input['i'])] })
  const mid = new Agent({ id: 'm', description: 'm', tools: { read }, defaultOptions: { maxSteps: 50 } })
  const stream = await new Agent({ id: 'top', agents: { mid } }).stream('go', { resolveModel: script.resolveModel })
  const bytes = (chunks: readonly Chunk[]) => chunks.reduce((sum, chunk) => sum + JSON.stringify(chunk).length, 0)
  const flat = await chunksOf(stream.events)
  expect(bytes(flat)).toBeLessThan(3 * steps * size)
  expect(bytes(await chunksOf(stream.fullStream))).toBeLessThan(3 * steps * size)
  script.assertDone()
})

test('B8.5 a flat event costs at most 200 bytes beside its path and its content', async () => {
  const events = await chunksOf((await talker().stream('go')).events)
  for (const event of events) {
    const { path, payload, ...rest } = event
    expect(JSON.stringify({ ...rest, path: [], payload: {} }).length).toBeLessThan(200)
    if (event.type !== 'text-delta') continue
    const content = event.payload.text
    expect(JSON.stringify(event).length - JSON.stringify(path).length - JSON.stringify(content).length).toBeLessThan(
      200,
    )
  }
})
