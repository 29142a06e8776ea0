import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Chunk } from '../events/chunk.ts'
import type { DelegationEnvelope } from '../events/envelope.ts'
import type { ToolResultRecord } from '../events/tool-record.ts'
import { type ScriptedTurn, scriptedModels, type Turn } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'
import { Agent, type AgentOptions, type RunOptions } from './index.ts'

const delegate = (prompt = 'find'): { name: string; args: unknown } => ({ name: 'child', args: { prompt } })
const step = (...calls: { name: string; args: unknown }[]): Turn => ({ calls, usage: { input: 10, output: 0 } })
const answer = (text: string): Turn => ({ text, usage: { input: 10, output: 0 } })

/** A supervisor with one child, both scripted. */
async function run(
  script: Record<string, readonly ScriptedTurn[]>,
  options: RunOptions,
  { sup = {}, child = {} }: { sup?: Partial<AgentOptions>; child?: Partial<AgentOptions> } = {},
) {
  const models = scriptedModels(script)
  const agent = new Agent({
    id: 'sup',
    ...sup,
    agents: { child: new Agent({ id: 'c', description: 'd', ...child }) },
  })
  const result = await agent.generate('Go', { resolveModel: models.resolveModel, ...options })
  models.assertDone()
  return { result, models }
}

const statusOf = (record: ToolResultRecord | undefined) => (record?.result as DelegationEnvelope | undefined)?.status

const lastCall = (models: ReturnType<typeof scriptedModels>, path = 'sup') => {
  const call = models.calls(path).at(-1)
  return { text: call?.text ?? '', tools: call?.tools, choice: call?.options.toolChoice }
}

describe('B2.10 delegations', () => {
  const three = [step(delegate()), step(delegate()), step(delegate())]
  const found = [answer('one'), answer('two'), answer('three')]

  test('B2.10 three of three delegations and then an answer is `stop`', async () => {
    const script = { sup: [...three, answer('done')], 'sup/child': found }
    const { result } = await run(script, { budget: { delegations: 3 } })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'done', error: undefined })
  })

  test('B2.10 one more than there are: an error result, one last call without a choice of tools, `over-budget`', async () => {
    const script = { sup: [...three, step(delegate()), answer('what I have')], 'sup/child': found }
    const { result, models } = await run(script, { budget: { delegations: 3 } })
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'what I have', error: { code: 'budget-spent' } })
    expect(result.steps[3]?.toolResults).toMatchObject([{ isError: true, error: { code: 'budget-spent' } }])
    const { text, tools, choice } = lastCall(models)
    expect(text).toContain('"child" was not run: the budget is spent (3 of 3 delegations).')
    expect(text).toContain('[retinue] The budget is spent (3 of 3 delegations). No tool can be called any more')
    expect([tools, choice]).toEqual([['child'], { type: 'none' }])
  })

  test('B2.10 the last call calls tools all the same: none runs, and the run ends', async () => {
    const script = { sup: [step(delegate(), delegate()), step(delegate())], 'sup/child': [answer('one')] }
    const { result } = await run(script, { budget: { delegations: 1 } })
    expect(result.finishReason).toBe('over-budget')
    expect(result.steps[1]?.toolResults).toMatchObject([{ error: { code: 'tool-not-run' } }])
  })

  test('B2.10 the last call is granted at maxSteps too', async () => {
    const script = { sup: [step(delegate(), delegate()), answer('end')], 'sup/child': [answer('one')] }
    const { result } = await run(script, { budget: { delegations: 1 }, maxSteps: 1 })
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'end' })
  })

  test('B2.10 of four asked for at once three run to their end, and the fourth does not start', async () => {
    const script = {
      sup: [step(delegate(), delegate(), delegate(), delegate()), answer('end')],
      'sup/child': [...found],
    }
    const { result } = await run(script, { budget: { delegations: 3 } })
    const statuses = result.toolResults.map(
      ({ result, error }) => (result as DelegationEnvelope)?.status ?? error?.code,
    )
    expect(statuses).toEqual(['completed', 'completed', 'completed', 'budget-spent'])
    expect(result.finishReason).toBe('over-budget')
  })

  test('B2.10 what a start hook rejects, or fails for, was never begun and is not counted', async () => {
    let asked = 0
    const script = { sup: [...three, answer('done')], 'sup/child': [answer('one')] }
    const { result } = await run(script, {
      budget: { delegations: 1 },
      delegation: {
        onDelegationStart: () => {
          asked += 1
          if (asked === 1) return { proceed: false }
          if (asked === 2) throw new Error('broken')
          return undefined
        },
      },
    })
    expect(result.finishReason).toBe('stop')
  })

  test('B2.10 a hook is not asked of a delegation that the budget does not allow', async () => {
    const asked: string[] = []
    const script = { sup: [step(delegate('a')), step(delegate('b')), answer('end')], 'sup/child': [answer('one')] }
    await run(script, {
      budget: { delegations: 1 },
      delegation: { onDelegationStart: ({ prompt }) => void asked.push(prompt) },
    })
    expect(asked).toEqual(['a'])
  })

  test('B2.10 no delegation at all can be allowed', async () => {
    const { result } = await run({ sup: [step(delegate()), answer('alone')] }, { budget: { delegations: 0 } })
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'alone' })
  })
})

