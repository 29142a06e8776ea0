import type { LanguageModelV2, LanguageModelV2StreamPart, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { AgentInput } from '../messages/from-input.ts'
import { createTool } from '../tools/create-tool.ts'
import type { LanguageModel } from './language-model.ts'
import { finishOf, usageOf } from './stream-part.ts'

type Version = 'v2' | 'v3' | 'v4'
type Asked = { prompt: { role: string; content: unknown }[]; tools?: unknown; toolChoice?: unknown }

/** A model of a version of the specification that streams these lists of parts, and what it was asked. */
/** Files by URL are this model's own to fetch. */
const supportedUrls = { '*/*': [/.*/] }

function modelOf(version: Version, turns: readonly (readonly unknown[])[]): { model: LanguageModel; asked: Asked[] } {
  const asked: Asked[] = []
  const doStream = async (options: unknown): Promise<{ stream: ReadableStream<never> }> => {
    asked.push(options as Asked)
    return { stream: convertArrayToReadableStream([...(turns[asked.length - 1] ?? [])]) as ReadableStream<never> }
  }
  if (version === 'v4')
    return { model: new MockLanguageModelV4({ provider: 'mock', modelId: 'm', supportedUrls, doStream }), asked }
  if (version === 'v3')
    return { model: new MockLanguageModelV3({ provider: 'mock', modelId: 'm', supportedUrls, doStream }), asked }
  const model: LanguageModelV2 = {
    specificationVersion: 'v2',
    provider: 'mock',
    modelId: 'm',
    supportedUrls,
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream,
  }
  return { model, asked }
}

/** The `finish` part of each version. */
function finishPart(version: Version, reason: string): unknown {
  if (version === 'v2') {
    const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18, reasoningTokens: 3, cachedInputTokens: 4 }
    return { type: 'finish', finishReason: reason, usage } as LanguageModelV2StreamPart
  }
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: 'raw' },
    usage: {
      inputTokens: { total: 11, noCache: 7, cacheRead: 4, cacheWrite: 0 },
      outputTokens: { total: 7, text: 4, reasoning: 3 },
    },
  } as LanguageModelV3StreamPart
}

const png = 'iVBORw=='
const input: AgentInput = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'see' },
      { type: 'image', image: `data:image/png;base64,${png}` },
      { type: 'file', data: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
      { type: 'file', data: { type: 'text', text: 'notes' }, mediaType: 'text/plain' },
    ],
  },
]

for (const version of ['v2', 'v3', 'v4'] as const) {
  describe(`B1.2 a model object of specification ${version}`, () => {
    const start = { type: 'stream-start', warnings: [{ type: 'unsupported-setting', setting: 'seed' }] }
    const facts = { type: 'response-metadata', id: 'r1', modelId: 'm-1', timestamp: new Date(0) }

    test('answers, calls tools and reports usage, in one form', async () => {
      const { model, asked } = modelOf(version, [
        [
          start,
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'hm' },
          { type: 'reasoning-end', id: 'r', providerMetadata: { mock: { signature: 's' } } },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{"q":1}' },
          finishPart(version, 'tool-calls'),
        ],
        [
          facts,
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'found' },
          { type: 'text-end', id: 't' },
          { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com', title: 'Ex' },
          finishPart(version, 'stop'),
        ],
      ])
      const look = createTool({ id: 'look', execute: () => ({ hits: 2 }) })
      const result = await new Agent({ id: 'a', model, tools: { look } }).generate('go', { toolChoice: 'required' })
      expect(result).toMatchObject({
        text: 'found',
        finishReason: 'stop',
        usage: {
          inputTokens: 22,
          outputTokens: 14,
          totalTokens: 36,
          reasoningTokens: 6,
          cachedInputTokens: 8,
          calls: 2,
          unreportedCalls: 0,
        },
        sources: [{ sourceType: 'url', id: 's', url: 'https://example.com', title: 'Ex' }],
        warnings: ['unsupported-setting: seed'],
        response: { id: 'r1', modelId: 'm-1', timestamp: '1970-01-01T00:00:00.000Z' },
      })
      expect(result.steps.map((step) => [step.reasoningText, step.model.used])).toEqual([
        ['hm', 'mock/m'],
        ['', 'mock/m'],
      ])
      expect(asked[0]).toMatchObject({
        toolChoice: { type: 'required' },
        tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }],
      })
      expect(asked[1]?.prompt.slice(1)).toEqual([
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', providerOptions: { mock: { signature: 's' } } },
            { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { q: 1 } },
          ],
          providerOptions: { retinue: { provider: 'mock' } },
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'json', value: { hits: 2 } } },
          ],
        },
      ])
    })

    test('gets files in its own form', async () => {
      const { model, asked } = modelOf(version, [
        [{ type: 'text-delta', id: 't', delta: 'ok' }, finishPart(version, 'stop')],
      ])
      await new Agent({ id: 'a', model }).generate(input)
      const url = new URL('https://example.com/a.pdf')
      const bare = [png, url, new TextEncoder().encode('notes')]
      const tagged = [
        { type: 'data', data: png },
        { type: 'url', url },
        { type: 'text', text: 'notes' },
      ]
      const types = ['image/png', 'application/pdf', 'text/plain']
      expect(asked[0]?.prompt[0]?.content).toEqual([
        { type: 'text', text: 'see' },
        ...(version === 'v4' ? tagged : bare).map((data, i) => ({ type: 'file', data, mediaType: types[i] })),
      ])
    })

    test('gets a tool’s files in its own form', async () => {
      const { model, asked } = modelOf(version, [
        [{ type: 'tool-call', toolCallId: 'c', toolName: 'shot', input: '' }, finishPart(version, 'tool-calls')],
        [{ type: 'text-delta', id: 't', delta: 'ok' }, finishPart(version, 'stop')],
      ])
      const shot = createTool({
        id: 'shot',
        execute: () => 1,
        toModelOutput: () => ({
          type: 'content',
          value: [
            { type: 'text', text: 'a' },
            { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png' },
            { type: 'file', data: { type: 'url', url: 'https://example.com/b.pdf' }, mediaType: 'application/pdf' },
          ],
        }),
      })
      await new Agent({ id: 'a', model, tools: { shot } }).generate('go')
      const content = asked[1]?.prompt.at(-1)?.content as { output: { value: unknown[] } }[] | undefined
      const expected = {
        v2: [
          { type: 'media', data: png, mediaType: 'image/png' },
          { type: 'text', text: '(a file of type application/pdf at https://example.com/b.pdf)' },
        ],
        v3: [
          { type: 'image-data', data: png, mediaType: 'image/png' },
          { type: 'file-url', url: 'https://example.com/b.pdf' },
        ],
        v4: [
          { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png' },
          {
            type: 'file',
            data: { type: 'url', url: new URL('https://example.com/b.pdf') },
            mediaType: 'application/pdf',
          },
        ],
      }
      expect(content?.[0]?.output.value).toEqual([{ type: 'text', text: 'a' }, ...expected[version]])
    })

    test('makes files, which go back to it and are an answer', async () => {
      const data = version === 'v4' ? { type: 'data', data: new Uint8Array([1, 2]) } : new Uint8Array([1, 2])
      const { model, asked } = modelOf(version, [
        [{ type: 'file', mediaType: 'image/png', data }, finishPart(version, 'stop')],
        [{ type: 'text-delta', id: 't', delta: 'ok' }, finishPart(version, 'stop')],
      ])
      const agent = new Agent({ id: 'a', model })
      const { files, error, response } = await agent.generate('draw')
      expect([files, error]).toEqual([[{ mediaType: 'image/png', data: 'AQI=' }], undefined])
      await agent.generate([
        { role: 'user', content: 'draw' },
        ...response.messages,
        { role: 'user', content: 'more' },
      ] as AgentInput)
      expect(asked[1]?.prompt[1]?.content).toEqual([
        { type: 'file', mediaType: 'image/png', data: version === 'v4' ? { type: 'data', data: 'AQI=' } : 'AQI=' },
      ])
    })
  })
}

