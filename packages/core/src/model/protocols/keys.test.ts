import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { follow, signal } from '../../../test-support/follow.ts'
import { deadUrl, startServer } from '../../../test-support/loopback-server.ts'
import { openaiChat, PROTOCOLS, says, type WireProtocol } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import { isRetinueError } from '../../errors/retinue-error.ts'

/** Keys as providers make them, and one that looks like nothing. */
const KEYS = ['sk-proj-canary0123456789abcdef', 'AIzaSyCanary0123456789abcdefghijk', 'xyzcanary0123456789abcdefghijklm']

/** What an application prints, logs or sends on: all but the raw `cause`. */
function shown(error: unknown): string {
  if (!isRetinueError(error)) return String(error)
  const { message, hint, data, code, stack } = error
  return JSON.stringify([code, message, hint, data, stack, error, String(error)])
}

async function run(protocol: WireProtocol, url: string, key: string): Promise<string> {
  const model = protocol.model(url, key)
  const child = new Agent({ id: 'child', description: 'c', model, maxRetries: 0 })
  const stream = await new Agent({ id: 'a', model, agents: { child }, maxRetries: 0 }).stream('Hi')
  const chunks = await follow(stream)
  const nested: unknown[] = []
  for await (const chunk of stream.fullStream) nested.push(chunk)
  const { error, ...rest } = await stream.result
  return shown(error) + JSON.stringify([chunks, nested, rest])
}

describe.each(PROTOCOLS)('$name', (protocol) => {
  test.each(KEYS)('B2.6 the key %s goes to the provider, and comes back in nothing that a run gives', async (key) => {
    const says401 = `Incorrect API key provided: ${key}. You can find your key in your account.`
    const body = { error: { message: says401, type: 'invalid_request_error', code: 401, status: 'UNAUTHENTICATED' } }
    const refusing = await startServer([(reply) => reply.status(401, body)])
    expect(await run(protocol, refusing.url, key)).not.toContain(key)
    expect(refusing.requests[0]?.headers[protocol.keyHeader]).toContain(key)

    const erring = await startServer([(reply) => reply.whole([...protocol.opening, protocol.error(says401)])])
    expect(await run(protocol, erring.url, key)).not.toContain(key)

    expect(await run(protocol, await deadUrl(), key)).not.toContain(key)
  })

  test('B2.6 an error of a child reaches its parent’s model and the application without it', async () => {
    const [key = ''] = KEYS
    const server = await startServer([
      (reply) => reply.whole(protocol.calls({ id: 'call_1', name: 'child', pieces: ['{"prompt":"Go"}'] })),
      (reply) => reply.status(401, { error: { message: `Bad key ${key}`, code: 401, status: 'X', type: 'x' } }),
      (reply) => reply.whole(says(protocol, 'It failed')),
    ])
    expect(await run(protocol, server.url, key)).not.toContain(key)
    for (const { raw } of server.requests) expect(raw).not.toContain(key)
  })

  test('B2.6 an error printed whole, causes and all, holds no key that the provider did not print itself', async () => {
    const [key = ''] = KEYS
    const seen = signal()
    const server = await startServer([
      (reply) => reply.status(400, { error: { message: 'No.', code: 400, status: 'X', type: 'x' } }),
      async (reply) => {
        await reply.send(...protocol.opening, protocol.delta('Half'))
        await seen.given
        reply.destroy()
      },
    ])
    const agent = new Agent({ id: 'a', model: protocol.model(server.url, key) })
    const error: unknown = await agent.generate('Hi').catch((thrown: unknown) => thrown)
    expect(isRetinueError(error)).toBe(true)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(key)
    const stream = await agent.stream('Hi')
    await follow(stream, seen.give)
    expect(inspect(await stream.error, { depth: 20, showHidden: true })).not.toContain(key)
  })
})

test('B2.6 two providers in one run each get their own key', async () => {
  const [one = '', two = ''] = KEYS
  const first = await startServer([(reply) => reply.status(400, { error: { message: 'No.' } })])
  const second = await startServer([(reply) => reply.whole(says(openaiChat, 'Yes'))])
  const model = [(PROTOCOLS[2] as WireProtocol).model(first.url, one), openaiChat.model(second.url, two)]
  await new Agent({ id: 'a', model }).generate('Hi')
  expect(JSON.stringify(first.requests[0]?.headers)).not.toContain(two)
  expect(JSON.stringify(second.requests[0]?.headers)).not.toContain(one)
})
