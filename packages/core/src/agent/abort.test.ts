import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { cancelAnywhere } from '../../test-support/properties/cancel-anywhere.ts'
import { holds } from '../../test-support/property.ts'
import type { Chunk } from '../events/chunk.ts'
import { promptProblems, type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'
import type { Tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'
import type { RunStream } from './run-stream.ts'

const never = new Promise<never>(() => {})
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const delegate = (name: string): ScriptedTurn => ({ calls: [{ name, args: { prompt: 'x' } }] })

async function chunksOf(stream: RunStream): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream.events) chunks.push(chunk)
  return chunks
}

/** One start and one finish a run, a child's before its parent's, and at the end `abort` and `finish` of the root. */
function assertEnded(chunks: readonly Chunk[]): void {
  const runs = new Set(chunks.map(({ runId }) => runId))
  for (const run of runs) {
    const types = chunks.filter(({ runId }) => runId === run).map(({ type }) => type)
    expect(types.filter((type) => type === 'start')).toHaveLength(1)
    expect(types.filter((type) => type === 'finish')).toHaveLength(1)
    expect(types.at(-1)).toBe('finish')
  }
  expect(chunks.slice(-2).map(({ type }) => type)).toEqual(['abort', 'finish'])
  expect(chunks.at(-1)).toMatchObject({ path: ['top'], payload: { stepResult: { reason: 'aborted' } } })
}

/** A tree of three agents; the leaf's model plays `turns`. */
function tree(turns: readonly ScriptedTurn[], tools: Record<string, Tool> = {}) {
  const script = scriptedModels({ top: [delegate('mid')], 'top/mid': [delegate('leaf')], 'top/mid/leaf': turns })
  const leaf = new Agent({ id: 'leaf', description: 'l', tools })
  const mid = new Agent({ id: 'mid', description: 'm', agents: { leaf } })
  return { top: new Agent({ id: 'top', agents: { mid } }), script }
}

/** When the caller's signal is aborted, at the third level: what the leaf does then, and how many calls each level has made. */
const moments: [string, (abort: () => void) => { turns: ScriptedTurn[]; tools?: Record<string, Tool> }, number[]][] = [
  [
    'in a model call',
    (abort) => ({
      turns: [
        () => {
          setImmediate(abort)
          return { text: 'late', after: never }
        },
      ],
    }),
    [1, 1, 1],
  ],
  [
    'in a tool',
    (abort) => ({
      turns: [{ calls: [{ name: 'hang', args: {} }] }],
      tools: {
        hang: createTool({
          id: 'hang',
          execute: () => {
            setImmediate(abort)
            return never
          },
        }),
      },
    }),
    [1, 1, 1],
  ],
  [
    'between two steps',
    (abort) => ({
      turns: [{ calls: [{ name: 'last', args: {} }] }],
      tools: { last: createTool({ id: 'last', execute: abort }) },
    }),
    [1, 1, 1],
  ],
  [
    'while an approval is looked up',
    (abort) => ({
      turns: [{ calls: [{ name: 'gated', args: {} }] }],
      tools: {
        gated: createTool({
          id: 'gated',
          requireApproval: () => {
            setImmediate(abort)
            return never
          },
          execute: () => expect.unreachable(),
        }),
      },
    }),
    [1, 1, 1],
  ],
  [
    'before the start',
    (abort) => {
      abort()
      return { turns: [] }
    },
    [0, 0, 0],
  ],
]

test.each(moments)(
  'B7.7 S12 three levels, aborted %s: one end, no call after it, nothing told as done, no listener left',
  async (_when, make, made) => {
    const controller = new AbortController()
    const { turns, tools } = make(() => controller.abort())
    const { top, script } = tree(turns, tools)
    const stream = await top.stream('go', { resolveModel: script.resolveModel, abortSignal: controller.signal })
    const result = await stream.result
    const chunks = await chunksOf(stream)
    assertEnded(chunks)
    const counts = () => ['top', 'top/mid', 'top/mid/leaf'].map((path) => script.calls(path).length)
    await settle()
    expect([result.finishReason, counts(), await chunksOf(stream)]).toEqual(['aborted', made, chunks])
    for (const path of ['top', 'top/mid', 'top/mid/leaf'])
      for (const { options } of script.calls(path)) expect(options.abortSignal?.aborted).toBe(true)
    // What a child had not ended is no success: not for its parent, and not in what is kept.
    const ends = chunks.flatMap((chunk) => (chunk.type === 'delegation-end' ? [chunk.payload.status] : []))
    expect(ends).toEqual(made[2] === 0 ? [] : ['cancelled', 'cancelled'])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  },
)

