import { expect, test } from 'vitest'
import { bodyOf, pathOf, TABLE } from '../../test-support/every-route.ts'
import { testApp } from '../../test-support/test-app.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

test('S30 every refusal is the one envelope, with the status that fits', async () => {
  const t = testApp({ settings: { bodyLimit: 10_000 } })
  const cases: [string, string, unknown, number, string][] = [
    ['GET', '/nothing', undefined, 404, 'route-not-found'],
    ['GET', '/api/agents/none', undefined, 404, 'agent-unknown'],
    ['POST', '/api/agents/none/generate', { input: 'Hi.' }, 404, 'agent-unknown'],
    ['POST', '/api/agents/constructor/generate', { input: 'Hi.' }, 404, 'agent-unknown'],
    ['DELETE', '/api/agents/sup', undefined, 405, 'method-not-allowed'],
    ['GET', '/api/runs/none', undefined, 404, 'run-not-found'],
    ['PUT', '/api/runs/none', undefined, 405, 'method-not-allowed'],
    ['GET', '/api/threads/none', undefined, 404, 'thread-not-found'],
    ['POST', '/api/agents/sup/generate', '{"input": ', 400, 'body-invalid'],
    ['POST', '/api/agents/sup/generate', '', 400, 'request-invalid'],
    ['POST', '/api/agents/sup/generate', {}, 400, 'request-invalid'],
    ['POST', '/api/agents/sup/generate', { input: 'x', messages: [] }, 400, 'request-invalid'],
    ['POST', '/api/agents/sup/generate', { input: 7 }, 400, 'request-invalid'],
    ['POST', '/api/agents/sup/generate', { input: '' }, 400, 'input-invalid'],
    ['POST', '/api/agents/sup/generate', { input: 'x', model: 'gpt' }, 400, 'request-invalid'],
    ['POST', '/api/agents/sup/generate', { input: 'x', threadId: 'y'.repeat(300) }, 400, 'option-invalid'],
    ['POST', '/api/agents/plain/generate', { input: 'x', threadId: 't1' }, 404, 'memory-missing'],
    ['POST', '/api/agents/sup/generate', { input: 'x'.repeat(20_000) }, 413, 'body-too-large'],
    ['POST', '/api/agents/sup/generate', '['.repeat(5_000) + ']'.repeat(5_000), 400, 'body-invalid'],
    ['POST', '/api/agents/sup/generate', { messages: [{ role: 'system', content: 'Obey.' }] }, 400, 'request-invalid'],
    ['POST', '/api/chat/sup', { id: 'c', messages: [] }, 400, 'request-invalid'],
    ['POST', '/api/chat/sup', { id: 'c', messages: [{ role: 'system', parts: [] }] }, 400, 'request-invalid'],
    ['GET', '/api/runs?limit=0', undefined, 400, 'request-invalid'],
    ['GET', '/api/runs?limit=x', undefined, 400, 'request-invalid'],
    ['GET', '/api/runs?cursor=x', undefined, 400, 'option-invalid'],
    ['GET', '/api/runs?colour=red', undefined, 400, 'request-invalid'],
    ['GET', '/api/runs/none?colour=red', undefined, 400, 'request-invalid'],
    [
      'POST',
      '/v1/chat/completions',
      { model: 'none', messages: [{ role: 'user', content: 'x' }] },
      404,
      'agent-unknown',
    ],
  ]
  for (const [method, path, body, status, code] of cases) {
    const response = await t.call(method, path, { body, headers: { ...JSON_TYPE, 'x-request-id': 'req-1' } })
    const envelope = (await response.json()) as Record<string, unknown>
    expect([method, path, response.status, envelope['code']]).toEqual([method, path, status, code])
    expect(envelope).toMatchObject({ message: expect.any(String), path: path.split('?')[0], requestId: 'req-1' })
    expect(response.headers.get('x-request-id')).toBe('req-1')
    expect(response.headers.get('content-type')).toContain('application/json')
  }
  expect(t.log).toEqual([])
})

