import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Chunk } from '../events/chunk.ts'
import type { Step } from '../loop/run-state.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'
import { Agent } from './agent.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const use = (...names: string[]): ScriptedTurn => ({ calls: names.map((name) => ({ name, args: {} })) })

function agentOf(turns: ScriptedTurn[]) {
  const model = scriptedModel(turns)
  const tools = {
    look: createTool({ id: 'look', execute: () => 'seen' }),
    ask: createTool({ id: 'ask', execute: () => 'told' }),
  }
  return { model, agent: new Agent({ id: 'a', model, tools }) }
}

describe('B1.6 stopWhen', () => {
  test('ends a run that would go on, with stop; one of several conditions is enough', async () => {
    const { model, agent } = agentOf([use('look'), use('look')])
    const seen: number[] = []
    const { finishReason, steps } = await agent.generate('Go', {
      stopWhen: [
        () => false,
        async ({ steps: done }) => {
          seen.push(done.length)
          return done.length === 2
        },
      ],
    })
    expect([finishReason, steps.length, seen]).toEqual(['stop', 2, [1, 2]])
    model.assertDone()
  })

  test('is not asked of an answer', async () => {
    const { agent } = agentOf([{ text: 'x' }])
    await agent.generate('Go', { stopWhen: () => expect.unreachable() })
  })
})

describe('B1.6 activeTools and prepareStep', () => {
  test('only active tools are shown, in their order, and a call of another is an error result', async () => {
    const { model, agent } = agentOf([use('ask'), { text: 'x' }])
    const { toolResults } = await agent.generate('Go', { activeTools: ['look'] })
    expect(model.calls.map(({ tools }) => tools)).toEqual([['look'], ['look']])
    expect(toolResults[0]?.error).toMatchObject({ code: 'tool-unknown', hint: expect.stringContaining('look') })
  })

  test('prepareStep sets them and the tool choice for one call alone', async () => {
    const { model, agent } = agentOf([use('ask'), { text: 'x' }])
    const seen: unknown[] = []
    await agent.generate('Go', {
      prepareStep: ({ stepNumber, steps, messages }) => {
        seen.push([stepNumber, steps.length, messages.length])
        return stepNumber === 0 ? { activeTools: ['ask'], toolChoice: 'required' } : undefined
      },
    })
    expect(seen).toEqual([
      [0, 0, 1],
      [1, 1, 3],
    ])
    expect(model.calls.map(({ tools, options }) => [tools, options.toolChoice])).toEqual([
      [['ask'], { type: 'required' }],
      [['look', 'ask'], { type: 'auto' }],
    ])
  })

  test.each([
    () => {
      throw new Error('boom')
    },
    () => ({ tols: [] }),
    () => ({ activeTools: 'look' }),
    () => ({ toolChoice: 'maybe' }),
    () => ({ model: 5 }),
    () => ({ messages: 'hi' }),
    () => ({ messages: [] }),
    () => ({ messages: [{ role: 'system', content: 'x' }] }),
    () => ({ modelSettings: 'hot' }),
    () => 5,
  ])('a prepareStep that throws or returns nonsense ends the run with a typed error', async (prepareStep) => {
    const { agent } = agentOf([])
    await expect(agent.generate('Go', { prepareStep: prepareStep as never })).rejects.toMatchObject({
      code: 'prepare-step-failed',
    })
  })

  test('a choice of a tool that is not there, or not active, is refused before a model is called', async () => {
    const { model, agent } = agentOf([use('look')])
    const choice = (toolName: string) => ({ type: 'tool', toolName }) as const
    for (const options of [
      { toolChoice: choice('lok') },
      { toolChoice: choice('ask'), activeTools: ['look'] },
      { prepareStep: () => ({ toolChoice: choice('lok') }) },
    ])
      await expect(agent.generate('Go', options)).rejects.toMatchObject({ code: 'option-invalid' })
    expect(model.calls).toEqual([])
    await agent.generate('Go', { toolChoice: choice('look'), maxSteps: 1 })
    expect(model.calls[0]?.options.toolChoice).toEqual(choice('look'))
  })

  test('B7.7 of a run that is aborted before its tools are known no option is refused', async () => {
    const stop = new AbortController()
    const tools = () => {
      stop.abort()
      return new Promise<never>(() => {})
    }
    const agent = new Agent({ id: 'a', model: scriptedModel([]), tools })
    const options = {
      activeTools: ['look'],
      toolChoice: { type: 'tool', toolName: 'look' },
      abortSignal: stop.signal,
    } as const
    expect((await agent.generate('Go', options)).finishReason).toBe('aborted')
  })

  test('names that are no tools are a typed error', async () => {
    const { agent } = agentOf([])
    await expect(agent.generate('Go', { activeTools: ['lok'] })).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringContaining('lok'),
    })
  })
})

