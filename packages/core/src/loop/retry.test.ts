import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { RunOptions } from '../agent/run-options.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/index.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What a provider's package throws for an HTTP status. */
function http(statusCode: number, responseHeaders?: Record<string, string>): Error {
  return Object.assign(new Error(`status ${statusCode} for key sk-abcdef123456`), { statusCode, responseHeaders })
}

function network(code: string): Error {
  return Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) })
}

const times = <T>(count: number, turn: T): T[] => Array.from({ length: count }, () => turn)

/** Runs an agent on models that play these turns, to its end, and tells how often each was called and how long it took. */
async function run(lists: readonly (readonly ScriptedTurn[])[], options: RunOptions = {}) {
  const models = lists.map((turns, index) => scriptedModel(turns, `m${index}`))
  const from = Date.now()
  const stream = await new Agent({ id: 'a', model: models }).stream('go', options)
  await vi.runAllTimersAsync()
  const result = await stream.result
  for (const model of models) model.assertDone()
  return { result, calls: models.map((model) => model.calls.length), took: Date.now() - from }
}

test('B1.8 what can pass is tried maxRetries + 1 times in total, and no more', async () => {
  const passing = [http(429), http(500), http(503), http(408), network('ECONNRESET'), network('UND_ERR_SOCKET')]
  passing.push(Object.assign(new Error('slow'), { name: 'TimeoutError' }))
  for (const error of passing) {
    expect((await run([times(3, error)])).calls, String(error)).toEqual([3])
    expect((await run([times(4, error)], { maxRetries: 3 })).calls).toEqual([4])
    expect((await run([[error]], { maxRetries: 0 })).calls).toEqual([1])
    expect((await run([[error, { text: 'hi' }]])).result.text).toBe('hi')
  }
})

test('B1.8 other client errors are tried once, and go to the next fallback at once', async () => {
  for (const status of [400, 401, 403, 404, 422]) {
    const { calls, took, result } = await run([[http(status)], [{ text: 'stood in' }]])
    expect([calls, took, result.text]).toEqual([[1, 1], 0, 'stood in'])
    expect((await run([[http(status)]])).calls).toEqual([1])
  }
  expect((await run([[new Error('a bug in the provider')], [{ text: 'stood in' }]])).calls).toEqual([1, 1])
})

test('B1.8 each model has its own attempts, then the next is asked; the last error is the run’s', async () => {
  const { calls, result } = await run([times(3, http(500)), times(3, http(429)), [http(401)]])
  expect([calls, result.finishReason, result.error?.code]).toEqual([[3, 3, 1], 'error', 'model-call-failed'])
  expect(result.error?.data['status']).toBe(401)
  // Every call that was made is counted.
  expect(result.usage).toMatchObject({ calls: 7, unreportedCalls: 7, totalTokens: 0 })
})

test('B1.8 the waiting is a second, doubled each time, or what retry-after says', async () => {
  expect((await run([times(4, http(500))], { maxRetries: 3 })).took).toBe(1000 + 2000 + 4000)
  const asked = async (headers: Record<string, string>) => (await run([[http(429, headers), { text: 'hi' }]])).took
  expect(await asked({ 'retry-after': '7' })).toBe(7000)
  expect(await asked({ 'retry-after-ms': '120' })).toBe(120)
  expect(await asked({ 'retry-after': new Date(Date.now() + 9000).toUTCString() })).toBeGreaterThan(7000)
  expect(await asked({ 'retry-after': 'soon' })).toBe(1000)
  expect(await asked({ 'retry-after': '-5' })).toBe(1000)
  expect(await asked({ 'retry-after': '86400' })).toBe(60_000)
})

/**
 * Failures, and how often a model that answers with nothing else is tried under `maxRetries: 3`; how long it is waited, in milliseconds.
 */
