import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, test } from 'vitest'
import { kept } from '../test-support/said.ts'
import { warnings } from '../test-support/warnings.ts'
import { Memory, type MemoryOptions } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const key = { threadId: 't1', resourceId: 'u1' }
const look = createTool({ id: 'look', execute: () => 'seen' })
const use = { calls: [{ name: 'look', args: {} }] }

function agentWith(turns: readonly ScriptedTurn[], options: MemoryOptions = {}) {
  const memory = new Memory({ storage: new InMemoryStorage(), ...options })
  const model = scriptedModel(turns)
  return { agent: new Agent({ id: 'a', model, tools: { look }, memory }), model, memory }
}

describe('B6.1 where a memory keeps', () => {
  test('a memory with neither its own storage nor an application’s keeps in the process, and says so once', async () => {
    const told = warnings()
    const memory = new Memory()
    const model = scriptedModel([{ text: 'Hello Ada.' }, { text: 'Ada.' }])
    const agent = new Agent({ id: 'a', model, memory })
    await agent.generate('I am Ada.', { memory: on })
    await agent.generate('Who am I?', { memory: on })
    expect(model.calls[1]?.text).toBe('user: I am Ada.\nassistant: Hello Ada.\nuser: Who am I?')
    expect(told.map(({ code }) => code)).toEqual(['memory-in-process'])
  })

  test('an application’s storage stands in, the memory of the application for its agents, and getMemory gives the bound one', async () => {
    const told = warnings()
    const storage = new InMemoryStorage()
    const agents = {
      own: new Agent({ id: 'own', model: scriptedModel([{ text: 'one' }]), memory: new Memory() }),
      bare: new Agent({ id: 'bare', model: scriptedModel([{ text: 'two' }]) }),
    }
    const app = new Retinue({ agents, storage, memory: new Memory() })
    await app.getAgent('own').generate('first', { memory: on })
    await app.getAgent('bare').generate('second', { memory: on })
    const stored = await storage.threads.listMessages({ ...key, limit: 10 })
    expect(stored.messages).toHaveLength(4)
    const memory = await app.getAgent('own').getMemory()
    expect(memory && (await kept(memory, 't1', 'u1'))).toEqual([
      'user: first',
      'assistant: one',
      'user: second',
      'assistant: two',
    ])
    expect(await agents.bare.getMemory()).toBeUndefined()
    expect(told).toEqual([])
  })

  test('a storage of its own is not replaced by the application’s', async () => {
    const own = new InMemoryStorage()
    const shared = new InMemoryStorage()
    const memory = new Memory({ storage: own })
    const agents = { a: new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }]), memory }) }
    await new Retinue({ agents, storage: shared }).getAgent('a').generate('hi', { memory: on })
    expect((await own.threads.list({ resourceId: 'u1' })).items).toHaveLength(1)
    expect((await shared.threads.list({ resourceId: 'u1' })).items).toHaveLength(0)
  })

  test('the view over a storage is the same each time', () => {
    const memory = new Memory()
    const storage = new InMemoryStorage()
    expect(memory.within(storage)).toBe(memory.within(storage))
    expect(memory.within(storage).storage).toBe(storage)
    expect(memory.within(undefined)).toBe(memory)
    expect(memory.within(new InMemoryStorage())).not.toBe(memory.within(storage))
  })

  test('lastMessages are the last before the input; false and 0 recall none; a call can set it', async () => {
    const turns = [1, 2, 3, 4, 5].map((n) => ({ text: `a${n}` }))
    const { agent, model } = agentWith(turns, { options: { lastMessages: 3 } })
    await agent.generate('q1', { memory: on })
    await agent.generate('q2', { memory: on })
    await agent.generate('q3', { memory: on })
    await agent.generate('q4', { memory: { ...on, options: { lastMessages: false } } })
    await agent.generate('q5', { memory: { ...on, options: { lastMessages: 100 } } })
    // The last three are a1, q2, a2: an answer without its question is left out.
    expect(model.calls[2]?.text).toBe('user: q2\nassistant: a2\nuser: q3')
    expect(model.calls[3]?.text).toBe('user: q4')
    expect(model.calls[4]?.prompt).toHaveLength(9)
  })

  test('a turn longer than lastMessages is recalled with its question', async () => {
    const { agent, model } = agentWith([...Array(6).fill(use), { text: 'found' }, { text: 'again' }], {
      options: { lastMessages: 4 },
    })
    await agent.generate('What is there?', { memory: on })
    await agent.generate('And now?', { memory: on })
    const prompt = model.calls[7]?.text ?? ''
    expect(prompt).toMatch(
      /^user: What is there\?\nassistant: look\(\{\}\)\ntool: seen\nassistant: found\nuser: And now\?$/,
    )
  })
})

