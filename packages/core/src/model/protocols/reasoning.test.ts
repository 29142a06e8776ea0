import { describe, expect, test } from 'vitest'
import { type MockTurn, startMock } from '../../../test-support/aimock-server.ts'
import { follow } from '../../../test-support/follow.ts'
import { startServer } from '../../../test-support/loopback-server.ts'
import {
  anthropic,
  compatible,
  gemini,
  openaiChat,
  openaiResponses,
  says,
  type WireProtocol,
} from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import type { AgentInput } from '../../messages/from-input.ts'
import type { Message } from '../../messages/message.ts'
import { createTool } from '../../tools/create-tool.ts'

const look = createTool({ id: 'look', execute: () => 'seen' })
const SIGNATURE = 'RXJyb3IgZnJlZSBzaWduYXR1cmU+/=='
const THOUGHT = 'The hidden thought.'
const thinking = { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } } }

/** A model that thinks, calls a tool, thinks again and answers. */
function thinkingTurns({ family }: WireProtocol) {
  const finish = family === 'google' ? { finishReason: 'STOP' } : {}
  const call = { toolCalls: [{ name: 'look', arguments: '{"a":1}' }] }
  return [
    {
      agent: 'You think',
      told: false,
      answer: { ...call, reasoning: THOUGHT, reasoningSignature: SIGNATURE, ...finish },
    },
    {
      agent: 'You think',
      told: true,
      answer: { content: 'Done.', reasoning: 'And again.', reasoningSignature: 'U0lHMg==' },
    },
  ]
}

async function think(protocol: WireProtocol) {
  const server = await startMock(thinkingTurns(protocol))
  const agent = new Agent({ id: 'a', instructions: 'You think', model: protocol.model(server.url), tools: { look } })
  const stream = await agent.stream('Go', thinking)
  const chunks = await follow(stream)
  return { agent, server, chunks, result: await stream.result }
}

/** The conversation so far, and one more question. */
function andThen(messages: readonly Message[]): AgentInput {
  return [{ role: 'user', content: 'Go' }, ...(messages as never[]), { role: 'user', content: 'More' }]
}

describe.each([openaiResponses, anthropic, gemini, compatible])('$name', (protocol) => {
  test('B8.2 reasoning streams, apart from the text, and goes back to its provider in the next step', async () => {
    const { chunks, result, server } = await think(protocol)
    expect([result.finishReason, result.text]).toEqual(['stop', 'Done.'])
    expect(result.steps.map(({ reasoningText }) => reasoningText)).toEqual([THOUGHT, 'And again.'])
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'reasoning-delta' ? [chunk.payload.text] : []))
    expect([deltas.join(''), deltas.length > 2]).toEqual([`${THOUGHT}And again.`, true])
    expect(server.requests[1]?.raw).toContain(protocol === openaiResponses ? '"item_reference"' : THOUGHT)
  })

  test('B1.2 it goes back in a later run, too', async () => {
    const { agent, result, server } = await think(protocol)
    await agent.generate(andThen(result.response.messages))
    const last = server.requests[2]?.raw
    if (protocol === openaiResponses) expect(last?.split('"item_reference"').length).toBe(4)
    else for (const thought of [THOUGHT, 'And again.']) expect(last).toContain(thought)
  })

  test('B1.2 a provider that did not make it never sees it', async () => {
    const { result } = await think(protocol)
    for (const other of [openaiChat, openaiResponses, anthropic, gemini, compatible]) {
      if (other.family === protocol.family) continue
      const server = await startServer([(reply) => reply.whole(says(other, 'Fine'))])
      const agent = new Agent({ id: 'b', model: other.model(server.url) })
      expect((await agent.generate(andThen(result.response.messages))).text).toBe('Fine')
      const { raw = '' } = server.requests[0] ?? {}
      for (const own of [THOUGHT, SIGNATURE, 'And again', 'item_reference', 'rs-', 'retinue'])
        expect(raw).not.toContain(own)
      for (const shared of ['seen', 'Done.', 'More']) expect(raw).toContain(shared)
    }
  })
})

