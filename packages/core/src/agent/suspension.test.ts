import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { allOf } from '../../test-support/all-of.ts'
import { chain, chainScript, gatedTool, Processes } from '../../test-support/gated-tree.ts'
import { RequestContext } from '../context/index.ts'
import { InMemoryStorage } from '../storage/index.ts'
import { createTool, type Tool, type ToolContext } from '../tools/index.ts'
import { Agent, type RunOptions } from './index.ts'

/** A tool that asks a person, and what it was resumed with. */
function asking(more: Partial<Parameters<typeof createTool>[0]> = {}): { tool: Tool; seen: unknown[] } {
  const seen: unknown[] = []
  const execute = (_input: unknown, { suspend, resumeData, agent }: ToolContext): unknown => {
    seen.push(resumeData)
    expect(agent.resumeData).toBe(resumeData)
    return resumeData === undefined ? suspend({ question: 'colour?' }) : { answer: resumeData }
  }
  return { tool: createTool({ id: 'act', execute, ...more }) as Tool, seen }
}

describe('B7.1 suspend', () => {
  test.each([false, 0, '', null, { colour: 'blue' }, ['a']])(
    'B7.1 the body runs again from its start with %j as resumeData, in another process',
    async (data) => {
      const { tool, seen } = asking()
      const processes = new Processes(chainScript(3))
      const make = chain(3, { act: tool })
      const stream = await processes.start(make).stream('Go', { runId: 'run' })
      const { pendingCalls } = await stream.result
      expect(pendingCalls).toMatchObject([{ requiresApproval: false, suspendPayload: { question: 'colour?' } }])
      const resumed = await processes.start(make).resumeGenerate(data, { runId: 'run', toolCallId: 'call-act' })
      expect(resumed.text).toBe('mid done')
      expect(seen).toEqual([undefined, data])
      processes.models.assertDone()
    },
  )

  test('B7.1 the root tells of it with its payload; without one there is none', async () => {
    const { tool } = asking({ execute: (_input, { suspend }) => suspend() })
    const processes = new Processes(chainScript(2))
    const chunks = await allOf((await processes.start(chain(2, { act: tool })).stream('Go')).fullStream)
    expect(chunks.filter(({ type }) => type === 'tool-call-suspended')).toEqual([
      {
        type: 'tool-call-suspended',
        runId: expect.any(String),
        from: 'AGENT',
        path: ['sup', 'mid'],
        payload: { toolCallId: 'call-act', toolName: 'act', args: { to: 'ada' } },
      },
    ])
  })

  test('B1.9 a payload or an answer that does not fit its schema is refused, to the model or to who answers', async () => {
    const schemas = {
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ colour: z.string() }),
    }
    const { tool, seen } = asking(schemas)
    const processes = new Processes(chainScript(2))
    const agent = processes.start(chain(2, { act: tool }))
    const { runId } = await agent.generate('Go')
    await expect(agent.resumeStream({ colour: 5 }, { runId })).rejects.toMatchObject({ code: 'decision-invalid' })
    await expect(agent.resumeStream(undefined, { runId })).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(agent.approveToolCall({ runId })).rejects.toMatchObject({ code: 'decision-invalid' })
    await agent.resumeGenerate({ colour: 'blue' }, { runId })
    expect(seen).toEqual([undefined, { colour: 'blue' }])
    const broken = asking({ suspendSchema: z.object({ other: z.string() }) })
    const again = new Processes(chainScript(1)).start(chain(1, { act: broken.tool }))
    expect((await again.generate('Go')).toolResults).toMatchObject([{ error: { code: 'tool-invalid' } }])
  })

  test('B7.1 a tool can be approved, then suspend, then suspend again: each is a question of its own', async () => {
    const seen: unknown[] = []
    const execute = (_input: unknown, { suspend, resumeData }: ToolContext): unknown => {
      seen.push(resumeData)
      return resumeData === 'two' ? 'done' : suspend(resumeData === undefined ? 'first' : 'second')
    }
    const { tool } = asking({ execute, requireApproval: true })
    const processes = new Processes(chainScript(2))
    const make = chain(2, { act: tool })
    const { runId } = await processes.start(make).generate('Go')
    expect(seen).toEqual([])
    expect((await processes.start(make).approveToolCallGenerate({ runId })).pendingCalls).toMatchObject([
      { suspendPayload: 'first' },
    ])
    await expect(processes.start(make).approveToolCall({ runId })).rejects.toMatchObject({ code: 'decision-invalid' })
    await processes.start(make).resumeGenerate('one', { runId })
    expect((await processes.start(make).resumeGenerate('two', { runId })).text).toBe('mid done')
    expect(seen).toEqual([undefined, 'one', 'two'])
    const { items } = await processes.start(make).listApprovals({ runId })
    expect(items.map(({ round, kind, status }) => [round, kind, status])).toEqual([
      [1, 'approval', 'done'],
      [2, 'suspension', 'done'],
      [3, 'suspension', 'done'],
    ])
  })

  test('B7.2 a suspended call can be declined: its model is told', async () => {
    const { tool, seen } = asking()
    const processes = new Processes(chainScript(1))
    const agent = processes.start(chain(1, { act: tool }))
    const { runId } = await agent.generate('Go')
    const { toolResults } = await agent.declineToolCallGenerate({ runId, reason: 'I will not say' })
    expect(toolResults).toMatchObject([{ error: { code: 'tool-declined' } }])
    expect(seen).toEqual([undefined])
  })
})

