import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../../test-support/loopback-server.ts'
import { anthropic, PROTOCOLS, says, type WireProtocol } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import type { Instructions } from '../../messages/instructions.ts'
import { createTool } from '../../tools/create-tool.ts'

const cached: Instructions = [
  { content: 'You are thorough.', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
  'Answer in one line.',
]

function agentOf(protocol: WireProtocol, url: string, instructions: Instructions = 'You are thorough.'): Agent {
  const model = protocol.model(url)
  const schema = z.object({
    zeta: z.string().describe('Last letter'),
    alpha: z.number().optional(),
    list: z.array(z.string()),
  })
  return new Agent({
    id: 'a',
    instructions,
    model,
    tools: {
      look: createTool({ id: 'look', description: 'Looks.', inputSchema: schema, execute: () => 'seen' }),
      add: createTool({ id: 'add', description: 'Adds.', execute: () => 3 }),
    },
    agents: { child: new Agent({ id: 'child', description: 'Helps.', model }) },
  })
}

/** Two steps: a call, then the answer. */
const steps = (protocol: WireProtocol) => [
  protocol.calls({ id: 'call_1', name: 'look', pieces: ['{"zeta":"z",', '"list":[]}'] }),
  says(protocol, 'Done'),
]

describe.each(PROTOCOLS)('$name', (protocol) => {
  test('B1.2 the tools and instructions of a request are the same bytes in every step and run', async () => {
    const server = await startServer(
      [...steps(protocol), ...steps(protocol)].map((parts) => (reply) => reply.whole(parts)),
    )
    const agent = agentOf(protocol, server.url, ['You are thorough.', 'Answer in one line.'])
    await agent.generate('Hi')
    // An agent that is made anew says the same as well.
    await agentOf(protocol, server.url, ['You are thorough.', 'Answer in one line.']).generate('Hi')
    const bodies = server.requests.map(({ body }) => body)
    const bytes = (name: string): string[] => bodies.map((body) => JSON.stringify(body[name]))
    expect(new Set(bytes('tools')).size).toBe(1)
    for (const { raw } of server.requests) expect(raw).toContain(`"tools":${bytes('tools')[0]}`)
    expect(new Set([...bytes('system'), ...bytes('systemInstruction')]).size).toBeLessThanOrEqual(2)
    // The same step of another run is the same request, and a step's conversation begins with that of the step before.
    expect(server.requests[2]?.raw).toBe(server.requests[0]?.raw)
    const [first, second] = bytes(conversationOf(protocol)) as [string, string]
    expect(second.startsWith(first.slice(0, -1))).toBe(true)
  })

  test('B1.2 a mark for Anthropic’s cache stays with Anthropic', async () => {
    const server = await startServer([(reply) => reply.whole(says(protocol, 'Done'))])
    await agentOf(protocol, server.url, cached).generate('Hi')
    const marks = server.requests[0]?.raw.split('cache_control').length
    expect(marks).toBe(protocol === anthropic ? 2 : 1)
    for (const text of ['You are thorough.', 'Answer in one line.']) expect(server.requests[0]?.raw).toContain(text)
    expect(server.requests[0]?.raw).not.toContain('cacheControl')
  })
})

test('B1.2 instructions with a cache mark arrive as a block of their own, marked, in every step', async () => {
  const server = await startServer(steps(anthropic).map((parts) => (reply) => reply.whole(parts)))
  await agentOf(anthropic, server.url, cached).generate('Hi')
  const system = [
    { type: 'text', text: 'You are thorough.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Answer in one line.' },
  ]
  expect(server.requests.map(({ body }) => body['system'])).toEqual([system, system])
})

test('B1.11 tokens that came from a cache are told apart', async () => {
  const [, ...rest] = says(anthropic, 'Done')
  const usage = { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 90, cache_creation_input_tokens: 3 }
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage }
  const start = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`
  const server = await startServer([(reply) => reply.whole([start, ...rest])])
  const { usage: reported } = await agentOf(anthropic, server.url).generate('Hi')
  expect(reported).toMatchObject({ inputTokens: 100, cachedInputTokens: 90, outputTokens: 3 })
})

function conversationOf({ name }: WireProtocol): string {
  return name === 'google' ? 'contents' : name === 'openai responses' ? 'input' : 'messages'
}
