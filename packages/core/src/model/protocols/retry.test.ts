import { describe, expect, test } from 'vitest'
import { type Answer, deadUrl, startServer } from '../../../test-support/loopback-server.ts'
import { quickTimers } from '../../../test-support/quick-timers.ts'
import { openaiChat, PROTOCOLS, says } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'

const failure = { error: { message: 'Not now.', type: 'server_error', code: 'server_error', status: 'X' } }
const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (reply) =>
    reply.status(status, failure, headers)

describe.each(PROTOCOLS)('$name', (protocol) => {
  const hello: Answer = (reply) => reply.whole(says(protocol, 'Hel', 'lo'))
  /** Stands in for the model under test. */
  const standIn = () => startServer([(reply) => reply.whole(says(openaiChat, 'Stood in'))])

  test('B1.8 429 is tried again after what retry-after says', async () => {
    const { waits } = quickTimers({ atOnce: [7000, 123] })
    const server = await startServer([
      refuse(429, { 'retry-after': '7' }),
      refuse(429, { 'retry-after-ms': '123' }),
      hello,
    ])
    const result = await new Agent({ id: 'a', model: protocol.model(server.url) }).generate('Hi')
    expect([result.text, result.finishReason, waits]).toEqual(['Hello', 'stop', [7000, 123]])
    expect(result.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, calls: 3, unreportedCalls: 2 })
    // A retry says the same thing again.
    expect(new Set(server.requests.map(({ raw }) => raw)).size).toBe(1)
  })

  test('B1.8 retry-after of no time at all is honoured too', async () => {
    const server = await startServer([refuse(429, { 'retry-after': '0' }), hello])
    expect((await new Agent({ id: 'a', model: protocol.model(server.url) }).generate('Hi')).text).toBe('Hello')
  })

  test('B1.8 500 and 503 are tried again, three times in all, and then the run fails', async () => {
    const { waits } = quickTimers({ atOnce: [1000, 2000] })
    const server = await startServer([refuse(500), refuse(503), refuse(500)])
    const run = new Agent({ id: 'a', model: protocol.model(server.url) }).generate('Hi')
    await expect(run).rejects.toMatchObject({ code: 'model-call-failed', data: { status: 500 } })
    expect(waits).toEqual([1000, 2000])
  })

  test('B1.8 401 and 400 are not tried again: the next model is asked at once', async () => {
    const { waits } = quickTimers({ atOnce: [1000] })
    for (const status of [401, 400]) {
      const server = await startServer([refuse(status)])
      const other = await standIn()
      const model = [protocol.model(server.url), openaiChat.model(other.url)]
      expect((await new Agent({ id: 'a', model }).generate('Hi')).text).toBe('Stood in')
    }
    expect(waits).toEqual([])
    const alone = await startServer([refuse(401)])
    const run = new Agent({ id: 'a', model: protocol.model(alone.url) }).generate('Hi')
    await expect(run).rejects.toMatchObject({ code: 'model-call-failed', data: { status: 401 } })
  })

  test('B1.8 a server that nobody runs is tried maxRetries + 1 times, then the next model is asked', async () => {
    const { waits } = quickTimers({ atOnce: [1000, 2000] })
    const other = await standIn()
    const model = [protocol.model(await deadUrl()), openaiChat.model(other.url)]
    const result = await new Agent({ id: 'a', model }).generate('Hi')
    expect([result.text, waits]).toEqual(['Stood in', [1000, 2000]])
    const alone = new Agent({ id: 'a', model: protocol.model(await deadUrl()), maxRetries: 0 }).generate('Hi')
    await expect(alone).rejects.toMatchObject({ code: 'model-call-failed', hint: expect.stringContaining('reached') })
  })

  test('B1.8 a retry does not multiply with the provider package’s own', async () => {
    quickTimers({ atOnce: [1000, 2000] })
    const server = await startServer([refuse(429), refuse(429)])
    const run = new Agent({ id: 'a', model: protocol.model(server.url), maxRetries: 1 }).generate('Hi')
    await expect(run).rejects.toMatchObject({ data: { status: 429 } })
  })

  test('B1.8 an abort ends the waiting for the next attempt', async () => {
    const timers = quickTimers({ held: [60_000] })
    const server = await startServer([refuse(429, { 'retry-after': '900' })])
    const stream = await new Agent({ id: 'a', model: protocol.model(server.url) }).stream('Hi')
    await timers.held
    stream.abort()
    expect(await stream.finishReason).toBe('aborted')
  })
})