describe('B2.10 tokens', () => {
  test('B2.10 the calls of children count, and the one under way ends: the overshoot is one call', async () => {
    const script = { sup: [step(delegate()), answer('end')], 'sup/child': [answer('found')] }
    const { result } = await run(script, { budget: { tokens: 15 } })
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'end', totalUsage: { totalTokens: 30 } })
    expect(statusOf(result.toolResults[0])).toBe('completed')
  })

  test('B2.10 a child that would call its model again ends with what it has: status `over-budget`, in all four views', async () => {
    const tool = createTool({ id: 'look', execute: () => 'seen' })
    const seen: unknown[] = []
    const script = {
      sup: [step(delegate()), answer('end')],
      'sup/child': [{ ...step({ name: 'look', args: {} }), text: 'looking' }],
    }
    const { result, models } = await run(
      script,
      {
        budget: { tokens: 20 },
        delegation: { onDelegationComplete: ({ result, success }) => void seen.push(result, success) },
      },
      { child: { tools: { look: tool } } },
    )
    const envelope = result.toolResults[0]?.result as DelegationEnvelope
    expect(envelope).toMatchObject({
      status: 'over-budget',
      finishReason: 'over-budget',
      text: 'looking',
      error: { code: 'budget-spent' },
    })
    expect(seen).toEqual([envelope, false])
    expect(lastCall(models).text).toContain(
      '[child: over-budget. The budget for it was spent before it had ended.]\nlooking',
    )
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'end' })
  })

  test('B2.10 a delegation does not start where no tokens are left for it', async () => {
    const script = { sup: [step(delegate()), answer('end')] }
    const { result } = await run(script, { budget: { tokens: 10 } })
    expect(result.toolResults).toMatchObject([{ error: { code: 'budget-spent' } }])
    expect(result.finishReason).toBe('over-budget')
  })

  test('B2.10 an answer that was paid for is an answer, whatever is left', async () => {
    const { result } = await run({ sup: [answer('dear')] }, { budget: { tokens: 5 } })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'dear' })
  })

  test('B2.10 what a provider does not report is estimated, so that the budget still ends', async () => {
    const tool = createTool({ id: 'look', execute: () => 'x'.repeat(400) })
    const silent = { ...step({ name: 'look', args: {} }), usage: null }
    const script = { sup: [silent, silent, { text: 'end', usage: null }] }
    const { result } = await run(script, { budget: { tokens: 100 } }, { sup: { tools: { look: tool } } })
    expect(result).toMatchObject({ finishReason: 'over-budget', steps: { length: 3 } })
  })

  test('B2.10 an attempt that failed without a word costs nothing', async () => {
    vi.useFakeTimers()
    const script = { sup: [Object.assign(new Error('busy'), { statusCode: 503 }), answer('done')] }
    const running = run(script, { budget: { tokens: 5 } })
    await vi.runAllTimersAsync()
    expect((await running).result.finishReason).toBe('stop')
    vi.useRealTimers()
  })

  test('B2.10 what another kind of target reports is counted', async () => {
    const usage = { inputTokens: 50, outputTokens: 0, totalTokens: 50 }
    const remote = {
      id: 'remote',
      description: 'd',
      runDelegated: async () => ({ text: 'far', finishReason: 'stop', usage, totalUsage: usage }) as never,
    }
    const models = scriptedModels({ sup: [step({ name: 'remote', args: { prompt: 'x' } }), answer('end')] })
    const sup = new Agent({ id: 'sup', agents: { remote } })
    const result = await sup.generate('Go', { resolveModel: models.resolveModel, budget: { tokens: 50 } })
    expect(result.finishReason).toBe('over-budget')
  })

  test('B2.10 a repair that the budget has nothing for is not asked for', async () => {
    const script = { sup: [answer('no JSON')] }
    const schema = { type: 'object' } as const
    const { result } = await run(script, { budget: { tokens: 5 }, structuredOutput: { schema } })
    expect(result).toMatchObject({ finishReason: 'over-budget', error: { code: 'answer-invalid' } })
  })

  test('B2.10 a hook gets no further iteration out of a spent budget', async () => {
    const script = { sup: [answer('dear')] }
    const { result } = await run(script, { budget: { tokens: 5 }, onIterationComplete: () => ({ continue: true }) })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'dear' })
  })
})

