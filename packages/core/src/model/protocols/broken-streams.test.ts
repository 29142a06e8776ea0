import { describe, expect, test } from 'vitest'
import { follow, signal } from '../../../test-support/follow.ts'
import { type Answer, type LoopbackServer, type Reply, startServer } from '../../../test-support/loopback-server.ts'
import { quickTimers } from '../../../test-support/quick-timers.ts'
import { openaiChat, PROTOCOLS, says, type WireProtocol } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import type { RunOptions } from '../../agent/run-options.ts'
import { createTool } from '../../tools/create-tool.ts'

/** The ways in which a stream breaks off. */
const CUTS: readonly (readonly [string, (reply: Reply, protocol: WireProtocol) => void | Promise<void>])[] = [
  ['the connection breaks', (reply) => reply.destroy()],
  ['the server ends without a finish', (reply) => reply.end()],
  [
    'the server ends in the middle of a line of JSON',
    async (reply, protocol) => {
      await reply.send(protocol.delta('never seen').slice(0, -20))
      reply.end()
    },
  ],
  [
    'the connection breaks in the middle of a line of JSON',
    async (reply, protocol) => {
      await reply.send(protocol.delta('never seen').slice(0, -20))
      reply.destroy()
    },
  ],
  ['the stream says that there was an error', (reply, protocol) => reply.whole([protocol.error('Overloaded for now')])],
]

/** Runs an agent against a server, and tells it when the first text was seen: what is sent before is seen before. */
async function run(protocol: WireProtocol, answers: readonly Answer[], options: RunOptions = {}, seen = () => {}) {
  const server = await startServer(answers)
  const stream = await new Agent({ id: 'a', model: protocol.model(server.url) }).stream('Hi', options)
  const chunks = await follow(stream, seen)
  return { server, chunks, result: await stream.result }
}

/** The text of the answer that the history keeps. */
function kept({ response }: { response: { messages: readonly { role: string; content: unknown }[] } }): unknown {
  return response.messages.map(({ role, content }) => [role, (content as { text?: string }[]).map(({ text }) => text)])
}

