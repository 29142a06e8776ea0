import { isDeepStrictEqual } from 'node:util'
import { Agent } from '../../src/agent/agent.ts'
import type { RunResult } from '../../src/agent/run-result.ts'
import type { Chunk } from '../../src/events/chunk.ts'
import { addUsage, noUsage } from '../../src/events/usage.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { promptProblems } from '../../src/testing/index.ts'
import { createTool } from '../../src/tools/create-tool.ts'
import { assert, type Property } from '../property.ts'
import { Random, seedOf } from '../random.ts'
import { assertNestedForm, assertOneStartAndFinish } from './run-shape.ts'

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
const NAMES: readonly unknown[] = [
  'echo',
  'boom',
  'child',
  'nope',
  'my tool!',
  '',
  '__proto__',
  'constructor',
  'x'.repeat(99),
]
const INPUTS: readonly unknown[] = [
  '{}',
  '',
  '{"a":1}',
  '{"a":',
  '[1]',
  'null',
  '"{}"',
  '{"__proto__":1}',
  '{"prompt":"go"}',
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
function fuzzedParts(random: Random): unknown[] {
  const pick = (list: readonly unknown[]): unknown => random.pick(random.chance(0.06) ? ODD : list)
  const makers: (() => unknown)[] = [
    () => ({ type: 'text-start', id: pick(IDS) }),
    () => ({ type: 'text-delta', id: pick(IDS), delta: pick(TEXTS) }),
    () => ({ type: 'text-delta', id: 'a', delta: random.chance(0.003) ? 'm'.repeat(1_000_000) : pick(TEXTS) }),
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
      providerExecuted: random.chance(0.2),
    }),
    () => ({ type: 'tool-call', toolCallId: pick(IDS), toolName: 'child', input: '{"prompt":"go"}' }),
    () => ({
      type: 'tool-result',
      toolCallId: pick(IDS),
      toolName: pick(NAMES),
      result: pick(TEXTS),
      isError: random.chance(0.3),
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
    () => random.pick(ODD),
  ]
  const parts = Array.from({ length: random.below(14) }, () => random.pick(makers)())
  const finish = (): unknown => ({
    type: 'finish',
    finishReason: pick(REASONS),
    usage: pick([{ inputTokens: 3, outputTokens: 2 }, { inputTokens: { total: 3 } }]),
  })
  if (random.chance(0.9)) parts.push(finish())
  if (random.chance(0.1)) parts.push(finish(), { type: 'text-delta', id: 'z', delta: 'after the end' })
  if (random.chance(0.1))
    parts.splice(random.below(parts.length + 1), 0, { type: 'error', error: pick([new Error('in the stream')]) })
  return parts
}

/** A model that answers the same prompt with the same nonsense, so that two runs of one seed are the same run. */
function fuzzedModel(seed: number, problems: string[]): LanguageModel {
  const doStream = async ({ prompt }: { prompt: never }): Promise<{ stream: ReadableStream<never> }> => {
    problems.push(...promptProblems(prompt))
    const random = new Random(seed ^ seedOf(JSON.stringify(prompt)))
    if (random.chance(0.03)) throw random.pick(ODD)
    const parts = fuzzedParts(random)
    const broken = random.chance(0.05)
    let next = 0
    return {
      stream: new ReadableStream<never>({
        pull(controller) {
          if (next < parts.length) controller.enqueue(parts[next++] as never)
          else if (broken) controller.error(random.pick(ODD))
          else controller.close()
        },
      }),
    }
  }
  const model = { specificationVersion: 'v4', provider: 'fuzz', modelId: 'fuzz', supportedUrls: {}, doStream }
  return model as unknown as LanguageModel
}

const tools = {
  echo: createTool({ id: 'echo', execute: (input) => input }),
  boom: createTool({ id: 'boom', execute: () => Promise.reject(new Error('boom')) }),
}

/** An agent with a child and a grandchild, all on such models. */
function agentOn(seed: number): { agent: Agent; problems: string[] } {
  const problems: string[] = []
  const options = { tools, maxRetries: 0, defaultOptions: { maxSteps: 3 } }
  const model = (level: number): LanguageModel => fuzzedModel(seed + level, problems)
  const grandchild = new Agent({ id: 'g', description: 'g', model: model(2), ...options })
  const child = new Agent({ id: 'c', description: 'c', model: model(1), agents: { child: grandchild }, ...options })
  return { agent: new Agent({ id: 'a', model: model(0), agents: { child }, ...options }), problems }
}

/** Ids and texts of a chunk must be texts whatever the provider sent. */
function assertTexts({ type, payload }: Chunk): void {
  const fields = payload as Record<string, unknown>
  for (const key of ['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta', 'messageId'])
    assert(!(key in fields) || typeof fields[key] === 'string', () => `${type}.${key} is ${String(fields[key])}`)
}

/** Every block and every streaming input of a run is opened before it goes on, and closed when its step ends. */
function assertBlocks(chunks: readonly Chunk[]): void {
  const open = new Set<string>()
  for (const { type, runId, payload } of chunks) {
    const { id, toolCallId } = payload as { id?: string; toolCallId?: string }
    const key = `${runId} ${type.startsWith('tool-call') ? `call ${toolCallId}` : `${type.split('-')[0]} ${id}`}`
    if (/^(text|reasoning)-start$|streaming-start$/.test(type)) {
      assert(!open.has(key), () => `${key} is opened twice`)
      open.add(key)
    } else if (/^(text|reasoning)-end$|streaming-end$/.test(type))
      assert(open.delete(key), () => `${key} is closed, and was not open`)
    else if (/-delta$/.test(type)) assert(open.has(key), () => `${key} goes on, and was not open`)
    else if (type === 'step-finish')
      assert(![...open].some((block) => block.startsWith(`${runId} `)), () => `${[...open]} are open at a step's end`)
  }
}

function assertSums(result: RunResult, chunks: readonly Chunk[]): void {
  const total = noUsage()
  const own = noUsage()
  for (const { usage } of result.steps) addUsage(own, usage)
  for (const chunk of chunks) if (chunk.type === 'step-finish') addUsage(total, chunk.payload.output.usage)
  assert(isDeepStrictEqual(result.usage, own), () => `usage ${JSON.stringify([result.usage, own])}`)
  assert(isDeepStrictEqual(result.totalUsage, total), () => `totalUsage ${JSON.stringify([result.totalUsage, total])}`)
}

/** R08's figure: whatever a model streams, its run is over in two seconds. */
const SETTLES_WITHIN_MS = 2000

export const fuzzedStreams: Property = {
  name: 'R08',
  unit: 'streams',
  async check(random, tally) {
    const seed = random.below(2 ** 31)
    const { agent, problems } = agentOn(seed)
    const begun = performance.now()
    const stream = await agent.stream('go', { runId: 'r' })
    const chunks: Chunk[] = []
    for await (const chunk of stream.events) chunks.push(chunk)
    const result = await stream.result
    const took = performance.now() - begun
    assert(took < SETTLES_WITHIN_MS, () => `it took ${took} ms`)
    assertOneStartAndFinish(chunks, 'a')
    await assertNestedForm(stream, chunks)
    for (const chunk of chunks) assertTexts(chunk)
    assertBlocks(chunks)
    assertSums(result, chunks)
    const own = chunks.filter(({ runId }) => runId === 'r')
    const lastStep = own.slice(own.findLastIndex(({ type }) => type === 'step-start'))
    const text = lastStep.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('')
    assert(result.text === text, () => `the text is ${JSON.stringify(result.text)}, not ${JSON.stringify(text)}`)
    assert(problems.length === 0, () => `a strict model refuses the prompt: ${problems.join(' ')}`)
    JSON.stringify(chunks)
    const generated: unknown = await agentOn(seed)
      .agent.generate('go', { runId: 'r' })
      .catch((error: unknown) => error)
    if (result.finishReason === 'error') {
      const { code } = generated as { code?: string }
      assert(code === result.error?.code, () => `generate rejects with ${code}, stream ends with ${result.error?.code}`)
    } else {
      const same = isDeepStrictEqual(withoutThreads(generated), withoutThreads(result))
      assert(same, () => 'generate gives another result than stream')
    }
    tally(result.finishReason)
    tally('with delegations', Number(chunks.some(({ path }) => path.length > 1)))
    tally('three levels deep', Number(chunks.some(({ path }) => path.length > 2)))
  },
}

/** A result without the ids of its delegations' threads, which are new each time. */
function withoutThreads(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutThreads)
  if (typeof result !== 'object' || result === null || result instanceof Error) return result
  const fields = Object.entries(result).filter(([name]) => !['subAgentThreadId', 'subAgentResourceId'].includes(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutThreads(value)]))
}
