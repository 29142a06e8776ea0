import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import {
  faultyStorage,
  type ScriptedTurn,
  type StorageFault,
  scriptedModel,
  scriptedModels,
} from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { kept } from '../test-support/said.ts'
import { warnings } from '../test-support/warnings.ts'
import { Memory } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const look = createTool({ id: 'look', execute: () => 'seen' })
const use: ScriptedTurn = { calls: [{ name: 'look', args: {} }] }

/** An agent over a storage in which writes go wrong. The first write is the one that opens the thread. */
function agentOver(turns: readonly ScriptedTurn[], ...faults: readonly StorageFault[]) {
  const storage = faultyStorage(new InMemoryStorage(), ...faults)
  const memory = new Memory({ storage })
  const model = scriptedModel(turns)
  const agent = new Agent({ id: 'a', model, memory, tools: { look } })
  return { agent, model, there: () => kept(memory, 't1', 'u1') }
}

/** A write that waits, by default for ever; `reached` when it is waited for. */
function waitingAt(at: number, gate: Promise<void> = new Promise(() => {})) {
  const reached = Promise.withResolvers<void>()
  const until: PromiseLike<void> = {
    // biome-ignore lint/suspicious/noThenProperty: it tells when it is waited for.
    then: (...callbacks) => {
      reached.resolve()
      return gate.then(...callbacks)
    },
  }
  const fault: StorageFault = { at, when: 'before', how: 'delay', until }
  return { fault, reached: reached.promise }
}

describe('B7.7 a write that hangs holds up no abort', () => {
  test('at the end of a run: it is waited for 5 s, and the next run goes on in the thread', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { fault, reached } = waitingAt(2)
    const { agent, there } = agentOver([{ text: 'a1' }, { text: 'a2' }], fault)
    const abort = new AbortController()
    let ended = false
    const running = agent.generate('q1', { memory: on, abortSignal: abort.signal }).finally(() => {
      ended = true
    })
    await reached
    abort.abort()
    await vi.advanceTimersByTimeAsync(4_999)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect((await running).text).toBe('a1')
    expect(vi.getTimerCount()).toBe(0)
    await agent.generate('q2', { memory: { ...on, onBusy: 'reject' } })
    expect(await there()).toEqual(['user: q1', 'user: q2', 'assistant: a2'])
  })

  test('that comes through in those 5 s is kept, and the clock is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const gate = Promise.withResolvers<void>()
    const { fault, reached } = waitingAt(2, gate.promise)
    const { agent, there } = agentOver([{ text: 'a1' }], fault)
    const abort = new AbortController()
    const running = agent.generate('q1', { memory: on, abortSignal: abort.signal })
    await reached
    abort.abort()
    await vi.advanceTimersByTimeAsync(3_000)
    gate.resolve()
    await running
    expect(vi.getTimerCount()).toBe(0)
    expect(await there()).toEqual(['user: q1', 'assistant: a1'])
  })

  test('when the thread is opened: the run ends at once', async () => {
    const { fault, reached } = waitingAt(1)
    const { agent, model } = agentOver([], fault)
    const abort = new AbortController()
    const running = agent.generate('q1', { memory: on, abortSignal: abort.signal })
    await reached
    abort.abort()
    expect((await running).finishReason).toBe('aborted')
    expect(model.calls).toHaveLength(0)
  })

  test('before a call runs: its tool is not called, and what was said is kept once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { fault, reached } = waitingAt(2)
    const ran = vi.fn(() => 'seen')
    const storage = faultyStorage(new InMemoryStorage(), fault)
    const memory = new Memory({ storage })
    const tools = { look: createTool({ id: 'look', execute: ran }) }
    const agent = new Agent({ id: 'a', model: scriptedModel([use]), memory, tools })
    const abort = new AbortController()
    const running = agent.generate('q1', { memory: on, abortSignal: abort.signal })
    await reached
    abort.abort()
    expect((await running).finishReason).toBe('aborted')
    expect(ran).not.toHaveBeenCalled()
    expect((await kept(memory, 't1', 'u1')).slice(0, 2)).toEqual(['user: q1', 'assistant: call look'])
  })
})