test('B1.2 Anthropic gets its thinking back as it made it, signature and all, before the call that it led to', async () => {
  const { agent, result, server } = await think(anthropic)
  const assistant = [
    { type: 'thinking', thinking: THOUGHT, signature: SIGNATURE },
    { type: 'tool_use', id: result.toolCalls[0]?.toolCallId, name: 'look', input: { a: 1 } },
  ]
  expect(server.requests[1]?.body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1024 })
  expect(server.requests[1]?.body['messages']).toMatchObject([
    { role: 'user' },
    { content: assistant },
    { role: 'user' },
  ])
  // The history may have been kept as JSON meanwhile.
  await agent.generate(andThen(JSON.parse(JSON.stringify(result.response.messages))))
  expect(server.requests[2]?.body['messages']).toMatchObject([
    { role: 'user' },
    { content: assistant },
    { role: 'user' },
    {
      content: [
        { type: 'thinking', signature: 'U0lHMg==' },
        { type: 'text', text: 'Done.' },
      ],
    },
    { role: 'user' },
  ])
})

test('B1.2 thinking that Anthropic sealed goes back sealed', async () => {
  const [ask, answer] = thinkingTurns(anthropic) as [MockTurn, MockTurn]
  const server = await startMock([{ ...ask, answer: { ...ask.answer, redactedThinking: ['U2VhbGVk'] } }, answer])
  const model = anthropic.model(server.url)
  await new Agent({ id: 'a', instructions: 'You think', model, tools: { look } }).generate('Go', thinking)
  expect(server.requests[1]?.raw).toContain('{"type":"redacted_thinking","data":"U2VhbGVk"}')
})

test('B1.8 a fallback of another provider takes over in mid-run without the thinking', async () => {
  const other = await startServer([(reply) => reply.whole(says(openaiResponses, 'Stood in'))])
  const at = (type: string, rest: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, index: 0, ...rest })}\n\n`
  const [start = '', ...call] = anthropic.calls({ id: 'toolu_1', name: 'look', pieces: ['{}'] })
  const thought = [
    at('content_block_start', { content_block: { type: 'thinking', thinking: '', signature: '' } }),
    at('content_block_delta', { delta: { type: 'thinking_delta', thinking: THOUGHT } }),
    at('content_block_delta', { delta: { type: 'signature_delta', signature: SIGNATURE } }),
    at('content_block_stop', {}),
  ]
  const after = call.map((part) => part.replaceAll('"index":0', '"index":1'))
  const first = await startServer([
    (reply) => reply.whole([start, ...thought, ...after]),
    (reply) => reply.status(400, { type: 'error', error: { type: 'invalid_request_error', message: 'No.' } }),
  ])
  const model = [anthropic.model(first.url), openaiResponses.model(other.url)]
  const result = await new Agent({ id: 'a', model, tools: { look } }).generate('Go')
  expect([result.text, result.finishReason]).toEqual(['Stood in', 'stop'])
  expect(first.requests[1]?.raw).toContain(SIGNATURE)
  for (const own of [THOUGHT, SIGNATURE]) expect(other.requests[0]?.raw).not.toContain(own)
  expect(other.requests[0]?.raw).toContain('seen')
})

test('B2.2 a child is not shown what its parent thought, nor how its provider calls it', async () => {
  const call = { toolCalls: [{ name: 'child', arguments: '{"prompt":"Help me"}' }], content: 'Asking.' }
  for (const protocol of [anthropic, openaiResponses]) {
    const server = await startMock([
      { agent: 'You lead', told: false, answer: { ...call, reasoning: THOUGHT, reasoningSignature: SIGNATURE } },
      { agent: 'You help', told: false, answer: { content: 'Helped.' } },
      { agent: 'You lead', told: true, answer: { content: 'Done.' } },
    ])
    const model = protocol.model(server.url)
    const child = new Agent({ id: 'child', description: 'Helps.', instructions: 'You help', model })
    const { text } = await new Agent({ id: 'a', instructions: 'You lead', model, agents: { child } }).generate(
      'Go',
      thinking,
    )
    expect([text, server.requests.length]).toEqual(['Done.', 3])
    for (const own of [THOUGHT, SIGNATURE, 'item_reference', 'msg-']) expect(server.requests[1]?.raw).not.toContain(own)
    expect(server.requests[1]?.raw).toContain('Asking.')
  }
})
