import { Retinue } from '@retinue/core'
import { Agent, type AgentConfig } from '@retinue/core/agent'
import { RequestContext } from '@retinue/core/request-context'
import { InMemoryStorage } from '@retinue/core/storage'
import { scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Memory } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const asked = { thread: 't1', resource: 'u1', keepMessageIds: true }
const key = { threadId: 't1', resourceId: 'u1' }
const ui = (id: string, text: string) => ({ id, role: 'user' as const, parts: [{ type: 'text', text }] })
const pay = createTool({ id: 'pay', requireApproval: true, execute: () => 'paid' })
const of = (tenant: string) => new RequestContext([['tenant', tenant]])
const words = [{ type: 'text' as const, text: 'Well.' }]
const pays = { calls: [{ id: 'p1', name: 'pay', args: {} }] }
const scouts = { text: 'I do.', calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }

type MemoryOf = AgentConfig['memory']

/** Processes over one storage, whose agents have a conversation store for each tenant. */
function processes() {
  const storage = new InMemoryStorage()
  const stores: Record<string, InMemoryStorage> = { acme: new InMemoryStorage(), other: new InMemoryStorage() }
  const ofTenant: MemoryOf = ({ requestContext }: { requestContext: { get(key: string): unknown } }) => {
    const own = stores[String(requestContext.get('tenant'))]
    if (!own) throw new Error('no tenant')
    return new Memory({ storage: own })
  }
  const start = (turns: readonly object[], memory: MemoryOf = ofTenant) => {
    const models = scriptedModels({ a: turns, 'a/scout': [pays, { text: 'Paid.' }] } as never)
    const scout = new Agent({ id: 'scout', description: 'Scouts.', model: models.at('a/scout'), tools: { pay } })
    const agent = new Agent({
      id: 'a',
      model: models.at('a'),
      memory,
      tools: { pay },
      agents: { scout },
      backgroundTasks: { tools: { scout: { ask: 'person' } } },
    })
    const warnings: string[] = []
    const app = new Retinue({
      agents: { a: agent },
      storage: Object.create(storage) as InMemoryStorage,
      durable: true,
      backgroundTasks: { enabled: true },
      logger: { warn: (code: string) => void warnings.push(code) },
    })
    return { app, agent: app.getAgentById('a'), warnings }
  }
  const tasks = async () => (await storage.tasks.list({})).items.map(({ status }) => status)
  const say = (tenant: string, id: string, replace?: { from: string; keep: string[] }, at = Date.now()) =>
    stores[tenant]?.threads.beginTurn({
      ...key,
      messages: [{ ...{ id, runId: 'another', createdAt: at }, message: { role: 'user', content: words } }],
      lastMessages: 0,
      at,
      ...(replace ? { replace } : {}),
    })
  /** As somebody wrote it who died before he could end what waited. */
  const replace = () => say('acme', 'm1', { from: 'm1', keep: [] })
  /** A turn of acme that has ended but for its task, which waits for a person. */
  const begin = async (requestContext = of('acme')) => {
    const { app, agent } = start([scouts, { text: 'Begun.' }])
    await agent.generate([ui('m1', 'Go.')], { memory: asked, requestContext })
    await app.tasks.settled()
    expect(await tasks()).toEqual(['suspended'])
  }
  return { storage, stores, start, tasks, say, replace, begin }
}

test('B9.4 R01 what a task belongs to is looked up in the memory of its own run: recover ends what was said anew, and nothing else', async () => {
  const { start, tasks, replace, begin } = processes()
  await begin()
  const first = start([])
  await first.app.recover()
  expect([await tasks(), first.warnings]).toEqual([['suspended'], []])
  await replace()
  const next = start([])
  await next.app.recover()
  expect([await tasks(), next.warnings]).toEqual([['cancelled'], []])
})

test('B9.4 a thread of the same name in another memory says nothing of a task, whoever recovers', async () => {
  const { start, tasks, say, begin } = processes()
  await begin()
  await say('other', 'm7')
  await start([]).app.recover({ requestContext: of('other') })
  expect(await tasks()).toEqual(['suspended'])
})

