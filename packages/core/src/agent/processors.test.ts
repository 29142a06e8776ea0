import { describe, expect, test } from 'vitest'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type { Processor } from '../processors/index.ts'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'
import { Agent, type AgentOptions, type RunOptions } from './index.ts'

const ran: string[] = []
const look = createTool({ id: 'look', execute: () => void ran.push('look') })
const use = { calls: [{ name: 'look', args: {} }] }

async function run(turns: readonly ScriptedTurn[], config: Partial<AgentOptions>, options: RunOptions = {}) {
  const model = scriptedModel(turns)
  const stream = await new Agent({ id: 'a', model, instructions: 'Be brief.', tools: { look }, ...config }).stream(
    'My key is 42',
    options,
  )
  let streamed = ''
  for await (const delta of stream.textStream) streamed += delta
  return { model, streamed, stream, result: await stream.result }
}

const stop = { code: 'processor-stopped', message: 'The processor "guard" stopped the run: no keys' }

describe('B1.1 input processors', () => {
  test('see everything that the model will see, once, and what they return is what the run goes on from', async () => {
    const seen: unknown[] = []
    const guard: Processor = {
      id: 'guard',
      processInput: ({ messages, systemMessages }) => {
        seen.push([messages.length, systemMessages.map(({ content }) => content)])
        return [{ role: 'user', content: 'My key is hidden' }]
      },
    }
    const { model } = await run([use, { text: 'x' }], { inputProcessors: [guard] })
    expect(seen).toEqual([[1, ['Be brief.']]])
    expect(model.calls.map(({ text }) => text.includes('42'))).toEqual([false, false])
    expect(model.calls[1]?.prompt).toHaveLength(4)
  })

  test('each gets what the one before it gave; undefined changes nothing; instructions can be replaced', async () => {
    const list: Processor[] = [
      { id: 'a', processInput: () => undefined },
      { id: 'b', processInput: ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'More.' }] }) },
      { id: 'c', processInput: ({ messages }) => ({ instructions: `There are ${messages.length} messages.` }) },
    ]
    const { model } = await run([{ text: 'x' }], { inputProcessors: list })
    expect(model.calls[0]?.text).toBe('system: There are 2 messages.\nuser: My key is 42\nuser: More.')
  })

  test('B2.3 those of a child see what it inherited and its prompt, and its own child sees what they left', async () => {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'done' }],
      'a/child': [{ calls: [{ name: 'leaf', args: { prompt: 'dig' } }] }, { text: 'x' }],
      'a/child/leaf': [{ text: 'y' }],
    })
    const seen: unknown[] = []
    const guard: Processor = {
      id: 'guard',
      processInput: ({ messages, path }) => {
        seen.push([messages.length, path])
        return messages.slice(-1)
      },
    }
    const leaf = new Agent({ id: 'l', description: 'd' })
    const child = new Agent({ id: 'c', description: 'd', inputProcessors: [guard], agents: { leaf } })
    await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect(seen).toEqual([[2, ['a', 'child']]])
    expect(models.calls('a/child')[0]?.text).toBe('user: find')
    expect(models.calls('a/child/leaf')[0]?.text).toBe('user: find\nuser: dig')
  })

  test('processInputStep is called before each model call, and holds for that call alone', async () => {
    const seen: unknown[] = []
    const guard: Processor = {
      id: 'guard',
      processInputStep: ({ messages, iteration }) => {
        seen.push([iteration, messages.length])
        return iteration === 2 ? messages.slice(0, 1) : undefined
      },
    }
    const { model } = await run([use, use, { text: 'x' }], { inputProcessors: [guard] })
    expect(seen).toEqual([
      [1, 1],
      [2, 3],
      [3, 5],
    ])
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([2, 2, 6])
  })

  test('processInputStep sees what prepareStep put in place', async () => {
    const guard: Processor = {
      id: 'guard',
      processInputStep: ({ messages, systemMessages }) => ({
        messages: [{ role: 'user', content: `${messages.length} ${systemMessages[0]?.content}` }],
      }),
    }
    const { model } = await run(
      [{ text: 'x' }],
      { inputProcessors: [guard] },
      { prepareStep: () => ({ instructions: 'Now.' }) },
    )
    expect(model.calls[0]?.text).toBe('system: Now.\nuser: 1 Now.')
  })

  test.each(['processInput', 'processInputStep'] as const)(
    '%s can stop the run before the model is called, with a reason',
    async (method) => {
      const guard: Processor = {
        id: 'guard',
        [method]: ({ abort }: { abort(reason: string): never }) => abort('no keys'),
      }
      const { model, result } = await run([], { inputProcessors: [guard] })
      expect(result).toMatchObject({ finishReason: 'other', text: '', error: stop })
      expect(model.calls).toHaveLength(0)
    },
  )

  const nonsense: [string, unknown][] = [
    ['a text', 'x'],
    ['an unknown field', { mesages: [] }],
    ['no list', { messages: 'x' }],
    ['a message that is none', [{ role: 'robot', content: 'x' }]],
    ['nothing to send', []],
  ]
  test.each(nonsense)(
    'one that returns %s ends the run with an error, and the model is not called',
    async (_name, returned) => {
      for (const method of ['processInput', 'processInputStep'] as const) {
        const guard: Processor = { id: 'guard', [method]: () => returned }
        const { model, result } = await run([], { inputProcessors: [guard] })
        expect(result).toMatchObject({ finishReason: 'error', error: { code: 'processor-failed' } })
        expect(result.error?.message).toContain(`${method} of the processor "guard"`)
        expect(model.calls).toHaveLength(0)
      }
    },
  )

  test('B3.3 what a child inherited is none of its own conversation, also when a processor made it anew', async () => {
    const handed: string[] = []
    const guards: Processor[] = [
      { id: 'same', processInput: ({ messages }) => messages.map((message) => ({ ...message })) },
      { id: 'more', processInput: ({ messages }) => [{ role: 'user', content: 'CONTEXT' }, ...messages] },
    ]
    for (const guard of guards) {
      const models = scriptedModels({
        a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'done' }],
        'a/child': [{ text: 'found' }],
      })
      const child = new Agent({ id: 'c', description: 'd', inputProcessors: [guard] })
      const agent = new Agent({ id: 'a', agents: { child } })
      await agent.generate('SECRET of the parent', {
        resolveModel: models.resolveModel,
        delegation: { onDelegationComplete: ({ messages }) => void handed.push(JSON.stringify(messages)) },
      })
      expect(models.calls('a/child')[0]?.text).toContain('SECRET of the parent')
    }
    expect(handed).toHaveLength(2)
    for (const messages of handed) {
      expect(messages).toMatch(/find[\s\S]*found/)
      expect(messages).not.toMatch(/SECRET|CONTEXT/)
    }
  })

  test('one that throws ends the run with an error, whose words no model reads', async () => {
    const models = scriptedModels({ a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }] })
    const guard: Processor = {
      id: 'guard',
      processInput: () => {
        throw new Error('password: hunter2')
      },
    }
    const child = new Agent({ id: 'c', description: 'd', inputProcessors: [guard] })
    const result = await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect(result.toolResults[0]?.result).toMatchObject({ status: 'failed', error: { code: 'processor-failed' } })
    expect(models.calls('a')[1]?.text).toContain('A processor of the application failed.')
    expect(models.calls('a')[1]?.text).not.toContain('hunter2')
  })
})

