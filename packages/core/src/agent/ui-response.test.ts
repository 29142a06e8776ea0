import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'
import { expect, test } from 'vitest'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/create-tool.ts'
import { Agent } from './agent.ts'
import type { RunStream } from './run-stream.ts'

const png = 'iVBORw=='
const tools = {
  echo: createTool({ id: 'echo', execute: (input) => input }),
  boom: createTool({ id: 'boom', execute: () => Promise.reject(new Error('no disk')) }),
  big: createTool({ id: 'big', execute: () => ({ n: 1n }), toModelOutput: () => 'one' }),
  nothing: createTool({ id: 'nothing', execute: () => undefined }),
  tell: createTool({
    id: 'tell',
    execute: (_input, { writer }) => {
      writer.custom({ type: 'data-progress', data: 0.5 })
      return 'told'
    },
  }),
  ask: createTool({ id: 'ask' }),
}

const agentOn = (turns: readonly ScriptedTurn[]) =>
  new Agent({ id: 'a', model: scriptedModel(turns), tools, maxRetries: 0 })

/** Reads a run's web response as `useChat` does: every chunk must fit the client's own schema. */
async function read(stream: RunStream) {
  const response = stream.toUIMessageStreamResponse()
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  const chunks: UIMessageChunk[] = []
  const errors: unknown[] = []
  const parsed = parseJsonEventStream({
    stream: response.body as ReadableStream<Uint8Array<ArrayBuffer>>,
    schema: uiMessageChunkSchema,
  })
  const checked = parsed.pipeThrough(
    new TransformStream({
      transform(result, controller) {
        if (!result.success) throw result.error
        chunks.push(result.value)
        controller.enqueue(result.value)
      },
    }),
  )
  let message: UIMessage | undefined
  for await (const state of readUIMessageStream({ stream: checked, onError: (error) => errors.push(error) }))
    message = state
  return { chunks, message, errors: errors.map((error) => (error instanceof Error ? error.message : String(error))) }
}

test('B8.1 a web client reads texts, reasoning, tools and their errors, a step at a time', async () => {
  const calls = ['echo', 'boom', 'nothing', 'tell', 'gone'].map((name) => ({ id: name, name, args: { a: 1 } }))
  const stream = await agentOn([{ reasoning: 'hm', text: ['Let', ' me'], calls }, { text: 'Done.' }]).stream('go', {
    runId: 'r',
  })
  const { message, errors, chunks } = await read(stream)
  expect(errors).toEqual([])
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
  expect(message).toMatchObject({
    id: 'r',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm', state: 'done' },
      { type: 'text', text: 'Let me', state: 'done' },
      { type: 'tool-echo', toolCallId: 'echo', state: 'output-available', input: { a: 1 }, output: { a: 1 } },
      { type: 'tool-boom', state: 'output-error', errorText: 'The tool "boom" failed: no disk' },
      { type: 'tool-nothing', state: 'output-available', output: null },
      { type: 'tool-tell', state: 'output-available', output: 'told' },
      { type: 'tool-gone', state: 'output-error' },
      { type: 'data-progress', data: 0.5 },
      { type: 'step-start' },
      { type: 'text', text: 'Done.', state: 'done' },
    ],
  })
})