test('B7.7 a signal that is aborted before the start: no model is called, and the run ends with abort and finish', async () => {
  const model = scriptedModel([])
  const agent = new Agent({ id: 'top', model })
  const abortSignal = AbortSignal.abort('not today')
  const stream = await agent.stream('go', { abortSignal })
  const chunks = await chunksOf(stream)
  expect(chunks.map(({ type }) => type)).toEqual(['start', 'abort', 'finish'])
  expect(chunks[1]?.payload).toEqual({ reason: 'not today' })
  const result = await agent.generate('go', { abortSignal })
  expect([result.finishReason, result.error, result.usage.calls, model.calls.length]).toEqual([
    'aborted',
    undefined,
    0,
    0,
  ])
})

test('B7.7 a model call that ignores the signal is not waited for, at any depth', async () => {
  const { top, script } = tree([{ text: 'late', after: never }])
  const stream = await top.stream('go', { resolveModel: script.resolveModel })
  await settle()
  expect(script.calls('top/mid/leaf')[0]?.options.abortSignal?.aborted).toBe(false)
  stream.abort()
  for (const path of ['top', 'top/mid', 'top/mid/leaf'])
    expect(script.calls(path)[0]?.options.abortSignal?.aborted).toBe(true)
  assertEnded(await chunksOf(stream))
  // Every call that was made is counted, the one that broke off too.
  expect((await stream.totalUsage).calls).toBe(3)
  script.assertDone()
})

test('B7.7 a stream that stands still is not waited for; it is cancelled, and what it said is kept', async () => {
  let cancelled = false
  const model = scriptedModel([])
  model.doStream = async () => ({
    stream: new ReadableStream({
      start: (controller) => controller.enqueue({ type: 'text-delta', id: 't', delta: 'so far' }),
      pull: () => never,
      cancel: () => {
        cancelled = true
        return never
      },
    }),
  })
  const stream = await new Agent({ id: 'top', model }).stream('go')
  await settle()
  stream.abort()
  assertEnded(await chunksOf(stream))
  expect([await stream.text, cancelled]).toEqual(['so far', true])
})

test('B7.7 a tool that ignores the signal is not waited for, and one that heeds it is told', async () => {
  let signal: AbortSignal | undefined
  const hang = createTool({
    id: 'hang',
    execute: (_input, { abortSignal }) => {
      signal = abortSignal
      return never
    },
  })
  const { top, script } = tree([{ text: 'so far', calls: [{ name: 'hang', args: {} }] }], { hang })
  const stream = await top.stream('go', { resolveModel: script.resolveModel })
  await settle()
  stream.abort()
  expect(signal?.aborted).toBe(true)
  const chunks = await chunksOf(stream)
  assertEnded(chunks)
  expect(chunks.find(({ type }) => type === 'tool-error')).toMatchObject({
    payload: { error: { code: 'tool-not-run' } },
  })
})

test('B7.7 a check of arguments that hangs is not waited for, and its tool does not start', async () => {
  const decided = Promise.withResolvers<boolean>()
  let ran = false
  const slow = createTool({
    id: 'slow',
    inputSchema: z.object({ a: z.string().refine(() => decided.promise) }),
    execute: () => {
      ran = true
    },
  })
  const model = scriptedModel([{ calls: [{ name: 'slow', args: { a: 'x' } }] }])
  const stream = await new Agent({ id: 'top', model, tools: { slow } }).stream('go')
  await settle()
  stream.abort()
  assertEnded(await chunksOf(stream))
  decided.resolve(true)
  await settle()
  expect(ran).toBe(false)
})

test('B7.7 a child whose own functions hang while it begins is not waited for', async () => {
  const script = scriptedModels({ top: [delegate('mid')] })
  const mid = new Agent({ id: 'mid', description: 'm', instructions: () => never })
  const stream = await new Agent({ id: 'top', agents: { mid } }).stream('go', { resolveModel: script.resolveModel })
  await settle()
  stream.abort()
  assertEnded(await chunksOf(stream))
})

