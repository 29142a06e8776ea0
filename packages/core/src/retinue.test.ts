import { describe, expect, test, vi } from 'vitest'
import { Agent, type MemoryTurn, Retinue } from './index.ts'
import type { AgentMemory } from './memory/agent-memory.ts'
import { InMemoryStorage } from './storage/index.ts'
import { scriptedModel, scriptedModels } from './testing/index.ts'

/** A memory that keeps nothing and tells which storage it was asked over. */
function spy(turns: MemoryTurn[], over: unknown[]): AgentMemory {
  const memory = {
    within: (storage: unknown) => {
      over.push(storage)
      return memory
    },
    storage: new InMemoryStorage(),
    open: async (turn: MemoryTurn) => {
      turns.push(turn)
      return { recalled: [], system: [], tools: {}, append: async () => {}, ended: () => {} }
    },
  }
  return memory as unknown as AgentMemory
}

const agent = (id: string, options = {}) => new Agent({ id, model: scriptedModel([{ text: 'x' }]), ...options })

describe('B1.11 the application', () => {
  test('hands out its agents by key and by id, and lists them', () => {
    const a = agent('first')
    const app = new Retinue({ agents: { a, b: agent('second') } })
    expect(app.getAgent('a').id).toBe('first')
    expect(app.getAgentById('second').id).toBe('second')
    expect(Object.keys(app.listAgents())).toEqual(['a', 'b'])
    expect(app.listAgents()['constructor']).toBeUndefined()
  })

  test('an agent that it does not have is an error that names those it has', () => {
    const app = new Retinue({ agents: { a: agent('first') } })
    // @ts-expect-error a key that is not there
    expect(() => app.getAgent('c')).toThrow(
      expect.objectContaining({ code: 'agent-unknown', hint: 'It has a.' }) as Error,
    )
    expect(() => app.getAgentById('a')).toThrow(
      expect.objectContaining({ code: 'agent-unknown', hint: 'It has first.' }) as Error,
    )
  })

  test('its storage is behind the memories of its agents and of what they delegate to; the agents put in stay as they are', async () => {
    const turns: MemoryTurn[] = []
    const over: unknown[] = []
    const storage = new InMemoryStorage()
    const models = scriptedModels({
      p: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'p/child': [{ text: 'y' }],
    })
    const child = new Agent({ id: 'c', description: 'd', memory: spy(turns, over) })
    const p = new Agent({ id: 'p', agents: { child }, memory: spy(turns, over) })
    const memory = { thread: 't', resource: 'r' }
    await new Retinue({ agents: { p }, storage })
      .getAgent('p')
      .generate('Go', { memory, resolveModel: models.resolveModel })
    expect(over).toEqual([storage, storage])
    expect(turns.map(({ threadId }) => threadId)).toEqual(['t', expect.stringMatching(/^t-[0-9a-f-]{36}$/)])
    expect(turns[1]).toMatchObject({ calledAs: 'r-child', resourceId: expect.stringContaining(':child:r') })
    await agent('p', { memory: spy(turns, over) }).generate('Go', { memory })
    expect(over[2]).toBeUndefined()
  })

  test('its memory is that of agents without one, and not of their subagents', async () => {
    const turns: MemoryTurn[] = []
    const models = scriptedModels({
      p: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'p/child': [{ text: 'y' }],
    })
    const p = new Agent({ id: 'p', agents: { child: new Agent({ id: 'c', description: 'd' }) } })
    const app = new Retinue({ agents: { p }, memory: spy(turns, []) })
    await app
      .getAgent('p')
      .generate('Go', { memory: { thread: 't', resource: 'r' }, resolveModel: models.resolveModel })
    expect(turns.map(({ threadId }) => threadId)).toEqual(['t'])
    expect(await app.getAgent('p').getMemory()).toBeDefined()
    expect(await p.getMemory()).toBeUndefined()
  })

  test('an agent that it handed out is the same agent: a cycle through it is seen', async () => {
    const agents: Record<string, Agent> = {}
    const a: Agent = new Agent({ id: 'a', description: 'd', agents: () => agents })
    agents['self'] = a
    const models = scriptedModels({ a: [{ calls: [{ name: 'self', args: { prompt: 'x' } }] }, { text: 'done' }] })
    const result = await new Retinue({ agents: { a } })
      .getAgent('a')
      .generate('Go', { resolveModel: models.resolveModel })
    expect(result.toolResults[0]?.error?.code).toBe('delegation-cycle')
  })

  test('warnings go to its logger, or nowhere', async () => {
    const warned: string[] = []
    const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const onFinish = () => {
      throw new Error('boom')
    }
    const logged = new Retinue({ agents: { a: agent('a') }, logger: { warn: (message) => void warned.push(message) } })
    await logged.getAgent('a').generate('Go', { onFinish })
    await new Retinue({ agents: { a: agent('a') }, logger: false }).getAgent('a').generate('Go', { onFinish })
    expect(warned).toEqual(['[callback-failed] The callback onFinish failed: boom'])
    expect(emitted).not.toHaveBeenCalled()
    emitted.mockRestore()
  })

  test.each<[unknown, string, RegExp]>([
    [undefined, 'application-invalid', /takes an object/],
    [{}, 'application-invalid', /has no agents/],
    [{ agents: { a: {} } }, 'application-invalid', /"a" .* is no Agent/],
    [{ agents: { a: agent('x'), b: agent('x') } }, 'application-invalid', /"a" and "b" .* same id "x"/],
    [{ agents: {}, storage: {} }, 'application-invalid', /storage of the application is none/],
    [
      { agents: {}, storage: { ...new InMemoryStorage(), tasks: undefined } },
      'application-invalid',
      /has no "tasks"\./,
    ],
    [{ agents: {}, memory: {} }, 'application-invalid', /memory/],
    [{ agents: {}, memory: { open: () => {} } }, 'application-invalid', /memory/],
    [{ agents: {}, logger: {} }, 'application-invalid', /logger/],
    [{ agents: {}, storge: 1 }, 'option-unknown', /storge/],
  ])('what makes no application is an error: %#', (options, code, message) => {
    expect(() => new Retinue(options as never)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) as string }) as Error,
    )
  })
})
