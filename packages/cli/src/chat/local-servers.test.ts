import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { findLocalServers } from './local-servers.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Answers = Readonly<Record<string, unknown>> | ((response: ServerResponse, path: string) => void)

/** A server on loopback; what it is asked for is in `asked`. */
async function serve(answers: Answers): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(`${request.method} ${path}`)
    if (typeof answers === 'function') {
      answers(response, path)
      return
    }
    response.statusCode = path in answers ? 200 : 404
    response.end(JSON.stringify(answers[path] ?? { error: 'not found' }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const list = (...ids: string[]): unknown => ({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })
/** No clock: a search that does not end by itself fails by the test's own limit. */
const noLimit = new AbortController().signal

describe('model servers on this machine', () => {
  test('each is known by the shape of its answer', async () => {
    const [ollama, lmstudio, llamacpp, vllm] = await Promise.all([
      serve({ '/api/tags': { models: [{ name: 'qwen3:latest' }, { name: 'llama3.2:1b' }] } }),
      serve({ '/v1/models': list('google/gemma-3', 'text-embedding-nomic') }),
      serve({ '/props': { default_generation_settings: {}, model_path: '/models/phi-4.gguf' } }),
      serve({ '/v1/models': list('Qwen/Qwen3-8B') }),
    ])
    const addresses = Object.fromEntries(
      Object.entries({ ollama, lmstudio, llamacpp, vllm }).map(([provider, { address }]) => [provider, address]),
    )
    const found = await findLocalServers({ addresses, limit: noLimit })
    expect(found.map(({ name, provider, models }) => [name, provider, models])).toEqual([
      ['Ollama', 'ollama', ['qwen3', 'llama3.2:1b']],
      ['LM Studio', 'lmstudio', ['google/gemma-3']],
      ['llama.cpp', 'llamacpp', ['phi-4.gguf']],
      ['vLLM', 'vllm', ['Qwen/Qwen3-8B']],
    ])
    expect(ollama.asked).toEqual(['GET /api/tags'])
    expect(llamacpp.asked).toEqual(['GET /v1/models', 'GET /props'])
  })

  test.each<[string, Answers]>([
    ['another shape', { '/v1/models': { models: [] }, '/api/tags': { tags: ['qwen3'] } }],
    ['a list of nothing', { '/v1/models': list(), '/api/tags': { models: [] } }],
    ['no JSON', (response) => void response.end('<html>hello</html>')],
    [
      'names that steer a terminal',
      { '/v1/models': list('evil\u001b[2J'), '/api/tags': { models: [{ name: 'a b' }] } },
    ],
    ['entries without a name', { '/v1/models': { object: 'list', data: [{}] }, '/api/tags': { models: [null] } }],
    ['an error', (response) => void response.writeHead(500).end('{}')],
    ['a list that does not say so', { '/v1/models': { data: [{ id: 'x' }] } }],
    ['an answer without end', (response) => void response.end(`[${'1,'.repeat(600_000)}1]`)],
  ])('%s is no server', async (_what, answers) => {
    const { address } = await serve(answers)
    const addresses = { ollama: address, lmstudio: address, llamacpp: address, vllm: address }
    expect(await findLocalServers({ addresses, limit: noLimit })).toEqual([])
  })

  test('a redirect is not followed: it could lead off this machine', async () => {
    const elsewhere = await serve({ '/v1/models': list('far-away') })
    const { address, asked } = await serve((response, path) => {
      response.writeHead(302, { location: `${elsewhere.address}${path}` }).end()
    })
    expect(await findLocalServers({ addresses: { vllm: address }, limit: noLimit })).toEqual([])
    expect(asked).toEqual(['GET /v1/models'])
    expect(elsewhere.asked).toEqual([])
  })

  test('where nobody listens there is no server', async () => {
    const { address } = await serve({})
    servers.pop()?.close()
    expect(await findLocalServers({ addresses: { ollama: address, vllm: address }, limit: noLimit })).toEqual([])
  })

  test('one that stays silent is not waited for beyond the limit, and the others are found even so', async () => {
    const limit = new AbortController()
    const silent = await serve(() => limit.abort())
    const ollama = await serve({ '/api/tags': { models: [{ name: 'qwen3' }] } })
    // The limit is reached when the silent one is asked, which is after the other has answered.
    const ordered: typeof fetch = async (url, init) => {
      if (String(url).startsWith(silent.address)) await answered.promise
      const response = await fetch(url, init)
      answered.resolve()
      return response
    }
    const answered = Promise.withResolvers<void>()
    const addresses = { ollama: ollama.address, vllm: silent.address }
    const found = await findLocalServers({ addresses, limit: limit.signal, fetch: ordered })
    expect(found.map(({ name }) => name)).toEqual(['Ollama'])
  })

  test('the limit holds even for a fetch that heeds no signal', async () => {
    const limit = AbortSignal.abort()
    expect(await findLocalServers({ limit, fetch: () => new Promise(() => {}) })).toEqual([])
  })

  test('nothing but loopback is asked, at the ports that the servers use, all at the same time', async () => {
    const asked: string[] = []
    const limit = new AbortController()
    const record: typeof fetch = (url) => {
      asked.push(String(url))
      if (asked.length === 4) limit.abort()
      return new Promise(() => {})
    }
    await findLocalServers({ fetch: record, limit: limit.signal })
    expect(asked).toEqual([
      'http://127.0.0.1:11434/api/tags',
      'http://127.0.0.1:1234/v1/models',
      'http://127.0.0.1:8080/v1/models',
      'http://127.0.0.1:8000/v1/models',
    ])
  })
})