test('B7.7 what was done so far is kept, and is a valid conversation to go on from', async () => {
  const done = createTool({ id: 'done', execute: () => 'done it' })
  const hang = createTool({ id: 'hang', execute: () => never })
  const calls = [
    { name: 'done', args: {} },
    { name: 'hang', args: {} },
    { name: 'queued', args: {} },
  ]
  const model = scriptedModel([{ text: 'so far', calls }])
  const tools = { done, hang, queued: done }
  const stream = await new Agent({ id: 'top', model, tools }).stream('go', { toolCallConcurrency: 2 })
  await settle()
  stream.abort()
  const result = await stream.result
  expect([result.text, result.finishReason, result.usage.totalTokens]).toEqual(['so far', 'aborted', 15])
  expect(result.toolResults.map(({ result: value, error }) => error?.code ?? value)).toEqual([
    'done it',
    'tool-not-run',
    'done it',
  ])
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }, ...result.response.messages]
  expect(promptProblems(prompt as never)).toEqual([])
})

test('B7.7 an abort between two steps: the next model call is not made', async () => {
  const controller = new AbortController()
  const stop = createTool({ id: 'stop', execute: () => controller.abort() })
  const model = scriptedModel([{ calls: [{ name: 'stop', args: {} }] }])
  const agent = new Agent({ id: 'top', model, tools: { stop } })
  const result = await agent.generate('go', { abortSignal: controller.signal })
  expect([result.finishReason, result.toolCalls.length]).toEqual(['aborted', 1])
  model.assertDone()
})

test('B7.7 a model that answers an abort with its error, or with a normal end, leads to the same end', async () => {
  const turns: ((abort: () => void) => ScriptedTurn)[] = [
    (abort) => () => {
      abort()
      return new DOMException('aborted', 'AbortError')
    },
    (abort) => () => {
      abort()
      return { text: 'done all the same' }
    },
  ]
  for (const turn of turns) {
    const controller = new AbortController()
    const model = scriptedModel([turn(() => controller.abort())])
    const result = await new Agent({ id: 'top', model }).generate('go', { abortSignal: controller.signal })
    expect([result.finishReason, result.error, result.text]).toEqual(['aborted', undefined, ''])
  }
})

test('B7.7 an AbortError that the run’s own signal did not cause is an error, not an abort', async () => {
  const model = scriptedModel([new DOMException('the provider gave up', 'AbortError')])
  const stream = await new Agent({ id: 'top', model }).stream('go')
  expect([await stream.finishReason, (await stream.error)?.code]).toEqual(['error', 'model-call-failed'])
})

test('B7.7 the caller’s signal keeps no listener, however the run ends', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const run = (turns: readonly ScriptedTurn[], options = {}) =>
    new Agent({ id: 'top', model: scriptedModel(turns), ...options })
      .generate('go', { abortSignal: signal })
      .catch(() => {})
  await run([{ text: 'hi' }])
  await run([new Error('broken')])
  await run([], { instructions: 5 as never })
  await run([], { tools: () => Promise.reject(new Error('no tools')) })
  await new Agent({ id: 'top' }).generate('go', { abortSignal: signal }).catch(() => {})
  expect(getEventListeners(signal, 'abort')).toEqual([])
  const stream = await new Agent({ id: 'top', model: scriptedModel([{ text: 'x', after: never }]) }).stream('go', {
    abortSignal: signal,
  })
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  controller.abort()
  await stream.result
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('B7.7 a reader that leaves ends nothing', async () => {
  const stream = await new Agent({ id: 'top', model: scriptedModel([{ text: ['a', 'b', 'c'] }]) }).stream('go')
  for await (const _chunk of stream.fullStream) break
  const reader = stream.fullStream.getReader()
  await reader.read()
  await reader.cancel()
  expect([await stream.text, await stream.finishReason]).toEqual(['abc', 'stop'])
})

test('B7.7 R09 a run is aborted at any chunk, by its signal or its stream: all depths see it, nothing begins after it, and nothing is left', async () => {
  const kinds = await holds(cancelAnywhere, { seed: 5, count: 2 })
  expect(kinds['points']).toBeGreaterThan(100)
  for (const kind of ['aborted by signal', 'aborted by stream', 'seen at depth 1', 'seen at depth 2'])
    expect(kinds[kind], kind).toBeGreaterThan(20)
})
