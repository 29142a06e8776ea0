import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MortalProcess } from '../test-support/core.ts'
import { Memory } from './index.ts'

const key = { threadId: 't1', resourceId: 'u1' }
const asked = { thread: 't1', resource: 'u1', keepMessageIds: true }
const ui = (id: string, text: string) => ({ id, role: 'user' as const, parts: [{ type: 'text', text }] })
const pay = createTool({ id: 'pay', requireApproval: true, execute: () => 'paid' })

const FIRST: readonly ScriptedTurn[] = [
  { text: 'I do.', calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] },
  { calls: [{ id: 'p1', name: 'pay', args: {} }] },
]

/** An agent whose first turn waits for a person itself, and has a background task that waits, too; as one process has it. */
function processOver(
  storage: Storage,
  turns: readonly ScriptedTurn[],
  options: { guard?: Processor['processInput']; life?: MortalProcess } = {},
) {
  const models = scriptedModels({ a: turns, 'a/scout': [{ calls: [{ id: 'd1', name: 'pay', args: {} }] }] })
  const { guard, life } = options
  const memory = new Memory()
  const agent = new Agent({
    id: 'a',
    model: models.at('a'),
    memory,
    tools: { pay },
    agents: { scout: new Agent({ id: 'scout', description: 'Scouts.', model: models.at('a/scout'), tools: { pay } }) },
    backgroundTasks: { tools: { scout: { ask: 'person' } } },
    ...(guard ? { inputProcessors: [{ id: 'guard', processInput: guard }] } : {}),
  })
  const own = life ? life.storage(storage) : storage
  const app = new Retinue({
    agents: { a: agent },
    storage: own,
    durable: true,
    backgroundTasks: { enabled: true },
    logger: { warn: () => {} },
  })
  return { app, agent: app.getAgentById('a'), models }
}

async function standing(storage: Storage) {
  const { messages } = await storage.threads.listMessages({ ...key, limit: 100 })
  const { items } = await storage.approvals.list({})
  const tasks = await storage.tasks.list({})
  const { items: runs } = await storage.runs.list({ status: 'suspended' })
  return {
    said: messages.map(({ message }) => `${message.role}: ${textOf(message.content)}`),
    approvals: items.map(({ toolCallId, status }) => `${toolCallId} ${status}`).sort(),
    tasks: tasks.items.map(({ status }) => status),
    waiting: runs.filter(({ agentId }) => agentId === 'a').length,
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : (content as { text?: string; type: string }[]).map(({ text, type }) => text ?? type).join('|')
}

const WAITING = {
  said: ['user: Go.', 'assistant: I do.|tool-call', 'tool: tool-result', 'assistant: tool-call'],
  approvals: ['d1 pending', 'p1 pending'],
  tasks: ['suspended'],
  waiting: 1,
}

const ANEW = {
  said: ['user: Stop.', 'assistant: Fine.'],
  approvals: ['d1 cancelled', 'p1 cancelled'],
  tasks: ['cancelled'],
  waiting: 0,
}

async function waitingThread(): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage()
  const { app, agent } = processOver(storage, FIRST)
  await agent.generate([ui('m1', 'Go.')], { memory: asked })
  await app.tasks.settled()
  expect(await standing(storage)).toEqual(WAITING)
  return storage
}

const anew = (agent: Agent) => agent.generate([ui('m1', 'Stop.')], { memory: { ...asked, replaceFrom: 'm1' } })