describe('B7.3 what a run goes on with', () => {
  test('B7.3 options that are data survive; the conversation, the budget and the results of earlier steps too', async () => {
    const { tool } = gatedTool()
    const processes = new Processes({
      sup: [
        { calls: [{ id: 'd1', name: 'mid', args: { prompt: 'A' } }] },
        { calls: [{ id: 'd2', name: 'mid', args: { prompt: 'B' } }] },
        ({ text, options }) => ({ text: `${options.temperature} ${text.includes('S-1')} ${text.includes('first')}` }),
      ],
      'sup/mid': [{ text: 'first' }, { calls: [{ id: 'act', name: 'act', args: {} }] }, { text: 'second' }],
    })
    const make = chain(2, { act: tool })
    const options: RunOptions = {
      modelSettings: { temperature: 0.5 },
      system: 'S-1',
      budget: { delegations: 2, tokens: 10_000 },
      maxSteps: 3,
    }
    const { runId } = await processes.start(make).generate('Go', options)
    const result = await processes.start(make).approveToolCallGenerate({ runId })
    expect(result.text).toBe('0.5 true true')
    expect(result.steps).toHaveLength(3)
    expect(result.toolResults.map(({ result: envelope }) => (envelope as { text: string }).text)).toEqual([
      'first',
      'second',
    ])
    // Six calls, each of 15 tokens: those before the pause are in it once.
    expect([result.usage.calls, result.totalUsage.calls, result.totalUsage.totalTokens]).toEqual([3, 6, 90])
  })

  test('B2.10 a budget goes on from what was used before the pause', async () => {
    const { tool, ran } = gatedTool()
    const look = createTool({ id: 'look', execute: () => 'seen' }) as Tool
    const processes = new Processes({
      sup: [
        { calls: [{ id: 'a', name: 'act', args: {} }] },
        { calls: [{ id: 'l', name: 'look', args: {} }] },
        { text: 'end' },
      ],
    })
    const make = chain(1, { act: tool, look })
    // Each call is 15 tokens: the second is allowed, and leaves nothing but a last answer.
    const { runId } = await processes.start(make).generate('Go', { budget: { tokens: 25 } })
    const result = await processes.start(make).approveToolCallGenerate({ runId })
    expect([result.finishReason, result.error?.code, ran.length]).toEqual(['over-budget', 'budget-spent', 1])
  })

  test('B2.10 waiting for a person costs no time; working before the pause does', async () => {
    vi.useFakeTimers()
    try {
      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
      const slow = createTool({ id: 'slow', execute: () => wait(600) }) as Tool
      let begun = Promise.withResolvers<void>()
      const execute = (): Promise<unknown> => {
        begun.resolve()
        return wait(300)
      }
      const { tool } = gatedTool({ execute })
      const act = { id: 'a', name: 'act', args: {} }
      const script = { sup: [{ calls: [{ id: 's', name: 'slow', args: {} }, act] }, { text: 'end' }] }
      for (const [options, ends] of [
        [{ timeout: { totalMs: 1_000 }, budget: { durationMs: 1_000 } }, 'stop'],
        [{ timeout: { totalMs: 850 } }, 'aborted'],
        [{ budget: { durationMs: 850 } }, 'over-budget'],
      ] as const) {
        const processes = new Processes(script)
        const make = chain(1, { act: tool, slow })
        const running = processes.start(make).generate('Go', options)
        await vi.advanceTimersByTimeAsync(600)
        const { runId } = await running
        await vi.advanceTimersByTimeAsync(3_600_000)
        begun = Promise.withResolvers<void>()
        const resumed = processes.start(make).approveToolCallGenerate({ runId })
        await begun.promise
        await vi.advanceTimersByTimeAsync(300)
        expect((await resumed).finishReason).toBe(ends)
      }
    } finally {
      vi.useRealTimers()
    }
  })

  test('B7.3 code must be given again under the same names, else an error names what is missing, and nothing is decided', async () => {
    const { tool, ran } = gatedTool()
    const onDelegationComplete = vi.fn()
    const given: RunOptions = {
      delegation: { onDelegationComplete, messageFilter: ({ messages }) => messages },
      stopWhen: () => false,
      toolsets: { more: { look: createTool({ id: 'look', execute: () => 'seen' }) } },
      headers: { authorization: 'Bearer secret' },
      onChunk: () => {},
    }
    const processes = new Processes(chainScript(2))
    const make = chain(2, { act: tool })
    const { runId } = await processes.start(make).generate('Go', given)
    const other = processes.start(make)
    await expect(other.approveToolCall({ runId, stopWhen: () => false })).rejects.toMatchObject({
      code: 'run-code-missing',
      data: { names: ['delegation.messageFilter', 'delegation.onDelegationComplete', 'headers', 'toolsets.more'] },
    })
    expect((await other.listSuspendedRuns()).runs[0]?.toolCalls).toHaveLength(1)
    const { onChunk: _watch, ...code } = given
    await other.approveToolCallGenerate({ runId, ...code })
    expect(ran).toHaveLength(1)
    // Once, for a delegation that ended once.
    expect(onDelegationComplete).toHaveBeenCalledTimes(1)
  })

  test('B7.3 in the process that began it the code is there still', async () => {
    const { tool } = gatedTool()
    const onDelegationStart = vi.fn()
    const onDelegationComplete = vi.fn()
    const processes = new Processes(chainScript(2))
    const agent = processes.start(chain(2, { act: tool }))
    const { runId } = await agent.generate('Go', { delegation: { onDelegationStart, onDelegationComplete } })
    expect(onDelegationComplete).not.toHaveBeenCalled()
    await agent.approveToolCallGenerate({ runId })
    expect([onDelegationStart.mock.calls.length, onDelegationComplete.mock.calls.length]).toEqual([1, 1])
    expect(onDelegationComplete.mock.calls[0]?.[0]).toMatchObject({ success: true, key: 'mid', iteration: 1 })
  })

  test('B4.2 JSON of the request context is saved, except what must not be; the rest is asked for by name', async () => {
    const storage = new InMemoryStorage()
    const seen: unknown[] = []
    const execute = (_input: unknown, { requestContext }: ToolContext): unknown => {
      seen.push(Object.fromEntries(requestContext.entries()))
      return 'done'
    }
    const { tool } = gatedTool({ execute })
    const processes = new Processes(chainScript(3), storage)
    const make = chain(3, { act: tool })
    const db = { query: () => [] }
    const requestContext = new RequestContext([['tenant', 'acme']])
      .set('db', db)
      .set('token', 'SECRET-CANARY', { persist: false })
    const { runId } = await processes.start(make).generate('Go', { requestContext })
    expect(JSON.stringify(await storage.runs.get(runId))).not.toContain('SECRET-CANARY')
    const other = processes.start(make)
    await expect(other.approveToolCall({ runId })).rejects.toMatchObject({
      code: 'run-context-missing',
      data: { names: ['db', 'token'] },
    })
    const again = new RequestContext([['token', 'given']]).set('db', db)
    await other.approveToolCallGenerate({ runId, requestContext: again })
    expect(seen).toEqual([{ tenant: 'acme', db, token: 'given' }])
  })

  test('B4.1 what a hook set for the child alone is the child’s alone after the pause', async () => {
    const seen: unknown[] = []
    const execute = (_input: unknown, { requestContext }: ToolContext): unknown => {
      seen.push(requestContext.get('role'))
      return 'done'
    }
    const { tool } = gatedTool({ execute })
    const make = chain(
      2,
      { act: tool },
      {
        defaultOptions: {
          delegation: { onDelegationStart: ({ requestContext }) => void requestContext.set('role', 'child') },
        },
      },
    )
    const processes = new Processes(chainScript(2))
    const requestContext = new RequestContext([['role', 'parent']])
    const { runId } = await processes.start(make).generate('Go', { requestContext })
    await processes.start(make).approveToolCallGenerate({ runId })
    expect(seen).toEqual(['child'])
  })

  test('B7.3 two children at once, and the same child twice, each go on where they stopped', async () => {
    const { tool, ran } = gatedTool()
    const ask = (id: string, name: string) => ({ id, name, args: { prompt: id } })
    const turns = [
      ({ text }: { text: string }) => ({
        calls: [{ name: 'act', args: { of: /one|two|three/.exec(text.split('\n').at(-1) ?? '')?.[0] } }],
      }),
    ]
    const answer = ({ text }: { text: string }) => ({ text: `did ${/"of":"(\w+)"/.exec(text)?.[1]}` })
    const processes = new Processes({
      sup: [{ calls: [ask('one', 'x'), ask('two', 'x'), ask('three', 'y')] }, { text: 'end' }],
      'sup/x': [...turns, ...turns, answer, answer],
      'sup/y': [...turns, answer],
    })
    const make = (models: typeof processes.models): Agent => {
      const child = (key: string) =>
        new Agent({ id: 'same', description: 'd', model: models.at(`sup/${key}`), tools: { act: tool } })
      return new Agent({ id: 'sup', model: models.at('sup'), agents: { x: child('x'), y: child('y') } })
    }
    let result = await processes.start(make).generate('Go')
    const { runId } = result
    expect(result.pendingCalls).toHaveLength(3)
    for (let left = 3; left > 0; left--) {
      const toolCallId = result.pendingCalls?.at(-1)?.toolCallId as string
      result = await processes.start(make).approveToolCallGenerate({ runId, toolCallId })
      expect(result.pendingCalls?.length ?? 0).toBe(left - 1)
    }
    expect(ran).toHaveLength(3)
    expect(
      result.toolResults.map(({ toolCallId, result: envelope }) => [toolCallId, (envelope as { text: string }).text]),
    ).toEqual([
      ['one', 'did one'],
      ['two', 'did two'],
      ['three', 'did three'],
    ])
  })
})