describe('B2.10 tool calls and time', () => {
  const ran: string[] = []
  const look = createTool({ id: 'look', execute: () => void ran.push('x') })
  const looks = (count: number) => step(...Array.from({ length: count }, () => ({ name: 'look', args: {} })))

  beforeEach(() => {
    ran.length = 0
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('B2.10 tool calls are counted over the tree, a delegation among them', async () => {
    const script = { sup: [step(delegate()), answer('end')], 'sup/child': [looks(3)] }
    const { result } = await run(script, { budget: { toolCalls: 3 } }, { child: { tools: { look } } })
    expect(ran).toHaveLength(2)
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'end' })
    expect(statusOf(result.toolResults[0])).toBe('over-budget')
  })

  test('B2.10 calls that do not run, such as of unknown tools, are not counted', async () => {
    const script = { sup: [step({ name: 'nope', args: {} }), looks(1), answer('done')] }
    const { result } = await run(script, { budget: { toolCalls: 1 } }, { sup: { tools: { look } } })
    expect([ran.length, result.finishReason]).toEqual([1, 'stop'])
  })

  test('B2.10 when the time is over nothing starts but the last call', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const slow = createTool({ id: 'look', execute: () => void vi.advanceTimersByTime(1000) })
    const script = { sup: [looks(1), answer('end')] }
    const { result, models } = await run(script, { budget: { durationMs: 1000 } }, { sup: { tools: { look: slow } } })
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'end' })
    expect(lastCall(models).text).toContain('1000 of 1000 ms')
  })

  test('B2.10 parallel siblings: a runaway in one is stopped, what the other does is kept', async () => {
    const script = {
      sup: [step(delegate('a'), delegate('b')), answer('end')],
      'sup/child': [
        ({ text }: { text: string }) => (text.includes('user: a') ? looks(1) : answer('quick')),
        ({ text }: { text: string }) => (text.includes('user: a') ? looks(1) : answer('quick')),
        looks(5),
      ],
    }
    const { result } = await run(script, { budget: { toolCalls: 6 } }, { child: { tools: { look } } })
    const envelopes = result.toolResults.map(({ result }) => result as DelegationEnvelope)
    expect(envelopes.map(({ status, text }) => [status, text])).toEqual([
      ['over-budget', ''],
      ['completed', 'quick'],
    ])
    expect(ran).toHaveLength(4)
  })
})

