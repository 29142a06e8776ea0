import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RequestContext } from '@retinue/core/request-context'
import { LibSQLStore } from '@retinue/libsql'
import { afterEach, expect, test, vi } from 'vitest'
import { bodyOf, pathOf, TABLE } from '../../test-support/every-route.ts'
import { type TestApp, testApp } from '../../test-support/test-app.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A secret by the place that it is planted in. */
function canary(place: string): string {
  return `canary-${place}-7f3a91`
}

const HEADERS = ['authorization', 'cookie', 'x-api-key', 'x-forwarded-access-token', 'proxy-authorization'] as const
const CONTEXT = ['token', 'session', 'password', 'profile', 'tenant-key'] as const

/** What callers bring along and no store may keep. */
function secretContext(): RequestContext {
  const context = new RequestContext()
  for (const key of CONTEXT) context.set(key, { value: canary(`context-${key}`) }, { persist: false })
  return context
}

/** What providers and databases say when they fail. */
const FAILURES = ['key', 'dsn', 'bearer', 'url', 'internal'] as const
const failure = (index: number): Error => new Error(`failed: ${canary(`error-${FAILURES[index % FAILURES.length]}`)}`)

async function scenarios(t: TestApp): Promise<string[]> {
  const told: string[] = []
  const headers = Object.fromEntries(HEADERS.map((name) => [name, canary(`header-${name}`)]))
  const send = async (method: string, path: string, body: unknown, accept = 'application/json', as = 'ada') => {
    const response = await t.call(method, path, { body, as, headers: { ...headers, accept } })
    told.push(JSON.stringify([...response.headers]), await response.text())
    return told.at(-1) ?? ''
  }
  const events = 'text/event-stream'
  const chat = (id: string) => ({ id, messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }] })
  const ask = { model: 'plain', messages: [{ role: 'user', content: 'Hi.' }] }
  // Each of them fails, in each way that an answer can be told in.
  for (let i = 0; i < FAILURES.length; i++) {
    await send('POST', '/api/agents/plain/generate', { input: 'Hi.' })
    await send('POST', '/api/agents/plain/stream', { input: 'Hi.' }, events)
    await send('POST', '/api/chat/plain', chat(`c${i}`), events)
    await send('POST', '/v1/chat/completions', ask)
    await send('POST', '/v1/chat/completions', { ...ask, stream: true }, events)
    await send('POST', '/v1/responses', { model: 'plain', input: 'Hi.', stream: true }, events)
  }
  // A subagent that fails, a call that waits, its decision, and what is kept of all that.
  const asked = await send('POST', '/api/agents/sup/generate', { input: 'Pay.', threadId: 't1' })
  const { runId } = JSON.parse(asked) as { runId: string }
  await send('GET', `/api/runs/${runId}`, undefined)
  await send('GET', `/api/runs/${runId}/events`, undefined)
  await send('GET', '/api/approvals', undefined)
  await send('GET', '/api/chat/sup/t1/stream', undefined, events)
  await send('POST', `/api/runs/${runId}/approve`, { args: { euros: 'many' } })
  await send('POST', `/api/runs/${runId}/approve`, {}, events)
  await send('GET', `/api/runs/${runId}`, undefined)
  await send('GET', '/api/threads/t1/messages', undefined)
  await send('GET', '/api/threads/t1/messages?format=ui', undefined)
  // What a tool of the agent itself threw.
  await send('POST', '/api/agents/sup/generate', { input: 'Fail.', threadId: 't2' })
  await send('GET', '/api/threads/t2/messages', undefined)
  await send('GET', '/api/threads/t2/messages?format=ui', undefined)
  await send('POST', '/api/chat/sup', chat('t3'), events)
  // Tasks that fail, each as its watcher, its run and its list are told.
  for (let i = 0; i < FAILURES.length; i++) {
    const input = { input: 'Look.', threadId: `l${i}`, untilIdle: true }
    await send('POST', '/api/agents/lead/stream', input, events)
    await send('POST', '/api/chat/lead', { ...chat(`lc${i}`), untilIdle: true }, events)
  }
  const { tasks } = JSON.parse(await send('GET', '/api/tasks', undefined)) as { tasks: { taskId: string }[] }
  for (const { taskId } of tasks) {
    await send('GET', `/api/tasks/${taskId}`, undefined)
    await send('GET', `/api/tasks/${taskId}/events`, undefined, events)
  }
  // Whatever else there is, asked for wrongly and by a stranger.
  for (const route of TABLE) {
    const ids = { runId: 'none', threadId: 'none' }
    if (route.owner === 'begin') continue
    await send(route.method.toUpperCase(), pathOf(route, ids), bodyOf(route, ids), undefined, 'mallory')
    await send(
      route.method.toUpperCase(),
      pathOf(route, ids),
      route.method === 'get' ? undefined : '{',
      undefined,
      'mallory',
    )
  }
  return told
}

test('R17 S28 no secret of a caller, of the environment or of what failed comes out, or into a file', async () => {
  vi.stubEnv('OPENAI_API_KEY', canary('env-openai'))
  vi.stubEnv('RETINUE_TOKEN', canary('env-token'))
  const folder = mkdtempSync(join(tmpdir(), 'retinue-server-'))
  folders.push(folder)
  const storage = new LibSQLStore({ id: 's', url: `file:${join(folder, 'app.db')}` })
  const failing = Array.from({ length: FAILURES.length * 6 }, (_none, index) => failure(Math.floor(index / 6)))
  const scout = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
  const sorry = { text: 'Sorry.' }
  const fails = { calls: [{ id: 'f1', name: 'fail', args: {} }] }
  const t = testApp({
    storage,
    users: true,
    durable: true,
    context: secretContext(),
    script: {
      plain: failing,
      sup: [
        { calls: [{ id: 'd1', name: 'clerk', args: { prompt: 'Pay.' } }] },
        { calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 1 } }] },
        { text: 'Paid.' },
        fails,
        sorry,
        fails,
        sorry,
      ],
      'sup/clerk': [failure(0), failure(1), failure(2)],
      lead: FAILURES.flatMap(() => [scout, sorry, sorry, scout, sorry, sorry]),
      // What its model failed with, and what its tool threw.
      'lead/scout': FAILURES.flatMap((_name, index) => [failure(index), fails, { text: 'It failed.' }]),
    },
  })
  const told = await scenarios(t)
  expect(told.length).toBeGreaterThan(100)
  expect(told.join()).toContain('background-task-failed')
  expect(told.join()).toContain('Paid.')
  expect(told.join()).toContain('model-call-failed')
  expect(told.join()).toContain('The tool failed.')
  await t.server.close()
  const { items } = await storage.runs.list({ limit: 1000 })
  const events = await Promise.all(items.map(({ runId }) => storage.runs.listEvents({ runId, limit: 1000 })))
  expect(JSON.stringify(events)).toContain('model-call-failed')
  await storage.close()
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  const places: Record<string, readonly string[]> = {
    answers: told,
    events: [JSON.stringify(events)],
    files,
    log: t.log,
  }
  for (const [place, texts] of Object.entries(places))
    for (const text of texts) {
      const found = /canary-[\w-]+/.exec(text)?.[0]
      // The application's own log, and its own record of a run, may say what failed; no caller's secret stands there.
      if ((place === 'log' || place === 'files') && found?.startsWith('canary-error')) continue
      const near = text.slice(Math.max(0, text.indexOf(String(found)) - 300), text.indexOf(String(found)) + 60)
      expect([place, found, near.replaceAll(/[^ -~]/g, '·')]).toEqual([place, undefined, expect.anything()])
    }
})
