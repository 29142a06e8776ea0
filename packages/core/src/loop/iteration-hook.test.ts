import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { RunOptions } from '../agent/run-options.ts'
import type { Chunk } from '../events/chunk.ts'
import { type ScriptedTurn, scriptedModel } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'
import type { IterationContext, IterationVerdict } from './iteration-hook.ts'

const look: ScriptedTurn = { text: 'looking', calls: [{ name: 'look', args: {} }] }

async function run(turns: ScriptedTurn[], hook: (context: IterationContext) => unknown, options: RunOptions = {}) {
  let looked = 0
  const tools = { look: createTool({ id: 'look', execute: () => ++looked }) }
  const model = scriptedModel(turns)
  const contexts: IterationContext[] = []
  const stream = await new Agent({ id: 'a', model, tools }).stream('Go', {
    ...options,
    onIterationComplete: (context) => {
      contexts.push(context)
      return hook(context) as IterationVerdict
    },
  })
  const events: Chunk[] = []
  for await (const chunk of stream.events) events.push(chunk)
  model.assertDone()
  return { model, contexts, events, result: await stream.result, looked: () => looked }
}

describe('B5.1 onIterationComplete', () => {
  test('is told of each iteration, in its order', async () => {
    const { contexts } = await run([look, { text: 'done' }], () => undefined, { runId: 'r', maxSteps: 4 })
    const common = { maxIterations: 4, runId: 'r', agentId: 'a', path: ['a'] }
    expect(contexts).toMatchObject([
      {
        ...common,
        iteration: 1,
        text: 'looking',
        finishReason: 'tool-calls',
        isFinal: false,
        toolCalls: [{ toolName: 'look' }],
        toolResults: [{ result: 1 }],
      },
      { ...common, iteration: 2, text: 'done', finishReason: 'stop', isFinal: true, toolCalls: [], toolResults: [] },
    ])
    expect(contexts[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('{ continue: true } grants another iteration after a final answer, with a word to go on, within maxSteps', async () => {
    const { model, result } = await run([{ text: 'a' }, { text: 'b' }, { text: 'c' }], () => ({ continue: true }), {
      maxSteps: 3,
    })
    expect(result).toMatchObject({ text: 'c', finishReason: 'stop' })
    expect(model.calls[1]?.text.split('\n').at(-1)).toMatch(/^user: \[retinue\] .*go on/)
  })

  test('{ continue: true, feedback } is seen in the very next call, in place of that word', async () => {
    const { model } = await run([{ text: 'a' }, { text: 'b' }], ({ iteration }) =>
      iteration === 1 ? { continue: true, feedback: 'Be specific.' } : undefined,
    )
    expect(model.calls[1]?.text.split('\n').slice(-2)).toEqual(['assistant: a', 'user: [retinue] Be specific.'])
  })

  test('feedback after an iteration with tools is seen in the next call', async () => {
    const { model } = await run([look, { text: 'b' }], ({ isFinal }) =>
      isFinal ? undefined : { feedback: 'Look closer.' },
    )
    expect(model.calls[1]?.text.split('\n').at(-1)).toBe('user: [retinue] Look closer.')
  })

  test('{ feedback } alone after a final answer is only kept', async () => {
    const { result } = await run([{ text: 'a' }], () => ({ feedback: 'Next time: shorter.' }))
    expect(JSON.stringify(result.response.messages.at(-1))).toContain('Next time: shorter.')
    expect(result).toMatchObject({ text: 'a', finishReason: 'stop' })
  })

  test('{ continue: false } stops', async () => {
    const { result, looked } = await run([look], () => ({ continue: false }))
    expect(result).toMatchObject({ text: 'looking', finishReason: 'stop' })
    expect(looked()).toBe(1)
  })

  test.each([5, 1])(
    'S05 { continue: false, feedback } after tools grants exactly one more call, also at maxSteps %i, whose calls do not run',
    async (maxSteps) => {
      const again: ScriptedTurn = { text: 'summary', calls: [{ name: 'look', args: {} }] }
      const { model, result, looked } = await run([look, again], () => ({ continue: false, feedback: 'Sum up.' }), {
        maxSteps,
      })
      const last = model.calls[1]
      expect(last?.text.split('\n').at(-1)).toBe('user: [retinue] Sum up.')
      expect([model.calls.length, last?.text.split('Sum up.').length]).toEqual([2, 2])
      expect([last?.options.toolChoice, last?.tools]).toEqual([{ type: 'none' }, ['look']])
      expect(looked()).toBe(1)
      expect(result).toMatchObject({ text: 'summary', finishReason: 'stop' })
      expect(result.toolResults.at(-1)).toMatchObject({ isError: true, error: { code: 'tool-not-run' } })
    },
  )

  test('S05 { continue: false, feedback } after a final answer just stops', async () => {
    const { model, result } = await run([{ text: 'a' }], () => ({ continue: false, feedback: 'x' }))
    expect([model.calls.length, result.text, result.finishReason]).toEqual([1, 'a', 'stop'])
  })

  test.each([
    () => {
      throw new Error('boom')
    },
    () => ({ contine: true }),
    () => ({ continue: 'yes' }),
    () => ({ feedback: 5 }),
    () => 5,
    () => new Map(),
    () => [],
  ])('a hook that throws or returns nonsense changes nothing and is told', async (hook) => {
    const { result, events } = await run([look, { text: 'done' }], hook)
    expect(result).toMatchObject({ text: 'done', finishReason: 'stop' })
    expect(events.filter(({ type }) => type === 'error').map(({ payload }) => payload)).toMatchObject([
      { error: { code: 'iteration-hook-failed' } },
      { error: { code: 'iteration-hook-failed' } },
    ])
  })

  test('it does not mend an error, and is not asked about one', async () => {
    const { result, contexts } = await run([{ text: 'x', finish: 'error' }], () => ({ continue: true }))
    expect(result.finishReason).toBe('error')
    expect(contexts).toEqual([])
  })

  test('one that hangs does not hold up an abort', async () => {
    const abort = new AbortController()
    const { result } = await run(
      [look],
      () => {
        queueMicrotask(() => abort.abort())
        return new Promise(() => {})
      },
      { abortSignal: abort.signal },
    )
    expect(result.finishReason).toBe('aborted')
  })

  test('{ continue: false } asks for no repair: the answer that does not fit is the end', async () => {
    const model = scriptedModel([{ text: 'no object' }])
    const agent = new Agent({ id: 'a', model, outputSchema: { type: 'object' } })
    await expect(agent.generate('Go', { onIterationComplete: () => ({ continue: false }) })).rejects.toMatchObject({
      code: 'answer-invalid',
    })
    model.assertDone()
  })

  test('it can’t rewrite what was called, what came back, or the conversation', async () => {
    const rewrite: ((context: IterationContext) => unknown)[] = [
      ({ toolCalls }) => ((toolCalls as unknown[]).length = 0),
      ({ toolResults }) => Object.assign(toolResults[0] ?? {}, { result: 'HACKED' }),
      ({ messages }) => ((messages[2]?.content[0] as { output: object }).output = { type: 'text', value: 'HACKED' }),
      ({ messages }) => {
        const [part] = (messages[2]?.content ?? []) as { output: object }[]
        Object.assign(part?.output ?? {}, { value: 'HACKED' })
      },
    ]
    for (const hook of rewrite) {
      const { model, result } = await run([look, { text: 'done' }], (context) => {
        if (context.iteration === 1) hook(context)
      })
      expect(model.calls[1]?.text).not.toContain('HACKED')
      expect(result.toolResults).toHaveLength(1)
    }
  })
})