test('B9.4 a thread that was deleted, is empty, or has only what came before, says nothing of a task', async () => {
  const { start, tasks, stores, begin, say } = processes()
  await begin()
  const memory = new Memory({ storage: stores['acme'] as InMemoryStorage })
  await memory.deleteThread(key)
  await start([]).app.recover()
  expect(await tasks()).toEqual(['suspended'])
  await memory.createThread(key)
  await start([]).app.recover()
  expect(await tasks()).toEqual(['suspended'])
  await say('acme', 'm0', undefined, Date.now() - 60_000)
  await start([]).app.recover()
  expect(await tasks()).toEqual(['suspended'])
})

test('R26 a memory that can’t be had leaves the tasks alone, says so, and keeps recover from nothing', async () => {
  const { start, tasks, storage, begin, replace } = processes()
  await begin()
  await replace()
  await start([pays]).agent.generate('And?', { runId: 'r2', approvalTimeoutMs: 1_000 })
  vi.setSystemTime(Date.now() + 5_000)
  const next = start([{ text: 'Too late.' }], () => Promise.reject(new Error('no store today')))
  const streams = await next.app.recover()
  expect(await Promise.all(streams.map((stream) => stream.text))).toEqual(['Too late.'])
  expect(await tasks()).toEqual(['suspended'])
  expect(next.warnings).toMatchObject([expect.stringContaining('no store today')])
  expect((await storage.runs.list({ agentId: 'a', status: 'suspended' })).items).toEqual([])
})

test('R01 a task that somebody works on is left to him as long as he lives, and ends when he died', async () => {
  const { start, tasks, storage, begin, replace } = processes()
  await begin()
  await replace()
  const [task] = (await storage.tasks.list({})).items
  const taskId = task?.taskId as string
  // Another process has just been told the decision.
  await storage.tasks.change({ taskId, from: ['suspended'], to: 'running', at: Date.now() })
  await storage.runs.acquire({ runId: taskId, holder: 'other', until: Date.now() + 10_000, at: Date.now() })
  const next = start([])
  await next.app.recover()
  await vi.advanceTimersByTimeAsync(9_000)
  expect(await tasks()).toEqual(['running'])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await tasks()).toEqual(['cancelled'])
})

test('B7.4 a run that waits goes on, whatever stands in the memory of who decides', async () => {
  const { start, say, storage } = processes()
  await start([pays]).agent.generate([ui('m1', 'Pay.')], { memory: asked, requestContext: of('acme'), runId: 'r1' })
  await say('other', 'm7')
  const deciding = start([{ text: 'Paid.' }]).agent
  const decided = await deciding.approveToolCallGenerate({ runId: 'r1', requestContext: of('other') })
  expect(decided.text).toBe('Paid.')
  expect((await storage.approvals.list({ runId: 'r1' })).items.map(({ status }) => status)).not.toContain('cancelled')
})

test('B7.4 a run that waits goes on where its thread was deleted, and made again with nothing in it', async () => {
  const { start, stores } = processes()
  await start([pays]).agent.generate([ui('m1', 'Pay.')], { memory: asked, requestContext: of('acme'), runId: 'r1' })
  const memory = new Memory({ storage: stores['acme'] as InMemoryStorage })
  await memory.deleteThread(key)
  await memory.createThread(key)
  const decided = await start([{ text: 'Paid.' }]).agent.approveToolCallGenerate({ runId: 'r1' })
  expect(decided.text).toBe('Paid.')
})

test('B7.4 a memory that needs a value which no store keeps is asked when recover is given it, and not before', async () => {
  const { start, tasks, replace, begin } = processes()
  const secret = new RequestContext()
  secret.set('tenant', 'acme', { persist: false })
  await begin(secret)
  await replace()
  const first = start([], ({ requestContext }) => new Memory({ storage: requestContext.get('none') as never }))
  await first.app.recover()
  expect(await tasks()).toEqual(['suspended'])
  expect(first.warnings).toMatchObject([expect.stringContaining('tenant')])
  await start([]).app.recover({ requestContext: secret })
  expect(await tasks()).toEqual(['cancelled'])
})