describe('B6.5 what is said in the place of earlier turns is written with what it deletes, or nothing is deleted', () => {
  const refusing: [string, Processor['processInput']][] = [
    ['refuses it', ({ abort }) => abort('no')],
    [
      'fails',
      () => {
        throw new Error('down')
      },
    ],
  ]
  test.each(refusing)('while an input processor %s', async (_how, guard) => {
    const storage = await waitingThread()
    const { agent } = processOver(storage, [], { guard })
    await anew(agent).catch(() => {})
    expect(await standing(storage)).toEqual(WAITING)
    // What waited can be decided.
    const next = processOver(storage, [{ text: 'Paid.' }])
    const [run] = (await storage.runs.list({ status: 'suspended' })).items.filter(({ agentId }) => agentId === 'a')
    const stream = await next.agent.approveToolCall({ runId: run?.runId as string, toolCallId: 'p1' })
    expect((await stream.result).text).toBe('Paid.')
  })

  test('while it is not known yet whether a processor lets it pass: who decides meanwhile waits, and then is told', async () => {
    const storage = await waitingThread()
    const passes = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const guard: Processor['processInput'] = async ({ messages }) => {
      begun.resolve()
      await passes.promise
      return messages
    }
    const { agent } = processOver(storage, [{ text: 'Fine.' }], { guard })
    const [run] = (await storage.runs.list({ status: 'suspended' })).items.filter(({ agentId }) => agentId === 'a')
    const saying = anew(agent)
    await begun.promise
    expect(await standing(storage)).toEqual(WAITING)
    const deciding = agent.approveToolCall({ runId: run?.runId as string, toolCallId: 'p1' })
    const decided = expect(deciding).rejects.toMatchObject({ code: 'approval-decided' })
    passes.resolve()
    await saying
    await decided
    expect(await standing(storage)).toEqual(ANEW)
  })

  test('R01 while one of two runs is busy: the other one waits on', async () => {
    const storage = await waitingThread()
    const { agent } = processOver(storage, [{ calls: [{ id: 'p2', name: 'pay', args: {} }] }, { text: 'Fine.' }])
    await agent.generate([ui('m2', 'And?')], { memory: asked })
    const { items } = await storage.runs.list({ status: 'suspended' })
    const last = items.filter(({ agentId }) => agentId === 'a').at(-1)?.runId as string
    const at = Date.now()
    await storage.runs.acquire({ runId: last, holder: 'other', until: at + 60_000, at })
    await expect(anew(agent)).rejects.toMatchObject({ code: 'run-busy' })
    const before = await standing(storage)
    expect([before.approvals, before.tasks, before.waiting]).toEqual([
      ['d1 pending', 'p1 pending', 'p2 pending'],
      ['suspended'],
      2,
    ])
    await storage.runs.release({ runId: last, holder: 'other' })
    await anew(agent)
    expect((await standing(storage)).approvals).toEqual(['d1 cancelled', 'p1 cancelled', 'p2 cancelled'])
  })

  test.each(['beginTurn', 'remove'] as const)('R26 while %s fails: what it leaves can be said anew', async (method) => {
    const storage = await waitingThread()
    const domain = (method === 'beginTurn' ? storage.threads : storage.runs) as unknown as Record<string, unknown>
    const works = domain[method]
    domain[method] = () => Promise.reject(new Error('the disk is full'))
    await expect(anew(processOver(storage, []).agent)).rejects.toThrow('the disk is full')
    if (method === 'beginTurn') expect(await standing(storage)).toEqual(WAITING)
    domain[method] = works
    await anew(processOver(storage, [{ text: 'Fine.' }]).agent)
    expect((await standing(storage)).said).toEqual(ANEW.said)
  })
})

describe('R01 whoever dies while something is said anew', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const turns = () => vi.advanceTimersByTimeAsync(0)

  /** Dies at a write while it is said anew; the next process goes on with what is left. False if there were not so many writes. */
  async function diedAt(write: number, when: 'before' | 'after', guard: Processor['processInput'] | undefined) {
    const storage = await waitingThread()
    const life = new MortalProcess()
    const { agent } = processOver(storage, [{ text: 'Fine.' }], { life, ...(guard ? { guard } : {}) })
    let ended = false
    life.dieAt(write, when)
    anew(agent).then(
      () => {
        ended = true
      },
      () => {},
    )
    while (life.alive && !ended) await turns()
    if (ended) return undefined
    await vi.advanceTimersByTimeAsync(11_000)
    const next = processOver(storage, [{ text: 'Fine.' }, { text: 'Fine.' }], guard ? { guard } : {})
    for (const stream of await next.app.recover()) await stream.result
    await next.app.tasks.settled()
    return { storage, next }
  }

  test.each([
    ['at once', undefined],
    ['after its processors', (({ messages }) => messages) satisfies Processor['processInput']],
  ])('leaves the old turn whole, or the new one and nothing that waits for the old one: %s', async (_when, guard) => {
    const ends = new Map<string, number>()
    for (let write = 1, more = true; more; write += 1) {
      for (const when of ['before', 'after'] as const) {
        const died = await diedAt(write, when, guard)
        if (!died) {
          more = false
          break
        }
        const { storage, next } = died
        const left = await standing(storage)
        const isOld = left.said[0] === 'user: Go.'
        const end = isOld ? WAITING : { ...ANEW, said: left.said }
        expect([write, when, left]).toEqual([write, when, end])
        ends.set(isOld ? 'old' : 'new', (ends.get(isOld ? 'old' : 'new') ?? 0) + 1)
        if (!isOld) expect(['user: Stop.', 'user: Stop.,assistant: Fine.']).toContain(left.said.join())
        // Who sends it again says it once.
        await anew(next.agent)
        expect([write, when, await standing(storage)]).toEqual([write, when, ANEW])
      }
    }
    expect([...ends.keys()].sort()).toEqual(['new', 'old'])
  })

  test('takes nothing into the thread that had not come into it when an earlier message was said anew', async () => {
    const storage = new InMemoryStorage()
    const first = processOver(storage, [{ text: 'Gone.' }])
    await first.agent.generate([ui('m1', 'Go.')], { memory: asked })
    const life = new MortalProcess()
    const dying = processOver(storage, [], {
      life,
      guard: () => {
        life.die()
        return new Promise<never>(() => {})
      },
    })
    void dying.agent.generate([ui('m2', 'And?')], { memory: asked })
    while (life.alive) await turns()
    await vi.advanceTimersByTimeAsync(11_000)
    const next = processOver(storage, [{ text: 'Fine.' }, { text: 'No.' }], { guard: ({ messages }) => messages })
    await anew(next.agent)
    for (const stream of await next.app.recover()) await stream.result
    expect((await standing(storage)).said).toEqual(ANEW.said)
  })
})
