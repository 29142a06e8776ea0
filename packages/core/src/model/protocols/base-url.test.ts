import { expect, test, vi } from 'vitest'
import { startServer } from '../../../test-support/loopback-server.ts'
import { anthropic, compatible, gemini, openaiResponses, says } from '../../../test-support/wire-protocols.ts'
import { Agent } from '../../agent/agent.ts'
import { resolveModel } from '../resolve-model.ts'

const NAMED = [
  [openaiResponses, 'OPENAI_BASE_URL', '/v1'],
  [anthropic, 'ANTHROPIC_BASE_URL', '/v1'],
  [gemini, 'GOOGLE_BASE_URL', '/v1beta'],
  [compatible, 'OLLAMA_BASE_URL', '/v1'],
] as const

test.each(NAMED)(
  'B1.2 $name is asked where $1 says, with or without a slash at its end',
  async (protocol, variable, version) => {
    for (const end of ['', '/']) {
      const server = await startServer([(reply) => reply.whole(says(protocol, 'Hello'))])
      const model = protocol.model(server.url)
      vi.stubEnv(variable, `${server.url}${version}${end}`)
      expect((await new Agent({ id: 'a', model }).generate('Hi')).text).toBe('Hello')
      expect(server.requests[0]?.path).toBe(protocol.path)
    }
  },
)

test('B1.2 a variable that is set to nothing is not set', async () => {
  const env = {
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    GEMINI_API_KEY: 'k',
    OPENAI_BASE_URL: '',
    ANTHROPIC_BASE_URL: '',
    GOOGLE_BASE_URL: '',
    OLLAMA_BASE_URL: '',
  }
  for (const [name, at] of [
    ['openai/m', 'https://api.openai.com/v1'],
    ['anthropic/m', 'https://api.anthropic.com/v1'],
    ['google/m', 'https://generativelanguage.googleapis.com/v1beta'],
    ['ollama/m', 'http://127.0.0.1:11434/v1'],
  ] as const) {
    const { config } = (await resolveModel(name, { env })) as unknown as {
      config: { baseURL?: string; url?: (of: { path: string; modelId: string }) => string }
    }
    expect(config.baseURL ?? config.url?.({ path: '', modelId: 'm' })).toBe(at)
  }
})

test('B1.2 headers and provider options of a call arrive', async () => {
  const server = await startServer([(reply) => reply.whole(says(openaiResponses, 'Hello'))])
  await new Agent({ id: 'a', model: openaiResponses.model(server.url) }).generate('Hi', {
    headers: { 'x-trace': 'abc' },
    providerOptions: { openai: { user: 'u1' } },
    modelSettings: { maxOutputTokens: 50 },
  })
  expect(server.requests[0]?.headers['x-trace']).toBe('abc')
  expect(server.requests[0]?.body).toMatchObject({ user: 'u1', max_output_tokens: 50 })
})