describe('B6.2 a call and its thread', () => {
  test('without the option nothing is recalled or kept', async () => {
    const { agent, model, memory } = agentWith([{ text: 'x' }, { text: 'y' }])
    await agent.generate('one')
    await agent.generate('two')
    expect(model.calls[1]?.text).toBe('user: two')
    expect((await memory.listThreads({ resourceId: 'u1' })).items).toEqual([])
  })

  test('the person’s message is kept when the run starts', async () => {
    const seen: string[][] = []
    const { agent, memory } = agentWith([
      async () => {
        seen.push(await kept(memory, 't1', 'u1'))
        return { text: 'x' }
      },
    ])
    await agent.generate('hi', { memory: on })
    expect(seen).toEqual([['user: hi']])
  })

  test('title and metadata of a thread are taken when it is new', async () => {
    const { agent, memory } = agentWith([{ text: 'x' }, { text: 'y' }])
    await agent.generate('hi', { memory: { ...on, thread: { id: 't1', title: 'Greeting', metadata: { tag: 1 } } } })
    await agent.generate('hi', { memory: { ...on, thread: { id: 't1', title: 'Other' } } })
    expect(await memory.getThread(key)).toMatchObject({ title: 'Greeting', metadata: { tag: 1 } })
  })

  test('two runs on a thread wait for each other; `onBusy: "reject"` rejects with thread-busy', async () => {
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const { agent, memory } = agentWith([
      () => {
        started.resolve()
        return { text: 'a1', after: gate.promise }
      },
      { text: 'a2' },
    ])
    const first = agent.generate('q1', { memory: on })
    await started.promise
    const second = agent.generate('q2', { memory: on })
    await expect(agent.generate('q3', { memory: { ...on, onBusy: 'reject' } })).rejects.toMatchObject({
      code: 'thread-busy',
    })
    expect(await kept(memory, 't1', 'u1')).toEqual(['user: q1'])
    gate.resolve()
    await Promise.all([first, second])
    expect(await kept(memory, 't1', 'u1')).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
  })

  test('two agents whose memories share a storage wait for each other too', async () => {
    const storage = new InMemoryStorage()
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const slow: ScriptedTurn = () => {
      started.resolve()
      return { text: 'a1', after: gate.promise }
    }
    const agents = {
      a: new Agent({ id: 'a', model: scriptedModel([slow]), memory: new Memory() }),
      b: new Agent({ id: 'b', model: scriptedModel([{ text: 'a2' }]), memory: new Memory() }),
    }
    const app = new Retinue({ agents, storage })
    const first = app.getAgent('a').generate('q1', { memory: on })
    await started.promise
    const second = app.getAgent('b').generate('q2', { memory: on })
    gate.resolve()
    await Promise.all([first, second])
    const memory = await app.getAgent('a').getMemory()
    expect(memory && (await kept(memory, 't1', 'u1'))).toEqual([
      'user: q1',
      'assistant: a1',
      'user: q2',
      'assistant: a2',
    ])
  })

  test('B6.6 a thread of another resource is refused with the words for one that is not there, and nothing is written', async () => {
    const { agent, memory, model } = agentWith([{ text: 'x' }])
    await agent.generate('mine', { memory: on })
    const other = agent.generate('theirs', { memory: { thread: 't1', resource: 'u2' } })
    await expect(other).rejects.toMatchObject({ code: 'thread-not-found' })
    expect(model.calls).toHaveLength(1)
    expect(await kept(memory, 't1', 'u1')).toHaveLength(2)
  })
})