describe.each(PROTOCOLS)('$name', (protocol) => {
  const hello: Answer = (reply) => reply.whole(says(protocol, 'Hello'))

  test.each(CUTS)('B1.8 before the first text it is tried again when %s', async (_name, cut) => {
    const { waits } = quickTimers({ atOnce: [1000] })
    const { result, server } = await run(protocol, [
      async (reply) => {
        await reply.send(': here\n\n', ...protocol.opening)
        await cut(reply, protocol)
      },
      hello,
    ])
    expect([result.text, result.finishReason, result.error]).toEqual(['Hello', 'stop', undefined])
    expect([server.requests.length, waits]).toEqual([2, [1000]])
  })

  test.each(CUTS)('B1.8 after the first text it is not, and what was said is kept, when %s', async (_name, cut) => {
    const seen = signal()
    const { chunks, result } = await run(
      protocol,
      [
        async (reply) => {
          await reply.send(...protocol.opening, protocol.delta('Half an '))
          await seen.given
          await cut(reply, protocol)
        },
      ],
      {},
      seen.give,
    )
    expect([result.finishReason, result.text]).toEqual(['error', 'Half an '])
    expect(result.error?.code).toMatch(/^model-(call-failed|stream-incomplete)$/)
    expect(kept(result)).toEqual([['assistant', ['Half an ']]])
    expect(chunks.slice(-3).map(({ type }) => type)).toEqual(['step-finish', 'error', 'finish'])
    expect(chunks.filter(({ type }) => type === 'text-end')).toHaveLength(1)
  })

  test('B1.8 after the first text no fallback is asked either', async () => {
    const seen = signal()
    const other = await startServer([])
    const server = await startServer([
      async (reply) => {
        await reply.send(...protocol.opening, protocol.delta('Half'))
        await seen.given
        reply.destroy()
      },
    ])
    const model = [protocol.model(server.url), openaiChat.model(other.url)]
    const stream = await new Agent({ id: 'a', model }).stream('Hi')
    await follow(stream, seen.give)
    expect(await stream.finishReason).toBe('error')
  })

  test('B1.8 a line that is no JSON before the first text is a failure of this call, and the next model answers', async () => {
    quickTimers({ atOnce: [1000, 2000] })
    const garbled: Answer = (reply) => reply.whole([...protocol.opening, 'data: {"garbled\n\n', ...protocol.closing])
    const server = await startServer([garbled, garbled, garbled])
    const other = await startServer([(reply) => reply.whole(says(openaiChat, 'Stood in'))])
    const model = [protocol.model(server.url), openaiChat.model(other.url)]
    expect((await new Agent({ id: 'a', model }).generate('Hi')).text).toBe('Stood in')
  })

  test('B1.7 no tool runs when the stream broke off after a whole call', async () => {
    const ran: unknown[] = []
    const look = createTool({ id: 'look', execute: (input) => ran.push(input) })
    const parts = protocol.calls({ id: 'call_1', name: 'look', pieces: ['{"a":', '1}'] })
    const server = await startServer([(reply) => reply.whole(parts.slice(0, -protocol.callsClosing.length))])
    const stream = await new Agent({ id: 'a', model: protocol.model(server.url), tools: { look } }).stream('Hi', {
      maxRetries: 0,
    })
    await follow(stream)
    const { finishReason, toolCalls, error } = await stream.result
    expect([finishReason, error?.code.slice(0, 6), ran]).toEqual(['error', 'model-', []])
    expect(toolCalls.map(({ args }) => args)).toEqual([{ a: 1 }])
  })

  test('B1.8 characters whose bytes come apart arrive whole', async () => {
    const text = 'Größe — 日本語 👩‍🔬 e\u0301'
    const bytes = new TextEncoder().encode(says(protocol, text, text).join(''))
    const { result } = await run(protocol, [
      (reply) => reply.whole(Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1))),
    ])
    expect([result.text, result.finishReason]).toEqual([text + text, 'stop'])
  })

  test('B1.8 comments, heartbeats and other line ends are nothing', async () => {
    const parts = says(protocol, 'Hel', 'lo').flatMap((part) => [
      ': ping\n\n',
      part.replaceAll('\n', '\r\n'),
      '\n\n:\n\n',
    ])
    const { result } = await run(protocol, [(reply) => reply.whole(parts)])
    expect([result.text, result.finishReason, result.usage.totalTokens]).toEqual(['Hello', 'stop', 10])
  })

  test('B8.5 ten thousand tiny chunks are all there, in order', async () => {
    const words = Array.from({ length: 10_000 }, (_none, index) => `${index % 10}`)
    const whole = says(protocol, ...words).join('')
    const slices = Array.from({ length: Math.ceil(whole.length / 8191) }, (_none, at) =>
      whole.slice(at * 8191, (at + 1) * 8191),
    )
    const { result, chunks } = await run(protocol, [(reply) => reply.whole(slices)])
    expect(result.text === words.join('')).toBe(true)
    expect([result.finishReason, result.usage.outputTokens]).toEqual(['stop', 3])
    expect(chunks.length).toBeGreaterThan(100)
  })

  test.each(['chunkMs', 'stepMs'])(
    'B1.6 silence before the first text ends after %s, and is tried again',
    async (limit) => {
      const timers = quickTimers({ atOnce: [1000], held: [54_321] })
      const { result, server } = await run(
        protocol,
        [
          async (reply, { cut }) => {
            await reply.send(': here\n\n')
            timers.expire(54_321)
            await cut
          },
          hello,
        ],
        { timeout: { [limit]: 54_321 } },
      )
      expect([result.text, server.requests.length, timers.waits]).toEqual(['Hello', 2, [1000]])
    },
  )

  test.each(['chunkMs', 'stepMs'])(
    'B1.6 silence after the first text ends after %s, and what was said is kept',
    async (limit) => {
      const timers = quickTimers({ held: [54_321] })
      const seen = signal()
      const { result, server } = await run(
        protocol,
        [
          async (reply, { cut }) => {
            await reply.send(...protocol.opening, protocol.delta('Half'))
            await seen.given
            timers.expire(54_321)
            await cut
          },
        ],
        { timeout: { [limit]: 54_321 } },
        seen.give,
      )
      expect([result.finishReason, result.error?.code, result.text]).toEqual(['error', 'model-timed-out', 'Half'])
      expect(server.requests).toHaveLength(1)
    },
  )

  test('B7.7 an abort in mid-stream closes the connection, and the run ends at once with what it has', async () => {
    const abort = new AbortController()
    const { result, chunks, server } = await run(
      protocol,
      [
        async (reply, { cut }) => {
          await reply.send(...protocol.opening, protocol.delta('Half'))
          await cut
        },
      ],
      { abortSignal: abort.signal },
      () => abort.abort(),
    )
    expect([result.finishReason, result.text, result.error]).toEqual(['aborted', 'Half', undefined])
    expect(chunks.slice(-2).map(({ type }) => type)).toEqual(['abort', 'finish'])
    await wasCut(server)
  })

  test('B7.7 an abort before the provider answers closes the connection', async () => {
    const abort = new AbortController()
    const { result, server } = await run(
      protocol,
      [
        async (_reply, { cut }) => {
          abort.abort()
          await cut
        },
      ],
      { abortSignal: abort.signal },
    )
    expect([result.finishReason, result.text]).toEqual(['aborted', ''])
    await wasCut(server)
  })

  test('B7.7 an abort of the parent closes the connection of its child', async () => {
    const asked = signal()
    const server = await startServer([
      (reply) => reply.whole(protocol.calls({ id: 'call_1', name: 'child', pieces: ['{"prompt":"Go"}'] })),
      async (reply, { cut }) => {
        await reply.send(': here\n\n', ...protocol.opening)
        asked.give()
        await cut
      },
    ])
    const model = protocol.model(server.url)
    const child = new Agent({ id: 'child', description: 'c', model })
    const stream = await new Agent({ id: 'a', model, agents: { child } }).stream('Hi')
    await asked.given
    stream.abort()
    expect(await stream.finishReason).toBe('aborted')
    await server.requests[1]?.cut
  })
})

async function wasCut(server: LoopbackServer): Promise<void> {
  await server.requests[0]?.cut
}

describe.each(PROTOCOLS.filter(({ family }) => family !== 'google'))('$name', (protocol) => {
  test.each([
    ['that are cut off', ['{"query": "Mont', ' Blanc"']],
    ['that are no JSON', ['query: ', 'Mont Blanc']],
    ['that are no object', ['["Mont Blanc"', ']']],
  ])('B1.7 arguments %s never run, and the model is told', async (_name, pieces) => {
    const ran: unknown[] = []
    const look = createTool({ id: 'look', execute: (input) => ran.push(input) })
    const server = await startServer([
      (reply) => reply.whole(protocol.calls({ id: 'call_1', name: 'look', pieces })),
      (reply) => reply.whole(says(protocol, 'Sorry')),
    ])
    const result = await new Agent({ id: 'a', model: protocol.model(server.url), tools: { look } }).generate('Hi')
    expect([ran, result.text, result.finishReason]).toEqual([[], 'Sorry', 'stop'])
    expect(result.toolResults[0]?.error?.code).toBe('tool-arguments-invalid')
    expect(server.requests[1]?.raw).toContain('Nothing was run.')
  })
})