const forever = new Promise<never>(() => {})
const backoff = 1000 + 2000 + 4000
const failures: [string, ScriptedTurn, tries: number, waited: number][] = [
  ['401', http(401), 1, 0],
  ['403', http(403), 1, 0],
  ['429 with retry-after', http(429, { 'retry-after': '5' }), 4, 3 * 5000],
  ['500', http(500), 4, backoff],
  ['ECONNRESET', network('ECONNRESET'), 4, backoff],
  ['a time-out of its own', Object.assign(new Error('slow'), { name: 'TimeoutError' }), 4, backoff],
  ['silence until stepMs', { after: forever }, 4, 4 * 50 + backoff],
]

describe.each(failures)('B1.8 S22 %s', (_what, failure, tries, waited) => {
  const options: RunOptions = { maxRetries: 3, timeout: { stepMs: 50 } }

  test('alone: so many calls and no more', async () => {
    const { calls, took, result } = await run([times(tries, failure)], options)
    expect([calls, took, result.finishReason]).toEqual([[tries], waited, 'error'])
  })

  test('with a fallback: the same, then one call of the next', async () => {
    const { calls, took, result } = await run([times(tries, failure), [{ text: 'stood in' }]], options)
    expect([calls, took, result.text]).toEqual([[tries, 1], waited, 'stood in'])
    expect(result.usage.calls).toBe(tries + 1)
  })

  test('with fallbacks that all fail: each has its own attempts', async () => {
    const { calls, took } = await run([times(tries, failure), times(tries, failure), times(tries, failure)], options)
    expect([calls, took]).toEqual([[tries, tries, tries], 3 * waited])
  })

  test('in a nested agent: its attempts are its own, and its parent’s model is not asked again for them', async () => {
    const models = [scriptedModel(times(tries, failure), 'first'), scriptedModel(times(tries, failure), 'second')]
    const ask = (name: string): ScriptedTurn => ({ calls: [{ name, args: { prompt: 'x' } }] })
    const mid = scriptedModel([ask('leaf'), { text: 'mid' }], 'mid')
    const top = scriptedModel([ask('mid'), { text: 'done' }], 'top')
    const leaf = new Agent({ id: 'leaf', description: 'l', model: models, defaultOptions: options })
    const agents = { mid: new Agent({ id: 'mid', description: 'm', model: mid, agents: { leaf } }) }
    const stream = await new Agent({ id: 'a', model: top, agents, maxRetries: 3 }).stream('go')
    await vi.runAllTimersAsync()
    expect((await stream.result).text).toBe('done')
    expect([...models, mid, top].map(({ calls }) => calls.length)).toEqual([tries, tries, 2, 2])
    expect((await stream.totalUsage).calls).toBe(2 * tries + 4)
  })

  test('an abort ends it: no attempt after it, and no clock is left', async () => {
    const model = scriptedModel([failure], 'only')
    const stream = await new Agent({ id: 'a', model: [model, scriptedModel([], 'next')] }).stream('go', {
      ...options,
      maxRetries: tries - 1,
    })
    // The first attempt is over, or under way where it is silent; a model that refuses at once has handed over by then.
    if (tries === 1) return stream.abort()
    await vi.advanceTimersByTimeAsync(10)
    stream.abort()
    expect([(await stream.result).finishReason, model.calls.length, vi.getTimerCount()]).toEqual(['aborted', 1, 0])
  })
})

const parts = (...list: unknown[]): ScriptedTurn => ({ parts: list as LanguageModelV4StreamPart[] })

test('B1.8 an error part of the stream before the first content is tried again as well', async () => {
  const errors = [
    { statusCode: 500 },
    { type: 'overloaded_error', message: 'Overloaded' },
    { error: { type: 'rate_limit_error', message: 'slow down' } },
    { type: 'server_error', code: 'rate_limit_exceeded' },
    { code: 503, status: 'UNAVAILABLE' },
  ]
  for (const error of errors) {
    const broken = parts(
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'error', error },
    )
    expect((await run([[broken, { text: 'hi' }]])).calls, JSON.stringify(error)).toEqual([2])
    expect((await run([times(3, broken)])).calls).toEqual([3])
  }
  const refused = parts({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } })
  expect((await run([[refused]])).calls).toEqual([1])
})