describe('B6.4 readOnly', () => {
  for (const [name, own, call] of [
    ['of the memory', { readOnly: true }, {}],
    ['of the call', {}, { options: { readOnly: true } }],
  ] as const) {
    test(`${name}: history and notes are told, and nothing is written`, async () => {
      const storage = new InMemoryStorage()
      const workingMemory = { enabled: true }
      const writing = new Memory({ storage, options: { workingMemory } })
      await new Agent({ id: 'w', model: scriptedModel([{ text: 'a1' }]), memory: writing }).generate('q1', {
        memory: on,
      })
      await storage.workingMemory.set({ resourceId: 'u1', text: 'Likes tea.', at: 1 })
      const before = await kept(writing, 't1', 'u1')

      const memory = new Memory({ storage, options: { workingMemory, generateTitle: true, ...own } })
      const model = scriptedModel([use, { text: 'a2' }, { text: 'a3' }])
      const reading = new Agent({ id: 'r', model, tools: { look }, memory })
      await reading.generate('q2', { memory: { ...on, ...call } })
      await reading.generate('q3', { memory: { thread: 'new', resource: 'u1', ...call } })
      await memory.settled()
      expect(model.calls[0]?.text).toContain('user: q1\nassistant: a1\nuser: q2')
      expect(model.calls[0]?.text).toContain('Likes tea.')
      expect(model.calls[0]?.tools).toEqual(['look'])
      expect(await kept(writing, 't1', 'u1')).toEqual(before)
      const threads = (await storage.threads.list({ resourceId: 'u1' })).items
      expect(threads.map(({ id, title }) => [id, title])).toEqual([['t1', undefined]])
    })
  }

  test('a read-only memory refuses to make, change, copy and delete threads', async () => {
    const storage = new InMemoryStorage()
    await storage.threads.create({ ...key, at: 1 })
    const memory = new Memory({ storage, options: { readOnly: true } })
    const refused = { code: 'memory-read-only' }
    await expect(memory.createThread({ resourceId: 'u1' })).rejects.toMatchObject(refused)
    await expect(memory.updateThread({ ...key, title: 'x' })).rejects.toMatchObject(refused)
    await expect(memory.cloneThread(key)).rejects.toMatchObject(refused)
    await expect(memory.deleteThread(key)).rejects.toMatchObject(refused)
    expect(await memory.getThread(key)).toMatchObject({ id: 't1' })
  })
})

describe('B6.5 what comes back', () => {
  test('reasoning with its metadata, files and calls are recalled as they were said', async () => {
    const bytes = new Uint8Array([1, 2, 255])
    const signed = { provider: { signature: 'abc' } }
    const reasoned: ScriptedTurn = {
      parts: [
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm. \u0000' },
        { type: 'reasoning-end', id: 'r', providerMetadata: signed },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"__proto__":1}' },
        {
          type: 'finish',
          finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: 1, text: 1, reasoning: undefined },
          },
        },
      ],
    }
    const { agent, model } = agentWith([reasoned, { text: 'done' }, { text: 'again' }])
    await agent.generate([{ role: 'user', content: [{ type: 'file', data: bytes, mediaType: 'image/png' }] }], {
      memory: on,
    })
    await agent.generate('more', { memory: on })
    const [, first, second] = model.calls
    expect(second?.prompt.slice(0, 3)).toEqual(first?.prompt)
  })

  test('a call that never got its result gets one that says so, also when the process died between', async () => {
    const { agent, model, memory } = agentWith([{ text: 'ok' }])
    await memory.createThread(key)
    await memory.storage.threads.append({
      ...key,
      messages: [
        { id: '1', createdAt: 1, message: { role: 'user', content: [{ type: 'text', text: 'q' }] } },
        {
          id: '2',
          createdAt: 1,
          message: {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }],
          },
        },
      ],
    })
    await agent.generate('Well?', { memory: on })
    expect(model.calls[0]?.text).toMatch(/look\(\{\}\)\ntool: No result of this call was recorded/)
  })

  test('a run that fails or is aborted keeps what was done, once, and the thread goes on', async () => {
    const abort = new AbortController()
    const aborting: ScriptedTurn = () => {
      abort.abort()
      return new Promise(() => {})
    }
    const { agent, memory, model } = agentWith([use, new Error('broken'), use, aborting, { text: 'ok' }])
    await expect(agent.generate('q1', { memory: on, maxRetries: 0 })).rejects.toMatchObject({
      code: 'model-call-failed',
    })
    const stream = await agent.stream('q2', { memory: on, abortSignal: abort.signal })
    expect(await stream.finishReason).toBe('aborted')
    await agent.generate('q3', { memory: on })
    expect(await kept(memory, 't1', 'u1')).toEqual([
      'user: q1',
      'assistant: call look',
      'tool: result look',
      'user: q2',
      'assistant: call look',
      'tool: result look',
      'user: q3',
      'assistant: ok',
    ])
    model.assertDone()
  })

  test('what the framework said is told apart from what the person said', async () => {
    const { agent, memory } = agentWith([{ text: 'a1' }, { text: 'a2' }])
    let asked = 0
    await agent.generate('q', {
      memory: on,
      maxSteps: 3,
      onIterationComplete: () => (asked++ === 0 ? { continue: true, feedback: 'Say more.' } : undefined),
    })
    const { messages } = await memory.recall(key)
    expect(messages.map(({ role, origin }) => [role, origin !== undefined])).toEqual([
      ['user', false],
      ['assistant', false],
      ['user', true],
      ['assistant', false],
    ])
  })
})
