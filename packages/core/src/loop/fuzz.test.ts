import { afterAll, beforeAll, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { RunResult } from '../agent/run-result.ts'
import type { Chunk } from '../events/chunk.ts'
import type { LanguageModel } from '../model/language-model.ts'
import { promptProblems, scriptedModel } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'

/** A small seeded generator (mulberry32): the same seed gives the same streams. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const ODD: readonly unknown[] = [
  undefined,
  null,
  5,
  Number.NaN,
  true,
  {},
  [],
  1n,
  Symbol('odd'),
  () => 1,
  new Date(Number.NaN),
]
const IDS: readonly unknown[] = ['a', 'b', 'c', '', '__proto__', 'constructor']
const TEXTS: readonly unknown[] = [
  '',
  ' ',
  '\n\n',
  'hello',
  '\0',
  '\ud83d',
  '\ude00',
  '😀',
  '[retinue] x',
  'x'.repeat(5000),
]
const NAMES: readonly unknown[] = ['echo', 'boom', 'nope', 'my tool!', '', '__proto__', 'constructor', 'x'.repeat(99)]
const INPUTS: readonly unknown[] = [
  '{}',
  '',
  '{"a":1}',
  '{"a":',
  '[1]',
  'null',
  '"{}"',
  '{"__proto__":1}',
  { a: 1 },
  '{"a":"\\ud83d"}',
]
const REASONS: readonly unknown[] = [
  'stop',
  'length',
  'tool-calls',
  'content-filter',
  'error',
  'other',
  'new',
  { unified: 'stop', raw: 'x' },
  { unified: 'tool-calls', raw: 'x' },
  undefined,
]

/** The parts of one model call: every kind, in any order, with anything in its fields. */
function fuzzedParts(random: () => number): unknown[] {
  const pick = (list: readonly unknown[]): unknown => (random() < 0.06 ? pickFrom(ODD) : pickFrom(list))
  const pickFrom = (list: readonly unknown[]): unknown => list[Math.floor(random() * list.length)]
  const makers: (() => unknown)[] = [
    () => ({ type: 'text-start', id: pick(IDS) }),
    () => ({ type: 'text-delta', id: pick(IDS), delta: pick(TEXTS) }),
    () => ({ type: 'text-delta', id: 'a', delta: pick(TEXTS) }),
    () => ({ type: 'text-end', id: pick(IDS) }),
    () => ({ type: 'reasoning-start', id: pick(IDS), providerMetadata: pick([{ x: { y: 1 } }]) }),
    () => ({ type: 'reasoning-delta', id: pick(IDS), delta: pick(TEXTS) }),
    () => ({ type: 'reasoning-end', id: pick(IDS) }),
    () => ({ type: 'tool-input-start', id: pick(IDS), toolName: pick(NAMES) }),
    () => ({ type: 'tool-input-delta', id: pick(IDS), delta: pick(TEXTS) }),
    () => ({ type: 'tool-input-end', id: pick(IDS) }),
    () => ({
      type: 'tool-call',
      toolCallId: pick(IDS),
      toolName: pick(NAMES),
      input: pick(INPUTS),
      providerExecuted: random() < 0.2,
    }),
    () => ({
      type: 'tool-result',
      toolCallId: pick(IDS),
      toolName: pick(NAMES),
      result: pick(TEXTS),
      isError: random() < 0.3,
    }),
    () => ({
      type: 'source',
      sourceType: pick(['url', 'document']),
      id: pick(IDS),
      url: pick(['https://example.com']),
      title: pick(TEXTS),
    }),
    () => ({
      type: 'file',
      mediaType: pick(['image/png']),
      data: pick(['AAAA', new Uint8Array(2), { type: 'url', url: 'nonsense' }, { type: 'data', data: 'AA==' }]),
    }),
    () => ({ type: 'stream-start', warnings: pick([[], [{ type: 'other', message: 'w' }]]) }),
    () => ({ type: 'response-metadata', id: pick(IDS), modelId: pick(IDS), timestamp: pick([new Date(0)]) }),
    () => ({ type: 'custom', kind: 'x.y', providerMetadata: pick([{}]) }),
    () => ({ type: pick(['raw', 'ping', 'brand-new', 'toString']), rawValue: 1 }),
    () => pickFrom(ODD),
  ]
  const parts = Array.from({ length: Math.floor(random() * 14) }, () => (pickFrom(makers) as () => unknown)())
  const finish = (): unknown => ({
    type: 'finish',
    finishReason: pick(REASONS),
    usage: pick([{ inputTokens: 3, outputTokens: 2 }, { inputTokens: { total: 3 } }]),
  })
  if (random() < 0.9) parts.push(finish())
  if (random() < 0.1) parts.push(finish(), { type: 'text-delta', id: 'z', delta: 'after the end' })
  if (random() < 0.1)
    parts.splice(Math.floor(random() * (parts.length + 1)), 0, {
      type: 'error',
      error: pick([new Error('in the stream')]),
    })
  return parts
}

function fuzzedModel(seed: number): { model: LanguageModel; problems: string[] } {
  const random = randomOf(seed)
  const problems: string[] = []
  const doStream = async ({ prompt }: { prompt: never }): Promise<{ stream: ReadableStream<never> }> => {
    problems.push(...promptProblems(prompt))
    if (random() < 0.03) throw ODD[Math.floor(random() * ODD.length)]
    const parts = fuzzedParts(random)
    const broken = random() < 0.05
    let next = 0
    return {
      stream: new ReadableStream<never>({
        pull(controller) {
          if (next < parts.length) controller.enqueue(parts[next++] as never)
          else if (broken) controller.error(ODD[Math.floor(random() * ODD.length)])
          else controller.close()
        },
      }),
    }
  }
  const model = { specificationVersion: 'v4', provider: 'fuzz', modelId: String(seed), supportedUrls: {}, doStream }
  return { model: model as unknown as LanguageModel, problems }
}

const tools = {
  echo: createTool({ id: 'echo', execute: (input) => input }),
  boom: createTool({ id: 'boom', execute: () => Promise.reject(new Error('boom')) }),
}

function agentOn(seed: number): { agent: Agent; problems: string[] } {
  const { model, problems } = fuzzedModel(seed)
  return {
    agent: new Agent({ id: 'a', model, tools, maxRetries: 0, defaultOptions: { maxSteps: 3, runId: 'r' } }),
    problems,
  }
}

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason)
}
beforeAll(() => {
  process.on('unhandledRejection', onUnhandled)
})
afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
})