test('B1.8 a stream that ends before it said anything is tried again', async () => {
  const { calls, result } = await run([times(3, parts({ type: 'stream-start', warnings: [] }))])
  expect([calls, result.error?.code]).toEqual([[3], 'model-stream-incomplete'])
})

test('B1.8 after the first content nothing is tried again, and what was said is kept', async () => {
  const contents = [
    [{ type: 'text-delta', id: 't', delta: 'so far' }],
    [{ type: 'reasoning-delta', id: 'r', delta: 'hm' }],
    [{ type: 'tool-input-start', id: 'c', toolName: 'x' }],
    [{ type: 'tool-call', toolCallId: 'c', toolName: 'x', input: '{}' }],
    [{ type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' }],
    [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }],
  ]
  for (const content of contents) {
    for (const end of [[{ type: 'error', error: { statusCode: 500 } }], []]) {
      const { calls, result } = await run([[parts(...content, ...end)], []])
      expect([calls, result.finishReason]).toEqual([[1, 0], 'error'])
    }
  }
  expect((await run([[parts(...(contents[0] ?? []))]])).result.text).toBe('so far')
})

test('B1.8 an attempt that failed leaves nothing in the stream', async () => {
  const model = scriptedModel([
    parts({ type: 'text-start', id: 't' }, { type: 'error', error: http(500) }),
    { text: 'hi' },
  ])
  const stream = await new Agent({ id: 'a', model }).stream('go')
  await vi.runAllTimersAsync()
  const types: string[] = []
  for await (const { type } of stream.events) types.push(type)
  expect(types).toEqual(['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'])
})

test('B1.8 an abort ends the waiting, and no call is made after it', async () => {
  const model = scriptedModel([http(429, { 'retry-after': '30' })])
  const stream = await new Agent({ id: 'a', model: [model, scriptedModel([])] }).stream('go')
  await vi.advanceTimersByTimeAsync(10)
  stream.abort()
  const result = await stream.result
  expect([result.finishReason, model.calls.length, result.usage.calls]).toEqual(['aborted', 1, 1])
  await vi.runAllTimersAsync()
  model.assertDone()
})

test('B1.8 a child’s retries do not multiply with its parent’s', async () => {
  const child = scriptedModel(times(3, http(500)), 'child')
  const top = scriptedModel([{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }])
  const agents = { child: new Agent({ id: 'child', description: 'c', model: child }) }
  const stream = await new Agent({ id: 'a', model: top, agents }).stream('go')
  await vi.runAllTimersAsync()
  expect([(await stream.result).text, child.calls.length]).toEqual(['done', 3])
})

test('B12.2 the provider’s words are kept without keys, its raw error as the cause', async () => {
  const raw = http(401)
  const { result } = await run([[raw]])
  expect(result.error?.cause).toBe(raw)
  expect(result.error?.message).toContain('status 401')
  expect(JSON.stringify(result.error) + result.error?.message).not.toContain('sk-abcdef123456')
  expect(result.error?.hint).toContain('key')
})

test('B1.10 a conversation that is too long for the model is a typed error, whoever says it in which words', async () => {
  const said = [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size',
  ]
  for (const message of said) {
    for (const error of [Object.assign(new Error(message), { statusCode: 400 }), { message, code: 'x' }]) {
      const { result, calls } = await run([[error instanceof Error ? error : parts({ type: 'error', error })]])
      expect([result.error?.code, calls], message).toEqual(['context-too-long', [1]])
      expect(result.error?.hint).toContain('lastMessages')
    }
  }
  const body = Object.assign(new Error('Bad Request'), {
    statusCode: 400,
    responseBody: '{"code":"context_length_exceeded"}',
  })
  expect((await run([[body]])).result.error?.code).toBe('context-too-long')
  const limited = Object.assign(new Error('too many tokens per minute'), { statusCode: 429 })
  expect((await run([times(3, limited)])).result.error?.code).toBe('model-call-failed')
})