describe('B2.10 the warning at 80 %', () => {
  test('B2.10 the model is told once, before its next call, and not before', async () => {
    const script = {
      sup: [...Array.from({ length: 5 }, () => step(delegate())), answer('done')],
      'sup/child': Array(5).fill(answer('x')),
    }
    const { models } = await run(script, { budget: { delegations: 5 } })
    const told = models.calls('sup').map(({ text }) => text.split('The budget is nearly spent').length - 1)
    expect(told).toEqual([0, 0, 0, 0, 1, 1])
    expect(models.calls('sup')[4]?.text).toContain('[retinue] The budget is nearly spent (4 of 5 delegations).')
  })

  test('B2.10 a child at work is told too; one that only begins is asked what it is asked', async () => {
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const script = {
      sup: [step(delegate()), answer('done')],
      'sup/child': [step({ name: 'look', args: {} }), answer('x')],
    }
    const { models } = await run(script, { budget: { delegations: 1 } }, { child: { tools: { look } } })
    expect(models.calls('sup/child').map(({ text }) => text.includes('nearly spent'))).toEqual([false, true])
  })
})

describe('B2.10 whose budget', () => {
  test('B2.10 a budget of a child bounds the child alone: its own last call, and its parent goes on', async () => {
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const script = {
      sup: [step(delegate()), step(delegate()), answer('done')],
      'sup/child': [step({ name: 'look', args: {} }), answer('had to stop'), answer('quick')],
    }
    const { result, models } = await run(script, {}, { child: { tools: { look }, budget: { tokens: 10 } } })
    const statuses = result.toolResults.map(({ result }) => (result as DelegationEnvelope).status)
    expect(statuses).toEqual(['over-budget', 'completed'])
    expect(result).toMatchObject({ finishReason: 'stop', text: 'done' })
    expect(models.calls('sup/child')[1]?.options.toolChoice).toEqual({ type: 'none' })
  })

  test('B2.10 a child with a budget of its own is bound by that of its parent too, and gets no last call from it', async () => {
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const script = { sup: [step(delegate()), answer('end')], 'sup/child': [step({ name: 'look', args: {} })] }
    const child = { tools: { look }, budget: { tokens: 1000, toolCalls: 100 } }
    const { result } = await run(script, { budget: { tokens: 20 } }, { child })
    expect(statusOf(result.toolResults[0])).toBe('over-budget')
    expect(result.finishReason).toBe('over-budget')
  })

  test('B2.10 the call sets each limit over the agent’s own, which holds else', async () => {
    const sup = { budget: { delegations: 1, toolCalls: 1 } }
    const script = { sup: [step(delegate()), step(delegate()), answer('end')], 'sup/child': [answer('a'), answer('b')] }
    const { result } = await run(script, { budget: { toolCalls: 5, delegations: 2 } }, { sup })
    expect(result.finishReason).toBe('stop')
    const { result: own } = await run(
      { sup: [step(delegate(), delegate()), answer('end')], 'sup/child': [answer('a')] },
      {},
      { sup },
    )
    expect(own.finishReason).toBe('over-budget')
  })
})