test('S30 a head is asked for of the health alone: nothing begins for a reader that reads nothing', async () => {
  const more = Promise.withResolvers<void>()
  const t = testApp({ script: { plain: [{ text: 'Late.', after: more.promise }] } })
  const response = await t.post('/api/agents/plain/stream', { input: 'Hi.' })
  const runId = response.headers.get('x-retinue-run-id')
  const head = await t.call('HEAD', `/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } })
  expect([head.status, (await t.call('HEAD', '/healthz')).status]).toEqual([405, 200])
  more.resolve()
  await response.text()
})

test('S30 a body without a length is refused as soon as it is too long, and is not read to its end', async () => {
  const t = testApp({ settings: { bodyLimit: 1_000_000 } })
  let sent = 0
  let isCancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 100_000
      controller.enqueue(new Uint8Array(100_000).fill(32))
    },
    cancel: () => {
      isCancelled = true
    },
  })
  const request = new Request('http://localhost/api/agents/sup/generate', {
    method: 'POST',
    headers: JSON_TYPE,
    body: endless,
    duplex: 'half',
  } as RequestInit)
  const response = await t.server.fetch(request)
  expect([response.status, isCancelled]).toEqual([413, true])
  expect(sent).toBeLessThan(2_000_000)
})

test('B12.3 names that are traps in JSON are names like others', async () => {
  const t = testApp({ script: { plain: [{ text: 'ok' }] } })
  const body = '{"input":"Hi.","__proto__":{"sees":"all"},"modelSettings":{"temperature":0,"__proto__":{"x":1}}}'
  const response = await t.post('/api/agents/plain/generate', undefined, { body, headers: JSON_TYPE })
  expect(response.status).toBe(200)
  expect(({} as Record<string, unknown>)['sees']).toBeUndefined()
})

test('B12.2 what fails on the server’s side is told in our words, and in full in its log', async () => {
  const secret = 'postgres://admin:hunter2@db.internal/prod'
  const t = testApp({
    settings: { auth: () => Promise.reject(new Error(`no connection to ${secret} sk-abcdef123456`)) },
  })
  const response = await t.get('/api/runs')
  const text = await response.text()
  expect(response.status).toBe(500)
  expect(JSON.parse(text)).toMatchObject({ code: 'server-failed', message: 'The server failed.' })
  expect(text).not.toContain('hunter2')
  expect(t.log.join()).toContain('no connection to')
  expect(t.log.join()).not.toContain('hunter2')
  expect(t.log.join()).not.toContain('sk-abcdef')
  expect(t.log.join()).toContain(response.headers.get('x-request-id'))
})

test('S30 no route fails for a body that is any JSON', { timeout: 60_000 }, async () => {
  const t = testApp()
  const bodies = ['null', '[]', '7', '"x"', 'true', '{}', '{"a":1}', '[{}]', '{"messages":null}', '{"input":{}}']
  for (const route of TABLE.filter(({ method }) => method === 'post' || method === 'patch'))
    for (const body of bodies) {
      const path = pathOf(route, { runId: 'none', threadId: 'none' })
      const response = await t.call(route.method.toUpperCase(), path, { body, headers: JSON_TYPE })
      expect([route.path, body, response.status < 500]).toEqual([route.path, body, true])
    }
})

test('the description of the server is OpenAPI 3.1, of every route and of what checks it', async () => {
  const t = testApp({ settings: { token: 'a-token-of-some-length' } })
  const response = await t.get('/openapi.json', { headers: { authorization: 'Bearer a-token-of-some-length' } })
  const description = (await response.json()) as {
    openapi: string
    paths: Record<string, Record<string, Record<string, unknown>>>
    components: { schemas: { Error: { required: string[]; additionalProperties?: unknown } } }
  }
  expect(description.openapi).toBe('3.1.0')
  const ids = new Set<unknown>()
  for (const route of TABLE) {
    const operation = description.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method]
    expect([route.path, operation?.['summary']]).toEqual([route.path, route.summary])
    expect(ids.has(operation?.['operationId'])).toBe(false)
    ids.add(operation?.['operationId'])
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const parameters = (operation?.['parameters'] ?? []) as { name: string; in: string }[]
    expect(parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name)).toEqual(names)
    // A body that may be left out says so.
    if (route.body) {
      const isNeeded = !route.body.safeParse(undefined).success
      expect(operation?.['requestBody']).toMatchObject({ required: isNeeded })
    }
    expect(operation?.['requestBody'] !== undefined).toBe(route.body !== undefined)
    if (bodyOf(route, { runId: 'r', threadId: 't' }) !== undefined && route.body)
      expect([route.path, JSON.stringify(operation?.['requestBody'])]).toEqual([
        route.path,
        expect.stringContaining('"type"'),
      ])
  }
  const required = (path: string): unknown => {
    type Answers = Record<string, { content?: Record<string, { schema?: { required: string[] } }> }>
    const answers = description.paths[path]?.['get']?.['responses'] as Answers | undefined
    return answers?.['200']?.content?.['application/json']?.schema?.required
  }
  expect(required('/api/threads')).toContain('unreadable')
  expect(required('/api/threads/{threadId}/messages')).toContain('unreadable')
  // OpenAI's clients find their own form in it.
  expect(description.components.schemas.Error.additionalProperties).not.toBe(false)
  expect(description.components.schemas.Error.required).toEqual(['code', 'message', 'path', 'requestId'])
})
