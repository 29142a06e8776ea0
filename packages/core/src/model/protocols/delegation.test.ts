import type { FixtureFileResponse } from '@copilotkit/aimock'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type MockTurn, startMock } from '../../../test-support/aimock-server.ts'
import { type Answer, startServer, type WireRequest } from '../../../test-support/loopback-server.ts'
import { PROTOCOLS, says, type WireProtocol } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import type { Chunk } from '../../events/chunk.ts'
import { createTool } from '../../tools/create-tool.ts'

const PROMPT = { prompt: 'Find the height of Mont Blanc in metres.' }
const QUERY = { query: 'Mont Blanc height' }

/** Usage in the words of whichever protocol, and for Google a reason that its package knows. */
function turn(protocol: WireProtocol, answer: object, input: number, output: number): FixtureFileResponse {
  const usage =
    protocol.family === 'google'
      ? { promptTokenCount: input, candidatesTokenCount: output }
      : protocol.path.endsWith('completions')
        ? { prompt_tokens: input, completion_tokens: output }
        : { input_tokens: input, output_tokens: output }
  const finish = protocol.family === 'google' && 'toolCalls' in answer ? { finishReason: 'STOP' } : {}
  return { ...answer, ...finish, usage } as FixtureFileResponse
}

function turns(protocol: WireProtocol): MockTurn[] {
  const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] })
  return [
    {
      agent: 'You supervise',
      told: false,
      answer: turn(protocol, { content: 'I will have it looked up.', ...call('researcher', PROMPT) }, 100, 10),
    },
    { agent: 'You research', told: false, answer: turn(protocol, call('lookup', QUERY), 20, 2) },
    { agent: 'You research', told: true, answer: turn(protocol, { content: 'It is 4,806 m high.' }, 30, 3) },
    { agent: 'You supervise', told: true, answer: turn(protocol, { content: 'Mont Blanc: 4,806 m.' }, 200, 20) },
  ]
}

function supervisor(model: ReturnType<WireProtocol['model']>) {
  const queries: unknown[] = []
  const lookup = createTool({
    id: 'lookup',
    description: 'Looks something up.',
    inputSchema: z.object({ query: z.string(), limit: z.number().optional() }),
    execute: (input) => {
      queries.push(input)
      return { secretOfTheTool: '4806' }
    },
  })
  const researcher = new Agent({
    id: 'researcher',
    description: 'Finds facts.',
    instructions: 'You research.',
    model,
    tools: { lookup },
  })
  const agent = new Agent({ id: 'lead', instructions: 'You supervise.', model, agents: { researcher } })
  return { agent, queries }
}

const said = ({ raw }: WireRequest): string => raw
const deltasOf = (chunks: readonly Chunk[], id: string): string =>
  chunks
    .map((chunk) =>
      chunk.type === 'tool-call-delta' && chunk.payload.toolCallId === id ? chunk.payload.argsTextDelta : '',
    )
    .join('')

describe.each(PROTOCOLS)('$name', (protocol) => {
  test('B2.2 a delegation whose child calls a tool runs from the streamed call to the final text', async () => {
    const server = await startMock(turns(protocol))
    const { agent, queries } = supervisor(protocol.model(server.url))
    const stream = await agent.stream('How high is Mont Blanc?')
    const chunks: Chunk[] = []
    for await (const chunk of stream.events) chunks.push(chunk)
    const result = await stream.result

    expect([result.finishReason, result.text, queries]).toEqual(['stop', 'Mont Blanc: 4,806 m.', [QUERY]])
    expect(server.requests.map(({ path }) => path)).toEqual(Array.from({ length: 4 }, () => protocol.path))
    // Arguments come in pieces, and the pieces are the arguments.
    const calls = chunks.filter((chunk) => chunk.type === 'tool-call')
    expect(calls.map(({ payload }) => payload.args)).toEqual([PROMPT, QUERY])
    for (const { payload } of calls) expect(JSON.parse(deltasOf(chunks, payload.toolCallId))).toEqual(payload.args)
    const pieces = chunks.filter(({ type }) => type === 'tool-call-delta').length
    if (protocol.family === 'google') expect(pieces).toBe(2)
    else expect(pieces).toBeGreaterThan(6)
    // The root's text, as it came.
    const text: string[] = []
    for await (const piece of stream.textStream) text.push(piece)
    expect(text.join('')).toBe('I will have it looked up.Mont Blanc: 4,806 m.')
    expect(text.length).toBeGreaterThan(4)
  })

  test('B2.2 B2.7 the child is told the conversation and the task, the parent nothing of how it was done', async () => {
    const server = await startMock(turns(protocol))
    const { agent } = supervisor(protocol.model(server.url))
    const result = await agent.generate('How high is Mont Blanc?')
    const [first, child, , last] = server.requests.map(said) as [string, string, string, string]
    expect(child).toContain('You research.')
    expect(child).toContain('How high is Mont Blanc?')
    expect(child).toContain('I will have it looked up.')
    expect(child).toContain(PROMPT.prompt)
    expect(child).not.toContain('You supervise')
    expect(child).not.toContain('"researcher"')
    expect(first).toContain('"researcher"')
    for (const seen of [first, last])
      for (const own of ['secretOfTheTool', 'lookup', QUERY.query]) expect(seen).not.toContain(own)
    expect(last).toContain('It is 4,806 m high.')
    expect(result.toolResults[0]?.result).toMatchObject({ status: 'completed', text: 'It is 4,806 m high.' })
  })

  test('B2.8 two delegations of one step have their own results, in the order of the calls', async () => {
    const call = (id: string, prompt: string) => ({
      id,
      name: 'child',
      pieces: ['{"prompt":', `${JSON.stringify(prompt)}}`],
    })
    const child: Answer = (reply, { raw }) => reply.whole(says(protocol, raw.includes('First') ? 'One' : 'Two'))
    const server = await startServer([
      (reply) => reply.whole(protocol.calls(call('call_1', 'First'), call('call_2', 'Second'))),
      child,
      child,
      (reply) => reply.whole(says(protocol, 'Both')),
    ])
    const model = protocol.model(server.url)
    const agents = { child: new Agent({ id: 'child', description: 'Helps.', model }) }
    const result = await new Agent({ id: 'lead', model, agents }).generate('Hi')
    expect(result.text).toBe('Both')
    expect(result.toolResults.map(({ result: envelope }) => (envelope as { text: string }).text)).toEqual([
      'One',
      'Two',
    ])
    const last = server.requests[3]?.raw ?? ''
    expect(last.indexOf('One')).toBeGreaterThan(0)
    expect(last.indexOf('Two')).toBeGreaterThan(last.indexOf('One'))
  })

  test('B2.11 usage is what the provider reported, each call once', async () => {
    const server = await startMock(turns(protocol))
    const { agent } = supervisor(protocol.model(server.url))
    const { usage, totalUsage } = await agent.generate('How high is Mont Blanc?')
    expect(usage).toMatchObject({ inputTokens: 300, outputTokens: 30, totalTokens: 330, calls: 2, unreportedCalls: 0 })
    expect(totalUsage).toMatchObject({
      inputTokens: 350,
      outputTokens: 35,
      totalTokens: 385,
      calls: 4,
      unreportedCalls: 0,
    })
  })
})