describe('B1.6, S18 structuredOutput', () => {
  test('the tools stay available until the object, which is checked and repaired once', async () => {
    const { model, agent } = agentOf([use('look'), { text: '{"n":"one"}' }, { text: '{"n":1}' }])
    const { object, text } = await agent.generate('Go', { structuredOutput: { schema: z.object({ n: z.number() }) } })
    expect([object, text]).toEqual([{ n: 1 }, '{"n":1}'])
    for (const { tools, options } of model.calls) {
      expect(tools).toEqual(['look', 'ask'])
      expect(options.responseFormat).toMatchObject({ type: 'json', schema: { properties: { n: { type: 'number' } } } })
    }
    expect(model.calls[2]?.text).toContain('n: ')
  })

  test('a tool, a delegation, then the object: all stay available, an object that does not fit is mended once', async () => {
    const child = scriptedModel([{ text: 'The child says 4.' }])
    const model = scriptedModel([
      use('look'),
      { calls: [{ name: 'child', args: { prompt: 'How many?' } }] },
      { text: '{"n":"four"}' },
      { text: '{"n":4}' },
    ])
    const tools = { look: createTool({ id: 'look', execute: () => 'seen' }) }
    const agents = { child: new Agent({ id: 'c', description: 'Counts.', model: child }) }
    const agent = new Agent({ id: 'a', model, tools, agents })
    const schema = z.object({ n: z.number() })
    const { object, toolResults, finishReason } = await agent.generate('Go', { structuredOutput: { schema } })
    expect([object, finishReason, toolResults.length]).toEqual([{ n: 4 }, 'stop', 2])
    expect(model.calls.map(({ tools: names }) => names)).toEqual(Array(4).fill(['look', 'child']))
    expect(model.calls.map(({ options }) => options.toolChoice)).toEqual(Array(4).fill({ type: 'auto' }))
    expect(model.calls[3]?.text.split('\n').at(-1)).toMatch(/^user: \[retinue\] .*n: /)
    expect(child.calls.map(({ tools: names, options }) => [names, options.responseFormat])).toEqual([[[], undefined]])
    // It is not asked for a third time.
    const stubborn = scriptedModel([{ text: '{}' }, { text: '{}' }])
    await expect(
      new Agent({ id: 'a', model: stubborn }).generate('Go', { structuredOutput: { schema } }),
    ).rejects.toMatchObject({ code: 'answer-invalid' })
    stubborn.assertDone()
  })

  test('it is of this call, and not inherited', async () => {
    const child = scriptedModel([{ text: 'plain' }])
    const agents = { child: new Agent({ id: 'c', description: 'd', model: child }) }
    const model = scriptedModel([{ calls: [{ name: 'child', args: { prompt: 'x' } }] }, { text: '{}' }])
    await new Agent({ id: 'p', model, agents }).generate('Go', { structuredOutput: { schema: { type: 'object' } } })
    expect(child.calls[0]?.options.responseFormat).toBeUndefined()
  })
})

describe('B1.6 callbacks', () => {
  test('onChunk gets every event in order, onStepFinish every step, onFinish the result', async () => {
    const { agent } = agentOf([use('look'), { text: 'x' }])
    const chunks: Chunk[] = []
    const steps: Step[] = []
    const finished: unknown[] = []
    const stream = await agent.stream('Go', {
      onChunk: async (chunk) => {
        await Promise.resolve()
        chunks.push(chunk)
      },
      onStepFinish: (step) => void steps.push(step),
      onFinish: (result) => void finished.push(result),
      onError: () => expect.unreachable(),
      onAbort: () => expect.unreachable(),
    })
    const events: Chunk[] = []
    for await (const event of stream.events) events.push(event)
    const result = await stream.result
    expect(chunks).toEqual(events)
    expect(steps).toEqual(result.steps)
    expect(finished).toEqual([result])
  })

  test('onChunk works with generate too', async () => {
    const types: string[] = []
    await agentOf([{ text: 'x' }]).agent.generate('Go', { onChunk: ({ type }) => void types.push(type) })
    expect(types).toEqual(['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'])
  })

  test('onError gets the error, onAbort the steps; both before onFinish', async () => {
    const order: string[] = []
    const callbacks = {
      onError: ({ error }: { error: { code: string } }) => void order.push(error.code),
      onAbort: ({ steps }: { steps: readonly Step[] }) => void order.push(`aborted after ${steps.length}`),
      onFinish: () => void order.push('finish'),
    }
    await expect(agentOf([{ text: 'x', finish: 'error' }]).agent.generate('Go', callbacks)).rejects.toThrow()
    await agentOf([]).agent.generate('Go', { ...callbacks, abortSignal: AbortSignal.abort() })
    expect(order).toEqual(['model-call-failed', 'finish', 'aborted after 0', 'finish'])
  })

  test('one that throws is reported and hides nothing', async () => {
    const warned: string[] = []
    vi.spyOn(process, 'emitWarning').mockImplementation((message) => void warned.push(String(message)))
    const boom = () => {
      throw new Error('boom')
    }
    const stream = await agentOf([{ text: 'x' }]).agent.stream('Go', {
      onChunk: boom,
      onStepFinish: boom,
      onFinish: boom,
    })
    const events: Chunk[] = []
    for await (const event of stream.events) events.push(event)
    expect(await stream.text).toBe('x')
    expect(events.find(({ type }) => type === 'error')?.payload).toMatchObject({ error: { code: 'callback-failed' } })
    expect(warned.filter((message) => message.includes('onChunk'))).toHaveLength(events.length)
    expect(warned.filter((message) => message.includes('onFinish'))).toHaveLength(1)
  })

  test.each([
    'onChunk',
    'onStepFinish',
    'onFinish',
    'onError',
    'onAbort',
    'prepareStep',
    'stopWhen',
    'activeTools',
    'structuredOutput',
  ])('%s of a wrong type is a typed error', async (name) => {
    await expect(agentOf([]).agent.generate('Go', { [name]: 5 })).rejects.toMatchObject({ code: 'option-invalid' })
  })
})
