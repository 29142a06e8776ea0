import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { runAgent } from './run-agent.ts'

interface ChatRequest {
  messages: { role: string; content: unknown }[]
  tools?: { function: { name: string } }[]
}

const example = fileURLToPath(new URL('../../../../examples/research-supervisor', import.meta.url))
let server: Server | undefined

afterEach(() => {
  vi.unstubAllEnvs()
  server?.close()
})

/** An OpenAI-compatible server on loopback: a model that delegates to whom it can, searches, and then answers with what it read. */
async function serve(): Promise<{ url: string; requests: ChatRequest[] }> {
  const requests: ChatRequest[] = []
  server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as ChatRequest
    requests.push(asked)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of answerTo(asked)) response.write(`data: ${JSON.stringify(delta)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests }
}

function answerTo({ messages, tools = [] }: ChatRequest): object[] {
  const names = tools.map((tool) => tool.function.name)
  const results = messages.filter((message) => message.role === 'tool')
  const next = ['researcher', 'writer', 'search_web'].filter((name) => names.includes(name))[results.length]
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'c',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })
  if (next === undefined) {
    const said =
      results.length === 0 ? 'Noted.' : `Answer from: ${JSON.stringify(results.at(-1)?.content).slice(0, 300)}`
    return [
      chunk({ role: 'assistant', content: said.slice(0, 9) }),
      chunk({ content: said.slice(9) }),
      chunk({}, 'stop'),
    ]
  }
  const args = JSON.stringify(
    next === 'search_web' ? { query: 'Rwanda coffee exports' } : { prompt: 'Rwanda coffee exports' },
  )
  const call = (piece: string, head: object) =>
    chunk({
      tool_calls: [{ index: 0, ...head, function: { ...('id' in head ? { name: next } : {}), arguments: piece } }],
    })
  return [
    call(args.slice(0, 12), { id: `id-${next}`, type: 'function' }),
    call(args.slice(12), {}),
    chunk({}, 'tool_calls'),
  ]
}

test('the same example runs on a real provider’s protocol with no edit', async () => {
  const { url, requests } = await serve()
  vi.stubEnv('OLLAMA_BASE_URL', url)
  vi.stubEnv('RETINUE_MODEL', 'ollama/some-model')
  const out: string[] = []
  const err: string[] = []
  const code = await runAgent({
    cwd: example,
    agent: 'research-supervisor',
    request: 'What does Rwanda export?',
    json: false,
    color: false,
    out: (chunk) => out.push(chunk),
    err: (chunk) => err.push(chunk),
  })
  expect(err.join('')).toMatch(/model ollama\.chat\/some-model|model ollama\/some-model/)
  expect(err.join('')).toMatch(
    /✔ search_web[\s\S]*✔ researcher {2}completed[\s\S]*✔ writer {2}completed[\s\S]*✔ research-supervisor {2}stop/,
  )
  expect(code).toBe(0)
  expect(out.join('')).toContain('Answer from')
  expect(out.join('')).not.toContain('No language model was used')
  // The root asks three times, the researcher twice, the writer once.
  expect(requests).toHaveLength(6)
  expect(requests[0]?.messages[0]).toMatchObject({
    role: 'system',
    content: expect.stringContaining('You coordinate research and writing'),
  })
})