/** Ids and texts of a chunk that must be texts whatever the provider sent. */
function assertTexts(chunk: Chunk): void {
  const payload = chunk.payload as Record<string, unknown>
  for (const key of ['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta', 'messageId'])
    if (key in payload) expect(typeof payload[key], `${chunk.type}.${key}`).toBe('string')
}

/** Every block and every streaming input is opened before it goes on, and closed at the end. */
function assertNested(chunks: readonly Chunk[]): void {
  const open = new Set<string>()
  for (const { type, payload } of chunks) {
    const { id, toolCallId } = payload as { id?: string; toolCallId?: string }
    const key = type.startsWith('tool-call') ? `call ${toolCallId}` : `${type.split('-')[0]} ${id}`
    if (/^(text|reasoning)-start$|streaming-start$/.test(type)) {
      expect(open.has(key), `${key} opened twice`).toBe(false)
      open.add(key)
    } else if (/^(text|reasoning)-end$|streaming-end$/.test(type)) expect(open.delete(key), `${key} closed`).toBe(true)
    else if (/-delta$/.test(type)) expect(open.has(key), `${key} goes on`).toBe(true)
    else if (type === 'step-finish') expect([...open]).toEqual([])
  }
}

async function check(seed: number): Promise<RunResult> {
  const { agent, problems } = agentOn(seed)
  const stream = await agent.stream('go')
  const chunks: Chunk[] = []
  for await (const chunk of stream.events) chunks.push(chunk)
  const result = await stream.result
  const types = chunks.map(({ type }) => type)
  expect([types[0], types.at(-1)]).toEqual(['start', 'finish'])
  expect(types.filter((type) => type === 'start' || type === 'finish')).toHaveLength(2)
  for (const chunk of chunks) assertTexts(chunk)
  assertNested(chunks)
  const lastStep = chunks.slice(types.lastIndexOf('step-start'))
  expect(result.text).toBe(lastStep.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join(''))
  for (const step of result.steps) expect(step.toolResults.length).toBeLessThanOrEqual(step.toolCalls.length)
  expect(result.usage.inputTokens).toBe(result.steps.reduce((sum, { usage }) => sum + usage.inputTokens, 0))
  expect(problems).toEqual([])
  expect(() => JSON.stringify(chunks)).not.toThrow()
  return result
}

test('B8.4 R08 whatever a model streams: one start, one finish, generate ≡ stream, nothing unhandled', async () => {
  const seeds = process.env['FUZZ_SEEDS'] ? Number(process.env['FUZZ_SEEDS']) : 500
  const reasons = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      const streamed = await check(seed)
      reasons.add(streamed.finishReason)
      const generated = await agentOn(seed)
        .agent.generate('go')
        .catch((error: unknown) => error)
      if (streamed.finishReason === 'error') expect(generated).toMatchObject({ code: streamed.error?.code })
      else expect(generated).toEqual(streamed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
  expect([...reasons].sort()).toEqual(['content-filter', 'error', 'length', 'max-steps', 'other', 'stop'])
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