test('B3.6 a delegation that bails cancels what its siblings wait for', async () => {
  const { tool, ran } = gatedTool()
  const processes = new Processes({
    sup: [
      {
        calls: [
          { id: 'w', name: 'waits', args: { prompt: 'w' } },
          { id: 'q', name: 'quick', args: { prompt: 'q' } },
        ],
      },
    ],
    'sup/waits': [{ calls: [{ id: 'act', name: 'act', args: {} }] }],
    'sup/quick': [{ text: 'enough' }],
  })
  const make = (models: typeof processes.models): Agent =>
    new Agent({
      id: 'sup',
      model: models.at('sup'),
      agents: {
        waits: new Agent({ id: 'w', description: 'd', model: models.at('sup/waits'), tools: { act: tool } }),
        quick: new Agent({ id: 'q', description: 'd', model: models.at('sup/quick') }),
      },
    })
  const agent = processes.start(make)
  const result = await agent.generate('Go', {
    toolCallConcurrency: 1,
    delegation: { onDelegationComplete: ({ key, bail }) => (key === 'quick' ? bail() : undefined) },
  })
  expect([result.finishReason, result.text, ran]).toEqual(['bailed', 'enough', []])
  expect(await agent.listSuspendedRuns()).toEqual({ runs: [], total: 0 })
})

