import { describe, expect, test } from 'vitest'
import { Agent, type Chunk } from '../agent/index.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import { scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

function deferred() {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const ask = (name: string, prompt: string, id?: string) => ({
  name,
  args: { prompt },
  ...(id === undefined ? {} : { id }),
})
const agent = (id: string, more: object = {}) => new Agent({ id, description: 'd', maxRetries: 0, ...more })
const texts = (results: readonly { result?: unknown }[]) =>
  results.map(({ result }) => (result as DelegationEnvelope).text)

describe('B2.8 several delegations in one step', () => {
  test('B2.8 they run at the same time, and their results stand in call order, whoever ends first', async () => {
    const gates = { a: deferred(), b: deferred(), c: deferred() }
    const begun: string[] = []
    const turn = (name: keyof typeof gates) => async () => {
      begun.push(name)
      // Each waits for the one after it: in turn, none would end. The last ends first.
      if (begun.length === 3) gates.c.resolve()
      await gates[name].promise
      if (name === 'c') gates.b.resolve()
      if (name === 'b') gates.a.resolve()
      return { text: name.toUpperCase() }
    }
    const script = scriptedModels({
      sup: [{ calls: [ask('a', '1'), ask('b', '2'), ask('c', '3')] }, { text: 'end' }],
      'sup/a': [turn('a')],
      'sup/b': [turn('b')],
      'sup/c': [turn('c')],
    })
    const sup = new Agent({ id: 'sup', agents: { a: agent('a'), b: agent('b'), c: agent('c') } })
    const run = await sup.stream('Go', { resolveModel: script.resolveModel })
    const shown: string[] = []
    for await (const chunk of run.fullStream)
      if (chunk.type === 'tool-result') shown.push((chunk.payload.result as DelegationEnvelope).text)
    expect(shown).toEqual(['C', 'B', 'A'])
    expect(texts(await run.toolResults)).toEqual(['A', 'B', 'C'])
    expect(script.calls('sup')[1]?.text).toContain('tool: A | B | C')
  })

  test('B2.8 two calls of one child keep their prompts and answers apart', async () => {
    const both = deferred()
    let begun = 0
    const echo = async ({ text }: { text: string }) => {
      if (++begun === 2) both.resolve()
      await both.promise
      return { text: `answer to ${text.split('\n').at(-1)}` }
    }
    const script = scriptedModels({
      sup: [{ calls: [ask('a', 'one'), ask('a', 'two')] }, { text: 'end' }],
      'sup/a': [echo, echo],
    })
    const run = await new Agent({ id: 'sup', agents: { a: agent('a') } }).stream('Go', {
      resolveModel: script.resolveModel,
    })
    const results = await run.toolResults
    expect(texts(results)).toEqual(['answer to user: one', 'answer to user: two'])
    // Their events can be told apart by run, and by the call that they answer.
    const starts: Extract<Chunk, { type: 'delegation-start' }>[] = []
    for await (const chunk of run.events) if (chunk.type === 'delegation-start') starts.push(chunk)
    expect(starts.map(({ payload }) => payload.prompt)).toEqual(['one', 'two'])
    expect(new Set(starts.map(({ payload }) => payload.runId)).size).toBe(2)
    expect(starts.map(({ payload }) => payload.toolCallId)).toEqual(results.map(({ toolCallId }) => toolCallId))
  })

  test('B2.8 one that fails leaves its siblings alone, a delegation and a tool', async () => {
    const boom = createTool({
      id: 'boom',
      description: 'b',
      execute: () => {
        throw new Error('boom')
      },
    })
    const script = scriptedModels({
      sup: [
        { calls: [ask('a', '1'), ask('nobody', '2'), { name: 'boom', args: {} }, ask('b', '3'), ask('a', ' ')] },
        { text: 'end' },
      ],
      'sup/a': [new Error('down')],
      'sup/b': [{ text: 'fine' }],
    })
    const sup = new Agent({ id: 'sup', agents: { a: agent('a'), b: agent('b') }, tools: { boom } })
    const result = await sup.generate('Go', { resolveModel: script.resolveModel })
    script.assertDone()
    expect(
      result.toolResults.map(({ result: envelope, error }) => error?.code ?? (envelope as DelegationEnvelope).status),
    ).toEqual(['failed', 'tool-unknown', 'tool-failed', 'completed', 'delegation-invalid'])
    expect(result.text).toBe('end')
  })

  test('B2.8 toolCallConcurrency bounds how many run at once, and all run', async () => {
    let live = 0
    let peak = 0
    const turn = async () => {
      peak = Math.max(peak, ++live)
      for (let tick = 0; tick < 20; tick++) await Promise.resolve()
      live--
      return { text: 'x' }
    }
    const script = scriptedModels({
      sup: [{ calls: Array.from({ length: 9 }, (_, n) => ask('a', `${n}`)) }, { text: 'end' }],
      'sup/a': Array(9).fill(turn),
    })
    const sup = new Agent({ id: 'sup', agents: { a: agent('a') } })
    await sup.generate('Go', { resolveModel: script.resolveModel, toolCallConcurrency: 2 })
    script.assertDone()
    expect(peak).toBe(2)
  })
})

describe('B2.8 a call id is unique in a root run', () => {
  /** The ids of all calls of a run in its chunks, and in the prompts that its models read. */
  async function idsOf(input: Parameters<Agent['stream']>[0], turns: Parameters<typeof scriptedModels>[0]) {
    const leafTool = createTool({ id: 't', description: 't', execute: () => 'row' })
    const child = agent('child', { tools: { tool: leafTool } })
    const sup = new Agent({ id: 'sup', agents: { child }, tools: { tool: leafTool } })
    const script = scriptedModels(turns)
    const run = await sup.stream(input, { resolveModel: script.resolveModel })
    const called: string[] = []
    const answered: string[] = []
    for await (const { type, payload } of run.events as AsyncIterable<Chunk & { payload: { toolCallId: string } }>) {
      if (type === 'tool-call') called.push(payload.toolCallId)
      if (type === 'tool-result' || type === 'tool-error') answered.push(payload.toolCallId)
    }
    script.assertDone()
    return { called, answered, script }
  }

  test('B2.8 in one step', async () => {
    const { called, answered, script } = await idsOf('Go', {
      sup: [{ calls: [ask('child', '1', 'x'), ask('child', '2', 'x'), ask('child', '3', '')] }, { text: 'end' }],
      'sup/child': [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
    })
    expect(called).toEqual(['x', 'x_2', 'call'])
    expect(answered.toSorted()).toEqual(called.toSorted())
    // The strict model took the history: ids are renamed there alike.
    expect(JSON.stringify(script.calls('sup')[1]?.prompt)).toContain('"toolCallId":"x_2"')
  })

  test('B2.8 across steps, across parent and child, and with an id of the input', async () => {
    const { called, answered } = await idsOf(
      [
        { role: 'user', content: 'Before' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'tool', input: {} }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'x', toolName: 'tool', output: { type: 'text', value: 'r' } }],
        },
        { role: 'user', content: 'Go' },
      ],
      {
        sup: [{ calls: [ask('child', '1', 'x')] }, { calls: [{ id: 'x', name: 'tool', args: {} }] }, { text: 'end' }],
        'sup/child': [{ calls: [{ id: 'x', name: 'tool', args: {} }] }, { text: 'a' }],
      },
    )
    expect(called).toEqual(['x_2', 'x_3', 'x_4'])
    expect(answered).toEqual(['x_3', 'x_2', 'x_4'])
  })
})

describe('B2.8 many delegations', () => {
  test('B2.8 eight hundred of them in one run come back, each with its own answer', async () => {
    const count = 800
    const script = scriptedModels({
      sup: [{ calls: Array.from({ length: count }, (_, n) => ask('a', `task ${n}`)) }, { text: 'end' }],
      'sup/a': Array.from({ length: count }, () => ({ text }: { text: string }) => ({
        text: text.split('\n').at(-1) ?? '',
      })),
    })
    const sup = new Agent({ id: 'sup', agents: { a: agent('a') } })
    const result = await sup.generate('Go', { resolveModel: script.resolveModel })
    expect(texts(result.toolResults)).toEqual(Array.from({ length: count }, (_, n) => `user: task ${n}`))
    expect(result.totalUsage.calls).toBe(count + 2)
  })
})
