import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'
import { createHandler, type RetinueServer } from '../create-handler.ts'
import type { Caller } from '../settings/caller.ts'

/** An agent behind a server, and what its tool saw of who began the run. */
function served(turns: readonly ScriptedTurn[], callers: Readonly<Record<string, Caller>>) {
  const seen: unknown[] = []
  const act = createTool({
    id: 'act',
    requireApproval: true,
    execute: (_input, { requestContext }) => {
      seen.push(requestContext.get('tenant'))
      return 'done'
    },
  })
  const look = createTool({ id: 'look', execute: () => 'nothing' })
  const model = scriptedModel(turns)
  const agent = new Agent({
    id: 'agent',
    model,
    tools: { act, look },
    defaultOptions: { maxSteps: 2, modelSettings: { maxOutputTokens: 100 } },
  })
  const storage = new InMemoryStorage()
  const app = new Retinue({ agents: { agent }, storage, logger: false }) as unknown as Retinue
  const auth = (request: Request): Caller | undefined => callers[request.headers.get('x-user') ?? '']
  const make = (): RetinueServer => createHandler({ app, settings: { auth } })
  const server = make()
  const send = async (as: string, path: string, body: object, to: RetinueServer = server) => {
    const headers = { 'content-type': 'application/json', 'x-user': as }
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await to.fetch(request)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { send, seen, make, model, storage }
}

const ASKS: ScriptedTurn = { calls: [{ id: 'c1', name: 'act', args: {} }] }

test('B4.1 B12.3 a run is its owner’s, whoever decides: nothing of the decider comes into it', async () => {
  const { send, seen } = served([ASKS, { text: 'Done.' }], {
    ada: { resourceId: 'ada', context: { tenant: 'acme' } },
    boss: { resourceId: 'boss', sees: 'all', context: { tenant: 'all of them' } },
  })
  const { body } = await send('ada', '/api/agents/agent/generate', { input: 'Act.' })
  const decided = await send('boss', `/api/runs/${body['runId']}/approve`, {})
  expect(decided.body).toMatchObject({ text: 'Done.' })
  expect(seen).toEqual(['acme'])
})

test('S29 a run without a thread is its caller’s, also for a server that did not begin it', async () => {
  const { send, make, storage } = served([ASKS, { text: 'Done.' }], {
    ada: { resourceId: 'ada' },
    bob: { resourceId: 'bob' },
  })
  const { body } = await send('ada', '/api/agents/agent/generate', { input: 'Act.' })
  expect((await storage.approvals.list({ resourceId: 'ada' })).items).toHaveLength(1)
  const other = make()
  const path = `/api/runs/${body['runId']}/approve`
  expect((await send('bob', path, {}, other)).status).toBe(404)
  expect((await send('ada', path, {}, other)).body).toMatchObject({ text: 'Done.' })
})

test('B1.6 a client narrows what an agent may do, and never widens it', async () => {
  const looks: ScriptedTurn = { calls: [{ name: 'look', args: {} }] }
  const { send, model } = served([looks, looks, looks, looks], { ada: { resourceId: 'ada' } })
  const wide = await send('ada', '/api/agents/agent/generate', {
    input: 'Look.',
    maxSteps: 50,
    modelSettings: { maxOutputTokens: 5_000, temperature: 0.3 },
  })
  expect(wide.body).toMatchObject({ finishReason: 'max-steps' })
  expect(model.calls).toHaveLength(2)
  expect(model.calls[0]?.options).toMatchObject({ maxOutputTokens: 100, temperature: 0.3 })
  await send('ada', '/api/agents/agent/generate', { input: 'Look.', maxSteps: 1 })
  expect(model.calls).toHaveLength(3)
})

test('S30 a run that waited for its thread does not begin when the server has ended meanwhile', async () => {
  const t = testApp({
    settings: { shutdownMs: 50 },
    script: { sup: [{ text: 'never', after: new Promise(() => {}) }, { text: 'Too late.' }] },
  })
  const send = (input: string) => t.post('/api/agents/sup/generate', { input, threadId: 't' })
  const first = send('One.')
  while (t.script.calls('sup').length === 0) await new Promise((resolve) => setImmediate(resolve))
  const second = send('Two.')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await t.server.close()
  await first
  const refused = await second
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'server-closing' }])
})

test('S30 a client that left while its run waited for its thread has left it', async () => {
  const more = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const t = testApp({
    settings: { detachMs: 0 },
    script: {
      sup: [
        { text: 'One.', after: more.promise },
        ({ options }) => {
          options.abortSignal?.addEventListener('abort', () => aborted.resolve())
          return { text: 'never', after: new Promise(() => {}) }
        },
      ],
    },
  })
  const first = t.post('/api/agents/sup/generate', { input: 'One.', threadId: 't' })
  while (t.script.calls('sup').length === 0) await new Promise((resolve) => setImmediate(resolve))
  const leaving = new AbortController()
  const second = t.post('/api/agents/sup/generate', { input: 'Two.', threadId: 't' }, { signal: leaving.signal })
  await new Promise((resolve) => setTimeout(resolve, 50))
  leaving.abort()
  more.resolve()
  await first
  expect(await (await second).json()).toMatchObject({ finishReason: 'aborted' })
})