describe('B2.10 budgets inside budgets', () => {
  const look = createTool({ id: 'look', execute: () => 'seen' })
  const looks = (count: number): Turn => step(...Array.from({ length: count }, () => ({ name: 'look', args: {} })))

  test('B2.10 an outer limit that is used up and not exceeded ends nothing: the child is stopped by its own', async () => {
    const models = scriptedModels({
      root: [step({ name: 'mid', args: { prompt: 'x' } }), answer('root goes on')],
      'root/mid': [step({ name: 'leaf', args: { prompt: 'x' } }), answer('mid had to stop')],
      'root/mid/leaf': [looks(2)],
    })
    const leaf = new Agent({ id: 'l', description: 'd', tools: { look } })
    const mid = new Agent({ id: 'm', description: 'd', agents: { leaf }, budget: { toolCalls: 2 } })
    const root = new Agent({ id: 'root', agents: { mid } })
    const result = await root.generate('Go', { resolveModel: models.resolveModel, budget: { delegations: 2 } })
    models.assertDone()
    expect(result).toMatchObject({ finishReason: 'stop', text: 'root goes on' })
    expect(result.toolResults[0]?.result).toMatchObject({ status: 'over-budget', text: 'mid had to stop' })
  })

  test('B2.10 what ends the tree ends a child, whatever its own budget would still grant', async () => {
    const script = {
      sup: [step(delegate()), answer('end')],
      'sup/child': [{ ...looks(2), usage: { input: 100, output: 0 } }],
    }
    const child = { tools: { look }, budget: { toolCalls: 1 } }
    const { result, models } = await run(script, { budget: { tokens: 50 } }, { child })
    expect(models.calls('sup/child')).toHaveLength(1)
    expect(statusOf(result.toolResults[0])).toBe('over-budget')
  })

  test('B2.10 a delegation that a hook rejects takes no room from one beside it', async () => {
    const script = { sup: [step(delegate('a'), delegate('b')), answer('done')], 'sup/child': [answer('one')] }
    const { result } = await run(script, {
      budget: { delegations: 1 },
      delegation: { onDelegationStart: ({ prompt }) => ({ proceed: prompt !== 'a' }) },
    })
    expect([result.toolResults.map(statusOf), result.finishReason]).toEqual([['rejected', 'completed'], 'stop'])
  })

  test('B2.10 the limits of a call stand beside those of the defaults', async () => {
    const sup = { defaultOptions: { budget: { tokens: 15 } } }
    const script = { sup: [step(delegate()), answer('end')], 'sup/child': [answer('x')] }
    const { result } = await run(script, { budget: { delegations: 5 } }, { sup })
    expect(result.finishReason).toBe('over-budget')
  })

  test('B2.10 no attempt is made when the time is over', async () => {
    vi.useFakeTimers()
    const busy = Object.assign(new Error('busy'), { statusCode: 503, responseHeaders: { 'retry-after-ms': '200' } })
    const running = run({ sup: [busy, busy] }, { budget: { durationMs: 100 }, maxRetries: 5 }).catch(
      (error: unknown) => error,
    )
    await vi.runAllTimersAsync()
    expect(await running).toMatchObject({ code: 'model-call-failed' })
    vi.useRealTimers()
  })

  test('B2.10 a last call with nothing to add leaves what there was', async () => {
    const script = {
      sup: [{ ...step(delegate(), delegate()), text: 'so far' }, answer('')],
      'sup/child': [answer('x')],
    }
    const { result } = await run(script, { budget: { delegations: 1 } })
    expect(result).toMatchObject({ finishReason: 'over-budget', text: 'so far' })
  })
})

describe('B2.10 money', () => {
  const prices = { 'scripted/sup': { input: 1000, output: 0 }, 'scripted/sup/child': { input: 1000, output: 0 } }

  test('B2.10 calls cost by their prices, over the tree', async () => {
    const script = { sup: [step(delegate()), answer('end')], 'sup/child': [answer('found')] }
    const models = scriptedModels(script)
    const child = new Agent({ id: 'c', description: 'd', model: models.at('sup/child') })
    const sup = new Agent({ id: 'sup', model: models.at('sup'), agents: { child } })
    // Ten tokens a call, a tenth of a cent each.
    const result = await sup.generate('Go', { budget: { costUsd: 0.02, prices } })
    expect(result.finishReason).toBe('over-budget')
    expect(models.calls('sup').at(-1)?.text).toContain('$0.02 of $0.02')
  })

  test.each(['sup', 'child'])(
    'B2.10 a model without a price (%s) is an error before any model is called',
    async (which) => {
      const models = scriptedModels({ sup: [step(delegate())] })
      const priced = which === 'sup' ? prices['scripted/sup/child'] : prices['scripted/sup']
      const key = which === 'sup' ? 'scripted/sup/child' : 'scripted/sup'
      const child = new Agent({ id: 'c', description: 'd', model: models.at('sup/child') })
      const sup = new Agent({ id: 'sup', model: models.at('sup'), agents: { child } })
      const running = sup.generate('Go', { budget: { costUsd: 1, prices: { [key]: priced } } })
      await expect(running).rejects.toMatchObject({
        code: 'price-missing',
        data: { agentId: which === 'sup' ? 'sup' : 'c' },
      })
      expect(models.calls('sup')).toHaveLength(0)
    },
  )

  test('B2.10 a child whose model is only known when it begins fails then, and tells why', async () => {
    const models = scriptedModels({ sup: [step(delegate()), answer('end')] })
    const child = new Agent({ id: 'c', description: 'd', model: () => models.at('sup/child') })
    const sup = new Agent({ id: 'sup', model: models.at('sup'), agents: { child } })
    const { toolResults } = await sup.generate('Go', {
      budget: { costUsd: 1, prices: { 'scripted/sup': { input: 1, output: 1 } } },
    })
    expect(toolResults[0]?.result).toMatchObject({ status: 'failed', error: { code: 'price-missing' } })
  })

  test('B2.10 a child with a budget in money inside a run without one', async () => {
    const models = scriptedModels({
      sup: [step(delegate()), answer('end')],
      'sup/child': [step({ name: 'look', args: {} }), answer('out of money')],
    })
    const look = createTool({ id: 'look', execute: () => 'seen' })
    const budget = { costUsd: 0.01, prices }
    const child = new Agent({ id: 'c', description: 'd', model: models.at('sup/child'), tools: { look }, budget })
    const { toolResults, finishReason } = await new Agent({
      id: 'sup',
      model: models.at('sup'),
      agents: { child },
    }).generate('Go')
    expect(toolResults[0]?.result).toMatchObject({ status: 'over-budget', text: 'out of money' })
    expect(finishReason).toBe('stop')
  })
})

