import { expect, test } from 'vitest'
import { bodyOf, pathOf, TABLE } from '../../test-support/every-route.ts'
import { testApp } from '../../test-support/test-app.ts'
import { createHandler } from '../create-handler.ts'

const IDS = { runId: 'r1', threadId: 't1' }
const OWN_HOSTS = ['localhost', 'localhost:4111', '127.0.0.1:4111', '[::1]:4111']
const FOREIGN_HOSTS = [
  'evil.example',
  'evil.example:4111',
  'localhost.evil.example',
  '127.0.0.1.evil.example:4111',
  '192.168.1.7:4111',
  '0.0.0.0:4111',
  'localhost:4111@evil.example',
  'localhost:99999',
  '[::ffff:1.2.3.4]:4111',
]
/** `same`: the page of the server itself. */
const ORIGINS = [
  undefined,
  'same',
  'https://evil.example',
  'http://localhost:9999',
  'http://localhost.evil.example',
  'null',
  'file://',
  'chrome-extension://abc',
]
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'text/plain;application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
]

/** A request as a browser, or a program, sends it. */
function request(method: string, path: string, host: string, headers: Record<string, string>, body: unknown): Request {
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const made = new Request(`http://localhost:4111${path}`, { method, ...text })
  const all = new Headers({ ...headers, host })
  // `Request` lets nobody set a Host or an Origin; a connection does.
  return Object.defineProperty(made, 'headers', { value: all })
}

test('R19 no request of a foreign host, a foreign origin or a simple content type reaches an agent', {
  timeout: 120_000,
}, async () => {
  const { server, script, app } = testApp()
  let asked = 0
  const counting = createHandler({
    app,
    resolveModel: () => {
      asked += 1
      return script.at('none')
    },
  })
  const reached: string[] = []
  const broken: string[] = []
  let tried = 0
  for (const route of TABLE) {
    const body = bodyOf(route, IDS)
    for (const host of [...OWN_HOSTS, ...FOREIGN_HOSTS])
      for (const origin of ORIGINS)
        for (const type of TYPES) {
          const isOwnHost = OWN_HOSTS.includes(host)
          const isOwnOrigin = origin === undefined || origin === 'same'
          const isJson = type.startsWith('application/json') || body === undefined
          // Those that may pass are another test's.
          if (isOwnHost && isOwnOrigin && isJson) continue
          if (route.owner === 'public' && isOwnHost && isOwnOrigin) continue
          const sent = {
            ...(body === undefined ? {} : { 'content-type': type }),
            ...(origin === undefined ? {} : { origin: origin === 'same' ? `http://${host}` : origin }),
          }
          tried += 1
          const target = route.owner === 'begin' ? counting : server
          const response = await target.fetch(request(route.method.toUpperCase(), pathOf(route, IDS), host, sent, body))
          const { code } = (await response.json()) as { code: string }
          const line = `${route.method} ${route.path} host=${host} origin=${origin} type=${type}: ${response.status} ${code}`
          if (!isOwnHost && code !== 'host-refused') broken.push(line)
          else if (isOwnHost && !isOwnOrigin && code !== 'origin-refused') broken.push(line)
          else if (isOwnHost && isOwnOrigin && code !== 'content-type-refused') broken.push(line)
          if (response.status < 400) reached.push(line)
        }
  }
  expect(broken).toEqual([])
  expect(reached).toEqual([])
  expect(asked).toBe(0)
  expect(tried).toBeGreaterThan(5_000)
})

test('R19 what the page of another site does without an origin changes nothing', async () => {
  const { server } = testApp()
  for (const route of TABLE.filter(({ method }) => method !== 'get')) {
    const sent = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }
    const response = await server.fetch(request(route.method.toUpperCase(), pathOf(route, IDS), 'localhost', sent, {}))
    expect([route.path, response.status]).toEqual([route.path, 403])
  }
})

test('B12.3 the page of a listed origin may call, and is told so before', async () => {
  const origin = 'https://app.example.com'
  const { server } = testApp({ settings: { cors: { origins: [origin], credentials: true } } })
  const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
  const before = await server.fetch(request('OPTIONS', '/api/agents/sup/stream', 'localhost', headers, undefined))
  expect(before.status).toBe(204)
  expect(before.headers.get('access-control-allow-origin')).toBe(origin)
  expect(before.headers.get('access-control-allow-credentials')).toBe('true')
  const after = await server.fetch(request('GET', '/api/agents', 'localhost', { origin }, undefined))
  expect([after.status, after.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  const missing = await server.fetch(request('GET', '/api/agents/none', 'localhost', { origin }, undefined))
  expect([missing.status, missing.headers.get('access-control-allow-origin')]).toEqual([404, origin])
  const other = await server.fetch(
    request('OPTIONS', '/api/agents', 'localhost', { ...headers, origin: 'https://evil.example' }, undefined),
  )
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null])
})

test('B12.3 a server that others reach is called by its names and its address, and by no other name', async () => {
  const { app } = testApp()
  const settings = { host: '0.0.0.0', allowedHosts: ['agents.example.com'], token: 'a-token-of-some-length' }
  const server = createHandler({ app, settings })
  const status = async (host: string) => (await server.fetch(request('GET', '/healthz', host, {}, undefined))).status
  expect(
    await Promise.all(['agents.example.com', 'AGENTS.example.com:443', '10.0.0.7:4111', 'localhost'].map(status)),
  ).toEqual([200, 200, 200, 200])
  expect(await Promise.all(['evil.example', 'agents.example.com.evil.example', ''].map(status))).toEqual([
    421, 421, 421,
  ])
})