describe('B1.1 output processors', () => {
  test('see each part of the answer, can change it, leave it out, and keep something between', async () => {
    const mask: Processor = {
      id: 'mask',
      processOutputStream: ({ part, state }) => {
        state['parts'] = ((state['parts'] as number | undefined) ?? 0) + 1
        if (part.type === 'reasoning-delta') return null
        return part.type === 'text-delta' ? { ...part, delta: part.delta.replaceAll('4', '*') } : part
      },
    }
    const { streamed, result } = await run([{ text: ['a4', 'b4'], reasoning: 'secret' }], { outputProcessors: [mask] })
    expect([streamed, result.text, result.steps[0]?.reasoningText]).toEqual(['a*b*', 'a*b*', ''])
    expect(JSON.stringify(result.response.messages)).not.toMatch(/secret|a4/)
  })

  test('can change or leave out a tool call, which then does not run', async () => {
    ran.length = 0
    const guard: Processor = {
      id: 'guard',
      processOutputStream: ({ part }) => (part.type === 'tool-call' ? null : part),
    }
    const { result } = await run([{ ...use, text: 'hm' }], { outputProcessors: [guard] })
    expect([ran, result.toolCalls, result.text]).toEqual([[], [], 'hm'])
  })

  test('can stop the run in the middle: what was passed is kept, no call runs, no model is asked again', async () => {
    ran.length = 0
    const guard: Processor = {
      id: 'guard',
      processOutputStream: ({ part, abort }) =>
        part.type === 'text-delta' && part.delta.includes('key') ? abort('no keys') : part,
    }
    const { streamed, result, model } = await run(
      [
        {
          parts: [
            { type: 'stream-start', warnings: [] },
            { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
            { type: 'text-start', id: 't' },
            { type: 'text-delta', id: 't', delta: 'The ' },
            { type: 'text-delta', id: 't', delta: 'key' },
          ],
        },
      ],
      { outputProcessors: [guard] },
      { onIterationComplete: () => ({ continue: true }) },
    )
    expect([streamed, result.text, ran, model.calls.length]).toEqual(['The ', 'The ', [], 1])
    expect(result).toMatchObject({ finishReason: 'other', error: stop })
    expect(result.toolResults).toMatchObject([{ error: { code: 'tool-not-run' } }])
  })

  test('one that fails in the middle ends the run with an error, and no fallback is asked', async () => {
    const other = scriptedModel([])
    const guard: Processor = {
      id: 'guard',
      processOutputStream: () => {
        throw new Error('boom')
      },
    }
    const model = scriptedModel([{ text: 'x' }])
    const agent = new Agent({ id: 'a', model: [model, other], outputProcessors: [guard] })
    await expect(agent.generate('Go')).rejects.toMatchObject({ code: 'processor-failed' })
    expect([model.calls.length, other.calls.length]).toEqual([1, 0])
  })

  test('a stop that another copy of the package made is a stop', async () => {
    const foreign = Object.assign(new Error('no keys'), {
      [Symbol.for('retinue.error')]: true,
      code: 'processor-stopped',
    })
    const guard: Processor = {
      id: 'guard',
      processOutputStream: () => {
        throw foreign
      },
    }
    const { streamed, result } = await run([{ text: 'It is 42' }], { outputProcessors: [guard] })
    expect([streamed, result.finishReason, result.error?.code]).toEqual(['', 'other', 'processor-stopped'])
  })

  test.each([
    { type: 'text-delta', id: 't' },
    { type: 'tool-call', toolCallId: 'c', input: '{}' },
    { type: 'finish' },
    5,
  ])('processOutputStream that returns what is no part of an answer has failed: %j', async (part) => {
    const guard: Processor = { id: 'guard', processOutputStream: () => part as never }
    const { streamed, result } = await run([{ text: 'It is 42' }], { outputProcessors: [guard] })
    expect([streamed, result.finishReason]).toEqual(['', 'error'])
    expect(result.error?.message).toContain('processOutputStream of the processor "guard" failed')
  })

  test('processOutputResult can put another text in place of the answer, in the result and in the history', async () => {
    const guard: Processor = { id: 'guard', processOutputResult: ({ text }) => text.replaceAll('42', '**') }
    const { streamed, result } = await run([{ text: 'It is 42' }], { outputProcessors: [guard] })
    expect([streamed, result.text]).toEqual(['It is 42', 'It is **'])
    expect(result.response.messages).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'It is **' }] }])
  })

  test('B2.5 what they leave is what the parent reads', async () => {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'a/child': [{ text: 'It is 42' }],
    })
    const guard: Processor = { id: 'guard', processOutputResult: ({ text }) => text.replaceAll('42', '**') }
    const child = new Agent({ id: 'c', description: 'd', outputProcessors: [guard] })
    const result = await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect((result.toolResults[0]?.result as DelegationEnvelope | undefined)?.text).toBe('It is **')
    expect(models.calls('a')[1]?.text).toContain('It is **')
  })

  test('processOutputResult can refuse the answer: the run ends without it', async () => {
    const guard: Processor = { id: 'guard', processOutputResult: ({ abort }) => abort('no keys') }
    const { result } = await run([{ text: 'It is 42' }], { outputProcessors: [guard] })
    expect(result).toMatchObject({ finishReason: 'other', text: '', error: stop })
    expect(result.response.messages).toEqual([])
  })

  test('B2.5 a child that a processor stopped has failed, and its parent reads why', async () => {
    const models = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: 'done' }],
      'a/child': [{ text: 'It is 42' }],
    })
    const guard: Processor = { id: 'guard', processOutputResult: ({ abort }) => abort('no keys') }
    const child = new Agent({ id: 'c', description: 'd', outputProcessors: [guard] })
    const result = await new Agent({ id: 'a', agents: { child } }).generate('Go', { resolveModel: models.resolveModel })
    expect(result.toolResults[0]?.result).toMatchObject({ status: 'failed', finishReason: 'other', text: '' })
    expect(models.calls('a')[1]?.text).toContain('[child: failed. The processor "guard" stopped the run: no keys]')
  })

  test('B7.7 a processor that hangs does not hold up an abort, and what it has not passed is not shown', async () => {
    const controller = new AbortController()
    const guard: Processor = {
      id: 'guard',
      processOutputStream: () => {
        controller.abort()
        return new Promise(() => {})
      },
    }
    const { streamed, result } = await run(
      [{ text: 'x' }],
      { outputProcessors: [guard] },
      { abortSignal: controller.signal },
    )
    expect([streamed, result.finishReason]).toEqual(['', 'aborted'])
  })
})

