import { Agent, type AgentInput } from '@retinue/core/agent'
import type { InputMessageLike, Processor } from '@retinue/core/processors'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, test } from 'vitest'
import { kept } from '../test-support/said.ts'
import { Memory } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const look = createTool({ id: 'look', execute: () => 'seen' })
/** The client’s to run. */
const where = createTool({ id: 'where', inputSchema: { type: 'object', properties: {} } })
const use = (id: string, name: string): ScriptedTurn => ({ calls: [{ id, name, args: {} }] })
const answered = (toolCallId: string, value: string): AgentInput => [
  { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'where', output: { type: 'text', value } }] },
]

function agentWith(turns: readonly ScriptedTurn[], inputProcessors?: readonly Processor[]) {
  const memory = new Memory({ storage: new InMemoryStorage() })
  const model = scriptedModel(turns)
  const agent = new Agent({
    id: 'a',
    model,
    memory,
    tools: { look, where },
    ...(inputProcessors ? { inputProcessors } : {}),
  })
  return { agent, model, there: () => kept(memory, 't1', 'u1'), memory }
}

describe('B6.5 the result of a client’s tool, alone, goes on from the call that the thread has', () => {
  test('the model reads the call and its result, now and later', async () => {
    const { agent, model, there } = agentWith([use('c', 'where'), { text: 'Berlin.' }, { text: 'x' }])
    expect((await agent.generate('Where am I?', { memory: on })).finishReason).toBe('tool-calls')
    expect((await agent.generate(answered('c', 'Berlin'), { memory: on })).text).toBe('Berlin.')
    const said = 'user: Where am I?\nassistant: where({})\ntool: Berlin'
    expect(model.calls[1]?.text).toBe(said)
    await agent.generate('Thanks.', { memory: on })
    expect(model.calls[2]?.text).toBe(`${said}\nassistant: Berlin.\nuser: Thanks.`)
    expect((await there()).slice(0, 4)).toEqual([
      'user: Where am I?',
      'assistant: call where',
      'tool: result where',
      'assistant: Berlin.',
    ])
  })

  test('one that answers no call of the thread is refused, keeps nothing, and leaves the thread free', async () => {
    const { agent, model, there } = agentWith([{ text: 'a1' }, { text: 'a2' }])
    await agent.generate('q1', { memory: on })
    await expect(agent.generate(answered('unknown', 'x'), { memory: on })).rejects.toMatchObject({
      code: 'input-invalid',
      message: expect.stringContaining('"unknown"') as string,
    })
    await agent.generate('q2', { memory: { ...on, onBusy: 'reject' } })
    expect(await there()).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
    expect(model.calls).toHaveLength(2)
  })
})

describe('B6.5 what a client resends of the conversation is not kept again', () => {
  const text = (value: string) => ({ type: 'text', text: value })
  const step = { type: 'step-start' }
  const u1 = { role: 'user', id: 'm1', parts: [text('q1')] } as const
  const call = { type: 'tool-where', toolCallId: 'c', input: {} }

  test('a whole history of UI messages, with the steps of an answer', async () => {
    const { agent, model, there } = agentWith([use('c', 'look'), { text: 'a1' }, { text: 'a2' }])
    await agent.generate([u1], { memory: on })
    const seen = { type: 'tool-look', toolCallId: 'c', state: 'output-available', input: {}, output: 'seen' }
    const a1 = { role: 'assistant', id: 'm2', parts: [step, seen, step, text('a1')] } as const
    await agent.generate([u1, a1, { role: 'user', id: 'm3', parts: [text('q2')] }], { memory: on })
    const before = ['user: q1', 'assistant: call look', 'tool: result look', 'assistant: a1']
    expect(await there()).toEqual([...before, 'user: q2', 'assistant: a2'])
    expect(model.calls[2]?.text).toBe('user: q1\nassistant: look({})\ntool: seen\nassistant: a1\nuser: q2')
  })

  test('a history that ends with the result of the client’s tool: that alone is new', async () => {
    const { agent, model, there } = agentWith([use('c', 'where'), { text: 'Berlin.' }])
    await agent.generate([u1], { memory: on })
    const a1 = { role: 'assistant', id: 'm2', parts: [step, { ...call, state: 'output-available', output: 'Berlin' }] }
    await agent.generate([u1, a1] as AgentInput, { memory: on })
    expect(await there()).toEqual(['user: q1', 'assistant: call where', 'tool: result where', 'assistant: Berlin.'])
    expect(model.calls[1]?.text).toBe('user: q1\nassistant: where({})\ntool: Berlin')
  })

  test('a history that the thread does not have yet is kept whole', async () => {
    const { agent, there } = agentWith([{ text: 'a2' }])
    const a1 = { role: 'assistant', id: 'm2', parts: [text('a1')] } as const
    await agent.generate([u1, a1, { role: 'user', id: 'm3', parts: [text('q2')] }], { memory: on })
    expect(await there()).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
  })

  test('context of the call is told and not kept', async () => {
    const { agent, model, there } = agentWith([{ text: 'a1' }, { text: 'a2' }])
    const context = [{ role: 'user' as const, content: 'It rains.' }]
    await agent.generate('q1', { memory: on, context })
    await agent.generate('q2', { memory: on, context })
    expect(await there()).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
    expect(model.calls[1]?.text).toBe('user: q1\nassistant: a1\nuser: It rains.\nuser: q2')
  })
})