test('B8.1 what the client read is the history of its next request', async () => {
  const calls = [
    { id: 'c1', name: 'echo', args: { a: 1 } },
    { id: 'c2', name: 'boom', args: {} },
  ]
  const { message } = await read(
    await agentOn([{ reasoning: 'hm', text: 'Let me', calls }, { text: 'Done.' }]).stream('go'),
  )
  const model = scriptedModel([{ text: 'again' }])
  const user = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text', text }] })
  await new Agent({ id: 'a', model, tools }).generate([user('go'), message as never, user('more')])
  expect(model.calls[0]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
})

test('B8.1 a web client reads sources, files, streaming arguments and what the provider ran', async () => {
  const parts = [
    {
      type: 'source',
      sourceType: 'url',
      id: 's1',
      url: 'https://example.com',
      title: 'Ex',
      providerMetadata: { x: {} },
    },
    { type: 'source', sourceType: 'document', id: 's2', mediaType: 'application/pdf', title: 'Doc', filename: 'a.pdf' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
    { type: 'tool-input-start', id: 'c', toolName: 'ask' },
    { type: 'tool-input-delta', id: 'c', delta: '{"q":' },
    { type: 'tool-input-delta', id: 'c', delta: '1}' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'ask', input: '{"q":1}' },
    { type: 'tool-call', toolCallId: 'p', toolName: 'web', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'p', toolName: 'web', result: { hits: 1 } },
    { type: 'tool-call', toolCallId: 'q', toolName: 'web', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'q', toolName: 'web', result: 'quota', isError: true },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'x' }, usage: {} },
  ] as unknown as LanguageModelV4StreamPart[]
  const { message, chunks, errors } = await read(await agentOn([{ parts }]).stream('go'))
  expect(errors).toEqual([])
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' })
  expect(message?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'Ex' },
    { type: 'source-document', sourceId: 's2', mediaType: 'application/pdf', title: 'Doc', filename: 'a.pdf' },
    { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${png}` },
    { type: 'tool-ask', state: 'input-available', input: { q: 1 } },
    { type: 'tool-web', state: 'output-available', output: { hits: 1 }, providerExecuted: true },
    { type: 'tool-web', state: 'output-error' },
  ])
})

test('B8.4 a web client reads how a run failed or was aborted, and its stream ends', async () => {
  const broken = await read(await agentOn([new Error('provider down')]).stream('go'))
  expect(broken.errors).toHaveLength(1)
  expect(broken.chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'error' })
  const aborted = await read(await agentOn([]).stream('go', { abortSignal: AbortSignal.abort('stop') }))
  expect(aborted.chunks.map(({ type }) => type)).toEqual(['start', 'abort', 'finish'])
  const half = { parts: [{ type: 'text-delta', id: 't', delta: 'so far' }] } as unknown as ScriptedTurn
  const { message } = await read(await agentOn([half]).stream('go'))
  expect(message?.parts.at(-1)).toMatchObject({ type: 'text', text: 'so far', state: 'done' })
})

test('B8.3 a web client sees the root’s own text and each delegation as a data part', async () => {
  const script = scriptedModels({
    top: [{ calls: [{ name: 'mid', args: { prompt: 'look' } }] }, { text: 'Done.' }],
    'top/mid': [{ text: 'inner words' }],
  })
  const top = new Agent({ id: 'top', agents: { mid: new Agent({ id: 'm', description: 'm' }) } })
  const { message, errors } = await read(await top.stream('go', { resolveModel: script.resolveModel }))
  expect(errors).toEqual([])
  const types = message?.parts.map(({ type }) => type)
  expect(types).toEqual(['step-start', 'tool-mid', 'data-delegation', 'step-start', 'text'])
  expect(message?.parts[2]).toMatchObject({ data: { path: ['top'], key: 'mid', status: 'completed' } })
})

test('B8.5 a result that is no JSON does not break the web client’s stream', async () => {
  const stream = await agentOn([{ calls: [{ name: 'big', args: {} }] }, { text: 'Done.' }]).stream('go')
  const { message } = await read(stream)
  expect(message?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.' })
})

test('B7.1 B8.1 a web client is asked for approvals of the root’s calls by its own parts, for all others by data parts', async () => {
  const gated = createTool({ id: 'gated', requireApproval: true, execute: () => 'ran' })
  const asks = createTool({ id: 'asks', execute: (_input, { suspend }) => suspend({ question: 'why?' }) })
  const models = scriptedModels({
    sup: [
      {
        calls: [
          { id: 'g', name: 'gated', args: {} },
          { id: 's', name: 'asks', args: {} },
          { id: 'c', name: 'child', args: { prompt: 'P' } },
        ],
      },
    ],
    'sup/child': [{ calls: [{ id: 'inner', name: 'gated', args: { to: 'ada' } }] }],
  })
  const child = new Agent({ id: 'c', description: 'd', model: models.at('sup/child'), tools: { gated } })
  const sup = new Agent({ id: 'sup', model: models.at('sup'), tools: { gated, asks }, agents: { child } })
  const { message, errors } = await read(await sup.stream('Go'))
  expect(errors).toEqual([])
  expect(message?.parts.find(({ type }) => type === 'tool-gated')).toMatchObject({
    toolCallId: 'g',
    state: 'approval-requested',
    approval: { id: 'g' },
  })
  const asked = message?.parts.filter(({ type }) => /^data-tool-call/.test(type)) as { id: string }[]
  // Who is asked first is not said.
  expect(asked.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toMatchObject([
    { type: 'data-tool-call-approval', id: 'inner', data: { path: ['sup', 'child'], args: { to: 'ada' } } },
    { type: 'data-tool-call-suspended', id: 's', data: { path: ['sup'], suspendPayload: { question: 'why?' } } },
  ])
})