test('B1.1 the state is the run’s own, and lists can be functions of the request', async () => {
  const counts: unknown[] = []
  const counter: Processor = {
    id: 'counter',
    processInputStep: ({ state }) => {
      state['n'] = ((state['n'] as number | undefined) ?? 0) + 1
      counts.push(state['n'])
    },
  }
  const agent = new Agent({
    id: 'a',
    tools: { look },
    inputProcessors: () => [counter],
    model: scriptedModel([use, { text: 'x' }, { text: 'y' }]),
  })
  await agent.generate('Go')
  await agent.generate('Go')
  expect(counts).toEqual([1, 2, 1])
  const bad = new Agent({ id: 'a', model: scriptedModel([]), inputProcessors: (() => [{}]) as never })
  await expect(bad.generate('Go')).rejects.toMatchObject({ code: 'agent-invalid' })
})

test.each([
  [{ inputProcessors: {} }, /are no list/],
  [{ inputProcessors: [{ processInput: () => [] }] }, /has no id/],
  [
    { inputProcessors: [{ id: 'p', processOutputResult: () => 'x' }] },
    /"p" in the inputProcessors .* has none of the methods/,
  ],
  [{ outputProcessors: [{ id: 'p', processInput: () => [] }] }, /"p" in the outputProcessors/],
])('B1.1 processors that do nothing where they stand are an error when the agent is made: %#', (config, message) => {
  expect(() => new Agent({ id: 'a', ...(config as object) })).toThrow(message)
})