test('B1.2 what the model needs back of its own comes back: custom parts and files of its thinking', async () => {
  const { model, asked } = modelOf('v4', [
    [
      { type: 'custom', kind: 'mock.compaction', providerMetadata: { mock: { id: 'x' } } },
      {
        type: 'reasoning-file',
        mediaType: 'image/png',
        data: { type: 'data', data: png },
        providerMetadata: { mock: { id: 'y' } },
      },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '' },
      finishPart('v4', 'tool-calls'),
    ],
    [{ type: 'text-delta', id: 't', delta: 'ok' }, finishPart('v4', 'stop')],
  ])
  const { files } = await new Agent({
    id: 'a',
    model,
    tools: { look: createTool({ id: 'l', execute: () => 1 }) },
  }).generate('go')
  expect(files).toEqual([])
  expect(asked[1]?.prompt[1]?.content).toEqual([
    { type: 'custom', kind: 'mock.compaction', providerOptions: { mock: { id: 'x' } } },
    {
      type: 'reasoning-file',
      mediaType: 'image/png',
      data: { type: 'data', data: png },
      providerOptions: { mock: { id: 'y' } },
    },
    { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} },
  ])
})

test('B1.2 a message of parts that an older version has no place for is left out', async () => {
  const { model, asked } = modelOf('v2', [[{ type: 'text-delta', id: 't', delta: 'ok' }, finishPart('v2', 'stop')]])
  const custom = { type: 'custom', kind: 'mock.compaction' }
  const history = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [custom] },
    { role: 'user', content: 'b' },
  ]
  await new Agent({ id: 'a', model }).generate(history as AgentInput)
  expect(asked[0]?.prompt.map(({ role }) => role)).toEqual(['user', 'user'])
})

test('finish reasons of every version have one form', () => {
  for (const reason of ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'] as const) {
    expect([finishOf(reason), finishOf({ unified: reason, raw: 'x' })]).toEqual([reason, reason])
  }
  for (const odd of ['unknown', undefined, null, 5, {}, { unified: 'new' }]) expect(finishOf(odd)).toBe('other')
})

test('usage that is missing, partial or nonsense is never a number that nobody reported', () => {
  const silent = { calls: 1, unreportedCalls: 1, inputTokens: 0, totalTokens: 0 }
  for (const odd of [undefined, null, 'x', {}, { inputTokens: {} }, { inputTokens: Number.NaN, outputTokens: -1 }])
    expect(usageOf(odd)).toMatchObject(silent)
  expect(usageOf({ inputTokens: 5 })).toMatchObject({
    inputTokens: 5,
    outputTokens: 0,
    totalTokens: 5,
    unreportedCalls: 0,
  })
  expect(usageOf({ outputTokens: { total: 5 } })).toMatchObject({ outputTokens: 5, totalTokens: 5, unreportedCalls: 0 })
})