test('B2.10 B8.4 a stream over its budget has one `start` and one `finish`, and says why in its result', async () => {
  const models = scriptedModels({ sup: [step(delegate(), delegate()), answer('end')], 'sup/child': [answer('x')] })
  const sup = new Agent({ id: 'sup', agents: { child: new Agent({ id: 'c', description: 'd' }) } })
  const stream = await sup.stream('Go', { resolveModel: models.resolveModel, budget: { delegations: 1 } })
  const own: Chunk[] = []
  for await (const chunk of stream.events) if (chunk.runId === stream.runId) own.push(chunk)
  const types = own.map(({ type }) => type)
  expect(types.filter((type) => type === 'start' || type === 'finish')).toEqual(['start', 'finish'])
  expect(own.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'over-budget' } } })
  expect(types).not.toContain('error')
  expect(await stream.error).toMatchObject({ code: 'budget-spent', data: { limit: 'delegations', own: true } })
  expect(
    own
      .filter(({ type }) => type === 'step-finish')
      .map((c) => (c.payload as never as { stepResult: { isContinued: boolean } }).stepResult.isContinued),
  ).toEqual([true, false])
  expect(await stream.finishReason).toBe('over-budget')
})

test.each([
  [{ tokens: 0 }, 'option-invalid'],
  [{ tokens: Number.NaN }, 'option-invalid'],
  [{ costUsd: '1' }, 'option-invalid'],
  [{ durationMs: -1 }, 'option-invalid'],
  [{ delegations: 1.5 }, 'option-invalid'],
  [{ toolCalls: -1 }, 'option-invalid'],
  [{ prices: { m: { input: 1 } } }, 'option-invalid'],
  [{ prices: { m: 3 } }, 'option-invalid'],
  [{ prices: { m: { input: 1, output: 1, longPrompt: { above: 10 } } } }, 'option-invalid'],
  [{ prices: { m: { input: 1, output: 1, cached: 1 } } }, 'option-invalid'],
  ['much', 'option-invalid'],
  [{ token: 5 }, 'option-unknown'],
  [JSON.parse('{"__proto__": 5}'), 'option-unknown'],
])('B2.10 a budget that bounds nothing is an error: %j', async (budget, code) => {
  await expect(
    new Agent({ id: 'a', model: 'offline/echo' }).generate('Go', { budget: budget as never }),
  ).rejects.toMatchObject({ code })
  expect(() => new Agent({ id: 'a', budget: budget as never })).toThrow(expect.objectContaining({ code }) as Error)
})