test('B7.7 an abort while one call waits and another runs ends the run, and leaves nothing to decide', async () => {
  const { tool, ran } = gatedTool()
  const begun = Promise.withResolvers<void>()
  const execute = (): Promise<never> => {
    begun.resolve()
    return new Promise(() => {})
  }
  const processes = new Processes({
    sup: [
      {
        calls: [
          { id: 'a', name: 'act', args: {} },
          { id: 'h', name: 'hang', args: {} },
        ],
      },
    ],
  })
  const agent = processes.start(chain(1, { act: tool, hang: createTool({ id: 'hang', execute }) as Tool }))
  const controller = new AbortController()
  const running = agent.generate('Go', { abortSignal: controller.signal })
  await begun.promise
  controller.abort()
  expect(await running).toMatchObject({ finishReason: 'aborted' })
  expect([(await agent.listSuspendedRuns()).total, ran]).toEqual([0, []])
})

test('a suspended run of a conversation of 20 KB takes at most 30 KB, in one row', async () => {
  const storage = new InMemoryStorage()
  const save = vi.spyOn(storage.runs, 'save')
  const { tool } = gatedTool()
  const look = createTool({ id: 'look', execute: () => ({ found: 'f'.repeat(3_000) }) }) as Tool
  const ask = (name: string, id: string) => ({ calls: [{ id, name, args: { prompt: `${id} ${'p'.repeat(1_000)}` } }] })
  const processes = new Processes(
    {
      sup: [ask('mid', 'one'), ask('mid', 'two')],
      'sup/mid': [
        { text: 'm'.repeat(4_000) },
        { text: 'looking', calls: [{ id: 'look', name: 'look', args: {} }] },
        { calls: [{ id: 'act', name: 'act', args: { body: 'b'.repeat(2_000) } }] },
      ],
    },
    storage,
  )
  const conversation = `${'q'.repeat(9_000)}`
  await processes.start(chain(2, { act: tool, look })).generate(conversation)
  expect(save).toHaveBeenCalledTimes(1)
  const said = 9_000 + 2 * 1_000 + 4_000 + 3_000 + 2_000
  const stored = JSON.stringify(save.mock.calls[0]?.[0].body).length
  expect(said).toBe(20_000)
  expect(stored).toBeGreaterThan(said)
  expect(stored).toBeLessThan(30_000)
})
