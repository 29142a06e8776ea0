import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const forever = new Promise<never>(() => {})

function agentOf(turns: ScriptedTurn[], tools = {}): Agent {
  return new Agent({ id: 'a', model: scriptedModel(turns), tools, maxRetries: 1 })
}

/** A model that sends one delta and then nothing more. */
function silentAfter(delta: string): Agent {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'text-delta', id: 't', delta })
    },
  })
  const model = scriptedModel([])
  return new Agent({
    id: 'a',
    model: {
      ...model,
      specificationVersion: 'v4',
      provider: 'p',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: model.doGenerate,
      doStream: async () => ({ stream }),
    },
  })
}

describe('B1.6 timeout', () => {
  test('stepMs ends an attempt, which is tried again, and after the last the run fails', async () => {
    const run = agentOf([{ after: forever }, { after: forever }]).generate('Go', { timeout: { stepMs: 50 } })
    const failed = expect(run).rejects.toMatchObject({
      code: 'model-timed-out',
      message: expect.stringContaining('50 ms'),
    })
    await vi.advanceTimersByTimeAsync(50 + 1000 + 50)
    await failed
    expect(vi.getTimerCount()).toBe(0)
  })

  test('stepMs: a model that answers on the second attempt answers', async () => {
    const run = agentOf([{ after: forever }, { text: 'late' }]).generate('Go', { timeout: { stepMs: 50 } })
    await vi.advanceTimersByTimeAsync(50 + 1000)
    expect((await run).text).toBe('late')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('chunkMs ends a stream that fell silent; what was said is kept and not asked for again', async () => {
    const stream = await silentAfter('half').stream('Go', { timeout: { chunkMs: 30 } })
    await vi.advanceTimersByTimeAsync(30)
    expect(await stream.finishReason).toBe('error')
    expect(await stream.text).toBe('half')
    expect((await stream.error)?.code).toBe('model-timed-out')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('chunkMs counts the silence, not the whole', async () => {
    let feed: ReadableStreamDefaultController | undefined
    const stream = new ReadableStream({
      start(controller) {
        feed = controller
      },
    })
    const agent = new Agent({
      id: 'a',
      model: {
        specificationVersion: 'v4',
        provider: 'p',
        modelId: 'm',
        supportedUrls: {},
        doGenerate: () => forever,
        doStream: async () => ({ stream }),
      },
    })
    const run = agent.generate('Go', { timeout: { chunkMs: 30 } })
    for (let n = 0; n < 4; n++) {
      await vi.advanceTimersByTimeAsync(20)
      feed?.enqueue({ type: 'text-delta', id: 't', delta: String(n) })
    }
    await vi.advanceTimersByTimeAsync(20)
    feed?.enqueue({ type: 'finish', finishReason: { unified: 'stop' }, usage: {} })
    expect((await run).text).toBe('0123')
  })

  test('toolMs ends a tool alone: its signal is aborted, the model is told, the run goes on', async () => {
    let signal: AbortSignal | undefined
    const slow = createTool({
      id: 'slow',
      execute: (_input, context) => {
        signal = context.abortSignal
        return forever
      },
    })
    const quick = createTool({ id: 'quick', execute: () => 'done' })
    const turns: ScriptedTurn[] = [
      {
        calls: [
          { name: 'slow', args: {} },
          { name: 'quick', args: {} },
        ],
      },
      ({ text }) => ({ text: /took longer than 40 ms/.test(text) && /done/.test(text) ? 'told' : text }),
    ]
    const run = agentOf(turns, { slow, quick }).generate('Go', { timeout: { toolMs: 40 } })
    await vi.advanceTimersByTimeAsync(40)
    const { text, toolResults } = await run
    expect(text).toBe('told')
    expect(toolResults.map(({ error, result }) => error?.code ?? result)).toEqual(['tool-timed-out', 'done'])
    expect(signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('B1.10 totalMs ends the whole tree as aborted', async () => {
    const child = new Agent({ id: 'c', description: 'Works.', model: scriptedModel([{ after: forever }]) })
    const parent = new Agent({
      id: 'p',
      model: scriptedModel([{ calls: [{ name: 'child', args: { prompt: 'Go' } }] }]),
      agents: { child },
    })
    const stream = await parent.stream('Go', { timeout: { totalMs: 500 } })
    await vi.advanceTimersByTimeAsync(500)
    expect(await stream.finishReason).toBe('aborted')
    const chunks = []
    for await (const chunk of stream.events) chunks.push(chunk)
    expect(chunks.findLast(({ type }) => type === 'abort')?.payload).toEqual({
      reason: 'The run took longer than 500 ms.',
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a run that ends in time leaves no clock behind', async () => {
    await agentOf([{ text: 'x' }]).generate('Go', { timeout: { totalMs: 500, stepMs: 500, chunkMs: 500, toolMs: 500 } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([[{ stepMs: 0 }], [{ totalMs: 1.5 }], [{ chunkMs: 'x' }], [{ tollMs: 5 }], [5]])(
    'a timeout that is none is a typed error: %j',
    async (timeout) => {
      await expect(agentOf([]).generate('Go', { timeout: timeout as never })).rejects.toMatchObject({
        code: expect.stringMatching(/^option-/),
      })
    },
  )
})
