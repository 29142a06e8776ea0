import { Agent, type AgentOptions, type RunOptions } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, test } from 'vitest'
import { kept } from '../test-support/said.ts'
import { Memory } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
/** Does not wait for a thread: it is free, or the call is refused. */
const atOnce = { ...on, onBusy: 'reject' } as const
const look = createTool({ id: 'look', execute: () => 'seen' })
const memoryOver = (storage = new InMemoryStorage()) => new Memory({ storage })
const boom = () => {
  throw new Error('down')
}

/** An agent whose model waits: `started` when it was asked, `answer()` lets it answer. */
function slowAgent(memory: Memory) {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const slow: ScriptedTurn = () => {
    started.resolve()
    return { text: 'a1', after: gate.promise }
  }
  const agent = new Agent({ id: 'slow', model: scriptedModel([slow]), memory })
  return { agent, started: started.promise, answer: () => gate.resolve() }
}

describe('B6.2 a run that can’t begin lets go of its thread', () => {
  const good = (): Partial<AgentOptions> => ({ model: scriptedModel([]), tools: { look } })
  test.each<[string, Partial<AgentOptions>, RunOptions]>([
    ['a function for its model', { model: boom }, {}],
    ['a function for its instructions', { ...good(), instructions: boom }, {}],
    ['a function for its tools', { model: scriptedModel([]), tools: boom }, {}],
    ['a function for its processors', { ...good(), inputProcessors: boom }, {}],
    ['resolveModel of the call', good(), { resolveModel: boom }],
    ['toolsets of the call, of a name that is taken,', good(), { toolsets: { more: { look } } }],
    ['a model without a price, where the budget is money,', { ...good(), budget: { costUsd: 1 } }, {}],
  ])('%s fails it', async (_name, config, options) => {
    const memory = memoryOver()
    const broken = new Agent({ id: 'broken', memory, ...config })
    await expect(broken.generate('q1', { ...options, memory: on })).rejects.toThrow()
    // It was opened before.
    expect((await memory.getThread({ threadId: 't1', resourceId: 'u1' })).id).toBe('t1')
    const next = new Agent({ id: 'next', model: scriptedModel([{ text: 'a2' }]), memory })
    expect((await next.generate('q2', { memory: atOnce })).text).toBe('a2')
  })
})

describe('B6.2 the lock', () => {
  test('resources and threads whose names read the same side by side are different ones', async () => {
    const memory = memoryOver()
    const { agent, started, answer } = slowAgent(memory)
    const first = agent.generate('mine', { memory: { thread: 'b/c', resource: 'a' } })
    await started
    const next = new Agent({ id: 'next', model: scriptedModel([{ text: 'a2' }]), memory })
    const other = next.generate('theirs', { memory: { thread: 'c', resource: 'a/b', onBusy: 'reject' } })
    expect((await other).text).toBe('a2')
    answer()
    await first
  })

  test('a refusal names the thread as the call does', async () => {
    const memory = memoryOver()
    const { agent, started, answer } = slowAgent(memory)
    const first = agent.generate('q1', { memory: on })
    await started
    await expect(agent.generate('q2', { memory: atOnce })).rejects.toMatchObject({
      code: 'thread-busy',
      message: expect.stringContaining('"t1"') as string,
      data: { threadId: 't1' },
    })
    answer()
    await first
  })

  test('is of a resource and its thread: another’s thread of that id is not waited for, but refused as not there', async () => {
    const memory = memoryOver()
    const { agent, started, answer } = slowAgent(memory)
    const first = agent.generate('mine', { memory: on })
    await started
    const other = agent.generate('theirs', { memory: { ...atOnce, resource: 'u2' } })
    await expect(other).rejects.toMatchObject({ code: 'thread-not-found' })
    answer()
    expect((await first).text).toBe('a1')
  })

  test('is not waited for by a run that only reads', async () => {
    const memory = memoryOver()
    const { agent, started, answer } = slowAgent(memory)
    const first = agent.generate('q1', { memory: on })
    await started
    const model = scriptedModel([{ text: 'read' }])
    const reader = new Agent({ id: 'reader', model, memory })
    expect((await reader.generate('q2', { memory: { ...atOnce, options: { readOnly: true } } })).text).toBe('read')
    expect(model.calls[0]?.text).toBe('user: q1\nuser: q2')
    answer()
    await first
    expect(await kept(memory, 't1', 'u1')).toEqual(['user: q1', 'assistant: a1'])
  })
})

test('B6.5 a run id that is used again stands for another run: both are kept', async () => {
  const memory = memoryOver()
  const agent = new Agent({ id: 'a', model: scriptedModel([{ text: 'a1' }, { text: 'a2' }]), memory })
  await agent.generate('q1', { memory: on, runId: 'same' })
  await agent.generate('q2', { memory: on, runId: 'same' })
  expect(await kept(memory, 't1', 'u1')).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
})

describe('B6.5 an answer that was not the last word: the thread has the conversation as it was, once', () => {
  const once = <T>(value: T) => {
    let asked = 0
    return () => (asked++ === 0 ? value : undefined)
  }
  const picky = {
    id: 'picky',
    run: ({ output }: { output: unknown }) => ({ score: output === 'a2' ? 1 : 0, reason: 'thin' }),
  }
  const shout: Processor = { id: 'shout', processOutputResult: ({ text }) => text.toUpperCase() }
  const silence: Processor = { id: 'silence', processOutputResult: () => '' }
  const notComplete = expect.stringMatching(/^user: \[retinue\] The task is not complete yet[\s\S]*thin/) as string
  test.each<[string, RunOptions, readonly Processor[], readonly string[]]>([
    [
      'feedback of onIterationComplete',
      { onIterationComplete: once({ continue: true, feedback: 'More.' }) },
      [],
      ['assistant: a1', 'user: [retinue] More.', 'assistant: a2'],
    ],
    [
      'feedback of isTaskComplete',
      { isTaskComplete: { scorers: [picky as never] } },
      [],
      ['assistant: a1', notComplete, 'assistant: a2'],
    ],
    [
      'feedback, and a last answer that an output processor replaced',
      { onIterationComplete: once({ continue: true, feedback: 'More.' }) },
      [shout],
      ['assistant: a1', 'user: [retinue] More.', 'assistant: A2'],
    ],
    [
      'a stop with feedback, and an answer that an output processor replaced',
      { onIterationComplete: () => ({ continue: false, feedback: 'Enough.' }) },
      [shout],
      ['assistant: A1', 'user: [retinue] Enough.'],
    ],
    ['an answer that an output processor took away', {}, [silence], []],
  ])('%s', async (_name, options, outputProcessors, expected) => {
    const memory = memoryOver()
    const model = scriptedModel([{ text: 'a1' }, { text: 'a2' }])
    const agent = new Agent({ id: 'a', model, memory, outputProcessors })
    const { response } = await agent.generate('q', { memory: on, maxSteps: 3, ...options })
    expect(await kept(memory, 't1', 'u1')).toEqual(['user: q', ...expected])
    const { messages } = await memory.recall({ threadId: 't1', resourceId: 'u1' })
    expect(messages.slice(1).map(({ content }) => content)).toEqual(response.messages.map(({ content }) => content))
  })
})