describe('B6.5 call ids that a model uses again', () => {
  test('get another one where the thread has theirs: each result stays with its call', async () => {
    const { agent, memory, model } = agentWith([use('c', 'look'), { text: 'a1' }, use('c', 'look'), { text: 'a2' }])
    await agent.generate('q1', { memory: on })
    const { toolCalls } = await agent.generate('q2', { memory: on })
    const { messages } = await memory.recall({ threadId: 't1', resourceId: 'u1' })
    const ids = messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
    )
    const again = toolCalls[0]?.toolCallId
    expect(again).not.toBe('c')
    expect(ids).toEqual(['c', 'c', again, again])
    model.assertDone()
  })

  test('a client’s result goes to the last call of its id', async () => {
    const turns = [use('c', 'where'), { text: 'a1' }, use('c', 'where'), { text: 'a2' }]
    const { agent, model } = agentWith(turns)
    await agent.generate('q1', { memory: on })
    await agent.generate(answered('c', 'Berlin'), { memory: on })
    // Nothing is recalled, so that nobody knows that the id was used.
    await agent.generate('q2', { memory: { ...on, options: { lastMessages: false } } })
    await agent.generate(answered('c', 'Paris'), { memory: on })
    expect(model.calls[3]?.text).toBe(
      'user: q1\nassistant: where({})\ntool: Berlin\nassistant: a1\nuser: q2\nassistant: where({})\ntool: Paris',
    )
  })
})

describe('B6.5 of what input processors make, the thread has what the person said, once, and nothing of theirs', () => {
  const user = (value: string): InputMessageLike => ({ role: 'user', content: [{ type: 'text', text: value }] })
  const copies = (messages: readonly InputMessageLike[]) => messages.map((message) => ({ ...message }))
  const hide = (messages: readonly InputMessageLike[]) =>
    messages.map((message) => JSON.parse(JSON.stringify(message).replaceAll('secret', 'HIDDEN')) as InputMessageLike)
  const processor = (change: (messages: readonly InputMessageLike[]) => readonly InputMessageLike[]): Processor => ({
    id: 'p',
    processInput: ({ messages }) => change(messages),
  })
  const add = processor((messages) => [user('Context of it.'), ...messages])
  const asSaid = ['my secret is q1', 'my secret is q2']
  const hidden = ['my HIDDEN is q1', 'my HIDDEN is q2']
  test.each<[string, readonly Processor[], readonly string[]]>([
    ['all copied, and a context before', [processor((all) => [user('Context of it.'), ...copies(all)])], asSaid],
    ['all copied, and a context after', [processor((all) => [...copies(all), user('Context of it.')])], asSaid],
    [
      'all copied, and a context with words of it after',
      [processor((all) => [...copies(all), user('my secret')])],
      asSaid,
    ],
    [
      'the question alone, and a context before',
      [processor((all) => [user('Context of it.'), ...all.slice(-1)])],
      asSaid,
    ],
    ['what was said is hidden', [processor(hide)], hidden],
    ['what was said is hidden, then a context comes', [processor(hide), add], hidden],
    ['a context comes, then what was said is hidden', [add, processor(hide)], hidden],
    ['both at once', [processor((all) => [user('Context of it.'), ...hide(all)])], hidden],
    ['what was said is hidden, and all before it cut', [processor((all) => hide(all.slice(-1)))], hidden],
    ['made again by each of two', [processor(copies), processor(copies)], asSaid],
  ])('%s', async (_name, processors, [q1 = '', q2 = '']) => {
    const { agent, there, model } = agentWith([{ text: 'a1' }, { text: 'a2' }], processors)
    await agent.generate('my secret is q1', { memory: on })
    await agent.generate('my secret is q2', { memory: on })
    expect(await there()).toEqual([`user: ${q1}`, 'assistant: a1', `user: ${q2}`, 'assistant: a2'])
    model.assertDone()
  })

  test('all of it cut: what was said is kept as it was, and the thread can be read', async () => {
    const cut: Processor = {
      id: 'cut',
      processInput: ({ messages }) => (messages.length > 1 ? [user('A summary.')] : undefined),
    }
    const { agent, there, model } = agentWith([{ text: 'a1' }, { text: 'a2' }], [cut])
    await agent.generate('q1', { memory: on })
    await agent.generate('q2', { memory: on })
    expect(model.calls[1]?.text).toBe('user: A summary.')
    expect(await there()).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
  })

  test('the same words said twice are two messages', async () => {
    const { agent, there } = agentWith([{ text: 'a' }, { text: 'a' }], [processor(copies)])
    await agent.generate('ok', { memory: on })
    await agent.generate('ok', { memory: on })
    expect(await there()).toEqual(['user: ok', 'assistant: a', 'user: ok', 'assistant: a'])
  })
})

describe('B6.5 an input that a processor refused is not kept, and the next run goes on', () => {
  const refusing = (refuse: (stop: () => never) => void): Processor => ({
    id: 'guard',
    processInput: ({ messages, abort }) => {
      if (JSON.stringify(messages.at(-1)).includes('bad')) refuse(() => abort('bad'))
    },
  })
  const fail = () => {
    throw new Error('broken')
  }
  test.each<[string, Processor, string]>([
    ['by a stop', refusing((stop) => stop()), 'processor-stopped'],
    ['by failing', refusing(fail), 'processor-failed'],
  ])('%s', async (_name, guard, code) => {
    const { agent, there, model } = agentWith([{ text: 'a1' }, { text: 'a3' }], [guard])
    await agent.generate('q1', { memory: on })
    const refused = await agent.generate('bad', { memory: on }).then(
      ({ error }) => error,
      (thrown: unknown) => thrown,
    )
    expect(refused).toMatchObject({ code })
    await agent.generate('q3', { memory: { ...on, onBusy: 'reject' } })
    expect(await there()).toEqual(['user: q1', 'assistant: a1', 'user: q3', 'assistant: a3'])
    expect(model.calls[1]?.text).toBe('user: q1\nassistant: a1\nuser: q3')
  })
})