describe('B6.5 the last write of a run', () => {
  const fail = (at: number, when: 'before' | 'after' = 'before'): StorageFault => ({ at, when, how: 'fail' })

  test.each(['before', 'after'] as const)(
    'that fails %s it wrote is tried again: the answer is kept once',
    async (when) => {
      const { agent, there } = agentOver([use, { text: 'a1' }], fail(3, when))
      expect(await agent.generate('q1', { memory: on })).toMatchObject({ text: 'a1', error: undefined })
      expect(await there()).toEqual(['user: q1', 'assistant: call look', 'tool: result look', 'assistant: a1'])
    },
  )

  test('that fails twice loses no answer: the result has it, and the error; the next run goes on', async () => {
    const { agent, there } = agentOver([{ text: 'a1' }, { text: 'a2' }], fail(2), fail(3))
    const error = expect.objectContaining({ code: 'storage-failed' }) as Error
    expect(await agent.generate('q1', { memory: on })).toMatchObject({ text: 'a1', finishReason: 'stop', error })
    await agent.generate('q2', { memory: { ...on, onBusy: 'reject' } })
    expect(await there()).toEqual(['user: q1', 'user: q2', 'assistant: a2'])
  })

  test('that fails tells of the model’s error, if that is why the run ended', async () => {
    const { agent } = agentOver([use, new Error('down')], fail(3), fail(4))
    await expect(agent.generate('q1', { memory: on, maxRetries: 0 })).rejects.toMatchObject({
      code: 'model-call-failed',
    })
  })
})

describe('an agent without a memory', () => {
  test('B6.1 that is called with a thread has it told to the application’s logger, once, and none for its children', async () => {
    const inProcess = warnings()
    const heard: string[] = []
    const child = new Agent({ id: 'c', description: 'd', memory: () => undefined as never })
    const agents = { a: new Agent({ id: 'a', agents: { child } }) }
    const logger = { warn: (message: string) => void heard.push(message) }
    const { resolveModel } = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'a1' }, { text: 'a2' }],
      'a/child': [{ text: 'x' }],
    })
    const agent = new Retinue({ agents, storage: new InMemoryStorage(), logger }).getAgent('a')
    expect((await agent.generate('q1', { memory: on, resolveModel })).text).toBe('a1')
    expect(heard).toEqual([expect.stringMatching(/^\[memory-missing\] The agent "a" /)])
    await agent.generate('q2', { resolveModel })
    expect(heard).toHaveLength(1)
    expect(inProcess).toEqual([])
  })
})

describe('B6.1 a function for the memory', () => {
  test.each<[string, unknown]>([
    ['an object', {}],
    ['null', null],
    ['a text', 'memory'],
    ['a class', Memory],
  ])('that gives %s is refused with a typed error before the model is asked', async (_name, given) => {
    const model = scriptedModel([])
    const agent = new Agent({ id: 'a', model, memory: () => given as never })
    await expect(agent.generate('q', { memory: on })).rejects.toMatchObject({
      code: 'agent-invalid',
      message: expect.stringContaining('gave something that is no memory') as string,
    })
    await expect(agent.getMemory()).rejects.toMatchObject({ code: 'agent-invalid' })
    expect(model.calls).toHaveLength(0)
  })

  test('that gives none leaves the agent without one', async () => {
    const agents = {
      a: new Agent({ id: 'a', model: scriptedModel([{ text: 'a1' }]), memory: () => undefined as never }),
    }
    const agent = new Retinue({ agents, logger: false }).getAgent('a')
    expect((await agent.generate('q', { memory: on })).text).toBe('a1')
  })
})
