import { Retinue } from '@retinue/core'
import { isRetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { SERVER_SETTINGS, serverProblems } from '../../test-support/project.ts'
import { testApp } from '../../test-support/test-app.ts'
import { createHandler } from '../create-handler.ts'
import { checkedSettings } from './checked-settings.ts'
import type { ServerSettings } from './settings.ts'

function codeOf(settings: unknown): string | undefined {
  try {
    checkedSettings(settings as ServerSettings)
    return undefined
  } catch (thrown) {
    if (!isRetinueError(thrown)) throw thrown
    expect(thrown.hint).not.toBe('')
    return thrown.code
  }
}

test('B12.3 a server is for this machine alone, unless it is told otherwise', () => {
  expect(checkedSettings()).toMatchObject({ host: '127.0.0.1', port: 4111, cors: { origins: [] } })
})

test('B12.3 a server that others can reach needs to know who asks', () => {
  for (const open of [
    { host: '0.0.0.0' },
    { host: '::' },
    { host: '10.0.0.7' },
    { allowedHosts: ['agents.example.com'] },
  ]) {
    expect(codeOf(open)).toBe('server-unprotected')
    expect(codeOf({ ...open, token: 'a-token-of-some-length' })).toBeUndefined()
    expect(codeOf({ ...open, auth: () => undefined })).toBeUndefined()
  }
  for (const host of ['localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]', 'LOCALHOST'])
    expect(codeOf({ host })).toBeUndefined()
})

test('settings that make no server are refused, each with what it should be, and by check as well', () => {
  const wrong = [
    null,
    [],
    'x',
    { colour: 'red' },
    { port: -1 },
    { port: 70_000 },
    { port: '4111' },
    { host: '' },
    { token: 'short' },
    { token: 7 },
    { auth: true },
    { allowedHosts: 'x' },
    { cors: {} },
    { cors: { origins: ['*'] } },
    { cors: { origins: ['https://a.example/'] } },
    { middleware: {} },
    { bodyLimit: 0 },
    { heartbeatMs: 20_000 },
    { heartbeatMs: 0 },
    { detachMs: -1 },
    { detachMs: Number.NaN },
    { detachMs: Number.NEGATIVE_INFINITY },
    { shutdownMs: -1 },
    { host: ' ' },
    { host: 7 },
    { auth: null },
    { allowedHosts: [7] },
    { cors: null },
    { cors: { origins: 'https://a.example' } },
    { middleware: [true] },
  ]
  for (const settings of wrong) expect([settings, codeOf(settings)]).toEqual([settings, 'server-settings-invalid'])
  // What is no object, or has a name that is not known, has findings of its own; what a missing variable makes has none.
  const others: readonly unknown[] = [null, [], 'x', { colour: 'red' }, { host: '' }, { detachMs: Number.NaN }]
  for (const settings of wrong) {
    const isOther = others.some((other) => JSON.stringify(other) === JSON.stringify(settings))
    if (typeof settings !== 'object' || settings === null || isOther) continue
    expect([settings, serverProblems({ ...settings }).length]).toEqual([settings, 1])
  }
  const right = [
    {},
    checkedSettings(),
    { port: 0, shutdownMs: 0, detachMs: 0, bodyLimit: 1, heartbeatMs: 15_000 },
    { token: '0123456789abcdef', host: 'agents.example.com', allowedHosts: ['a'], auth: () => undefined },
    { detachMs: Number.POSITIVE_INFINITY, cors: { origins: ['http://localhost:3000'], credentials: true } },
    { middleware: [() => {}] },
  ]
  for (const settings of right)
    expect([settings, codeOf(settings), serverProblems({ ...settings })]).toEqual([settings, undefined, []])
})

test('what check says of server.ts is what the server knows', () => {
  const known = Object.keys(checkedSettings()).toSorted()
  expect(SERVER_SETTINGS.toSorted()).toEqual(known)
})

test('an application without a storage is refused: nothing of its runs could be found again', () => {
  const make = (): unknown => createHandler({ app: new Retinue({ agents: {} }) })
  expect(make).toThrow('has no storage')
})

test('middleware of server.ts stands around the routes, and behind the checks', async () => {
  const seen: string[] = []
  const t = testApp({
    settings: {
      middleware: [
        async (c, next) => {
          seen.push(c.req.path)
          await next()
          c.header('x-own', 'yes')
        },
      ],
    },
  })
  const response = await t.get('/healthz')
  expect([response.headers.get('x-own'), seen]).toEqual(['yes', ['/healthz']])
  await t.get('/healthz', { headers: { origin: 'https://evil.example' } })
  expect(seen).toHaveLength(1)
})
