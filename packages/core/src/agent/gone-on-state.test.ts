import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { chain, chainScript, gatedTool, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { typedError } from '../../test-support/typed-error.ts'
import { RequestContext } from '../context/index.ts'
import type { Processor } from '../processors/index.ts'
import { InMemoryStorage } from '../storage/index.ts'
import { createTool, type Tool, type ToolContext } from '../tools/index.ts'
import { Agent, type RunOptions } from './index.ts'

const call = (id: string, name: string, args: unknown = {}) => ({ id, name, args })

/** A gated tool that keeps what `look` sees in its context. */
function seeing(look: (context: ToolContext) => unknown): { readonly tool: Tool; readonly seen: unknown[] } {
  const seen: unknown[] = []
  const execute = (_input: unknown, context: ToolContext): unknown => {
    seen.push(look(context))
    return 'done'
  }
  return { tool: gatedTool({ execute: execute as never }).tool, seen }
}

describe('B2.10 the time that a run has left', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const turns = [{ calls: [call('s', 'slow')] }, { calls: [call('a', 'act')] }, { text: 'end' }]

  /** A body that works for so long; `begun` is over when it begins. */
  const working = (milliseconds: number) => {
    const begun = Promise.withResolvers<void>()
    const execute = () => {
      begun.resolve()
      return new Promise((resolve) => setTimeout(resolve, milliseconds))
    }
    return { execute, begun: begun.promise }
  }

  /** 600 ms of work in one step, an hour of waiting for the decision that the next one needs, 300 ms of work. */
  const worked = async (processes: Processes, make: (tools: Record<string, Tool>) => MakeTree, options: RunOptions) => {
    const [before, after] = [working(600), working(300)]
    const slow = createTool({ id: 'slow', execute: before.execute }) as Tool
    const tree = make({ slow, act: gatedTool({ execute: after.execute }).tool })
    const running = processes.start(tree).generate('Go', options)
    await before.begun
    await vi.advanceTimersByTimeAsync(600)
    const { runId, pendingCalls } = await running
    expect(pendingCalls).toMatchObject([{ toolCallId: 'a' }])
    await vi.advanceTimersByTimeAsync(3_600_000)
    const resumed = processes.start(tree).approveToolCallGenerate({ runId })
    await after.begun
    await vi.advanceTimersByTimeAsync(300)
    return resumed
  }

  test.each([
    [850, 'aborted'],
    [1_000, 'stop'],
  ])('B2.10 of %i ms is without what was worked in the steps before the one that asked', async (totalMs, ends) => {
    const result = await worked(new Processes({ sup: turns }), (tools) => chain(1, tools), { timeout: { totalMs } })
    expect(result.finishReason).toBe(ends)
  })

  test.each([
    [850, 'timed-out'],
    [1_000, 'completed'],
  ])('B2.10 of %i ms, where it is the child’s own, does not start anew for the child', async (totalMs, status) => {
    const processes = new Processes({
      sup: [{ calls: [call('d', 'mid', { prompt: 'P' })] }, { text: 'end' }],
      'sup/mid': turns,
    })
    const make =
      (tools: Record<string, Tool>): MakeTree =>
      (models) => {
        const defaultOptions = { timeout: { totalMs } }
        const mid = new Agent({ id: 'mid', description: 'd', model: models.at('sup/mid'), tools, defaultOptions })
        return new Agent({ id: 'sup', model: models.at('sup'), agents: { mid } })
      }
    expect((await worked(processes, make, {})).toolResults).toMatchObject([{ result: { status } }])
  })

  test('B3.5 waiting for a person is no part of how long a delegation took', async () => {
    const took: number[] = []
    const onDelegationComplete = ({ durationMs }: { durationMs: number }) => void took.push(durationMs)
    const processes = new Processes(chainScript(2))
    const make = chain(2, { act: gatedTool().tool }, { defaultOptions: { delegation: { onDelegationComplete } } })
    const { runId } = await processes.start(make).generate('Go')
    await vi.advanceTimersByTimeAsync(3_600_000)
    await processes.start(make).approveToolCallGenerate({ runId })
    expect(took).toEqual([0])
  })
})

describe('B4.2 the values that a run goes on with', () => {
  test('B4.2 what a hook put in a child’s context, and no store can keep, is not taken from the parent: it is missing', async () => {
    const { tool, seen } = seeing(({ requestContext }) => [requestContext.get('db'), requestContext.get('scope')])
    const [full, restricted, reads] = [() => 'full', () => 'restricted', () => 'reads']
    const make = chain(
      2,
      { act: tool },
      {
        defaultOptions: {
          delegation: {
            onDelegationStart: ({ requestContext }) => {
              requestContext.set('db', restricted)
              requestContext.set('scope', reads)
            },
          },
        },
      },
    )
    const processes = new Processes(chainScript(2))
    const requestContext = new RequestContext([['db', full]])
    const first = processes.start(make)
    const { runId } = await first.generate('Go', { requestContext })
    const error = await typedError(processes.start(make).approveToolCall({ runId, requestContext }))
    expect([error.code, error.data, seen]).toEqual([
      'run-context-missing',
      expect.objectContaining({ names: ['mid: db', 'mid: scope'] }),
      [],
    ])
    // The process that began it has it still.
    await first.approveToolCallGenerate({ runId, requestContext })
    expect(seen).toEqual([[restricted, reads]])
  })

  test.each(['the process that began it', 'another process'])(
    'B4.2 a fresh token given with a decision reaches the child that waits, in %s',
    async (where) => {
      const { tool, seen } = seeing(({ requestContext }) => requestContext.get('token'))
      const processes = new Processes(chainScript(3))
      const make = chain(3, { act: tool })
      const first = processes.start(make)
      const requestContext = new RequestContext().set('token', 'old', { persist: false })
      const { runId } = await first.generate('Go', { requestContext })
      const agent = where === 'another process' ? processes.start(make) : first
      await agent.approveToolCallGenerate({ runId, requestContext: new RequestContext([['token', 'new']]) })
      expect(seen).toEqual(['new'])
    },
  )

  test('B7.3 a process goes on with the context as another one left it, not as it knew it', async () => {
    const { tool, seen } = seeing(({ requestContext }) => {
      const times = (requestContext.get('times') as number | undefined) ?? 0
      requestContext.set('times', times + 1)
      return times
    })
    const act = (id: string) => ({ calls: [call(id, 'act')] })
    const processes = new Processes({ sup: [act('a'), act('b'), act('c')] })
    const make = chain(1, { act: tool })
    const [one, two] = [processes.start(make), processes.start(make)]
    const { runId } = await one.generate('Go')
    await two.approveToolCallGenerate({ runId })
    await one.approveToolCallGenerate({ runId })
    expect(seen).toEqual([0, 1])
  })

  test('B12.2 keys in the settings of providers and models are not stored', async () => {
    const storage = new InMemoryStorage()
    const processes = new Processes(chainScript(1), storage)
    const agent = processes.start(chain(1, { act: gatedTool().tool }))
    const { runId } = await agent.generate('Go', {
      providerOptions: { gateway: { byok: { anthropic: [{ apiKey: 'CANARY-1' }] } } },
      modelSettings: { headers: { authorization: 'Bearer CANARY-2' } },
    })
    expect(JSON.stringify(await storage.runs.get(runId))).not.toContain('CANARY')
    await agent.approveToolCallGenerate({ runId })
    // This process has them still.
    expect(processes.models.calls('sup').at(-1)?.options.providerOptions).toMatchObject({ gateway: { byok: {} } })
  })

  test('B7.3 a schema of the answer that is plain JSON is data: nobody has to give it again', async () => {
    const processes = new Processes({ sup: [{ calls: [call('a', 'act')] }, { text: '{"n":1}' }] })
    const make = chain(1, { act: gatedTool().tool })
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const { runId } = await processes.start(make).generate('Go', { structuredOutput: { schema } })
    expect((await processes.start(make).approveToolCallGenerate({ runId })).object).toEqual({ n: 1 })
  })
})

describe('B7.3 what a run has had is had once', () => {
  test('B7.3 a typed delegation that relays goes on as one: its input, its object, its answer as the run’s own', async () => {
    const processes = new Processes({
      sup: [{ calls: [call('d', 'mid', { topic: 'T' })] }],
      'sup/mid': [{ calls: [call('a', 'act')] }, { text: '{"n":1}' }],
    })
    const ended: unknown[] = []
    const make: MakeTree = (models) => {
      const mid = new Agent({
        id: 'mid',
        description: 'd',
        relay: true,
        model: models.at('sup/mid'),
        tools: { act: gatedTool().tool },
        inputSchema: z.object({ topic: z.string() }),
        outputSchema: z.object({ n: z.number() }),
      })
      const delegation = {
        enableResultReferences: true,
        onDelegationComplete: ({ input, success }: { input?: unknown; success: boolean }) =>
          void ended.push([input, success]),
      }
      return new Agent({ id: 'sup', model: models.at('sup'), defaultOptions: { delegation }, agents: { mid } })
    }
    const { runId } = await processes.start(make).generate('Go')
    const result = await processes.start(make).approveToolCallGenerate({ runId })
    expect([result.text, result.object, result.finishReason]).toEqual(['{"n":1}', { n: 1 }, 'stop'])
    expect(ended).toEqual([[{ topic: 'T' }, true]])
    expect(result.totalUsage.calls).toBe(3)
    processes.models.assertDone()
  })

  test('B7.3 two processors of one id go on each with its own state', async () => {
    const seen: unknown[] = []
    const processor = (n: number): Processor => ({
      id: 'same',
      processInputStep: ({ state }) => {
        state['n'] ??= n
        seen.push(state['n'])
      },
    })
    const processes = new Processes(chainScript(1))
    const start = (first: number, second: number) => {
      const inputProcessors = [processor(first), processor(second)]
      return processes.start(chain(1, { act: gatedTool().tool }, { inputProcessors }))
    }
    const { runId } = await start(1, 2).generate('Go')
    // Made anew, they would count from 8 and 9.
    await start(8, 9).approveToolCallGenerate({ runId })
    expect(seen).toEqual([1, 2, 1, 2])
  })

  test('B5.1 each step and each iteration is told of once, whatever pauses there were in it', async () => {
    const steps: number[] = []
    const iterations: number[] = []
    const processes = new Processes({
      sup: [{ text: 'x', calls: [call('a', 'act'), call('b', 'act')] }, { text: 'end' }],
    })
    const make = chain(
      1,
      { act: gatedTool().tool },
      {
        defaultOptions: {
          onStepFinish: ({ iteration }) => void steps.push(iteration),
          onIterationComplete: ({ iteration }) => void iterations.push(iteration),
        },
      },
    )
    const { runId } = await processes.start(make).generate('Go')
    await processes.start(make).approveToolCallGenerate({ runId, toolCallId: 'b' })
    const result = await processes.start(make).declineToolCallGenerate({ runId })
    expect([steps, iterations, result.steps.length]).toEqual([[1, 2], [1, 2], 2])
    expect(result.response.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
  })

  test('B1.7 failures of one tool count over the pauses between them', async () => {
    const execute = (): never => {
      throw new Error('always')
    }
    const again = { calls: [{ name: 'act', args: {} }] }
    const processes = new Processes({ sup: [again, again, again, { text: 'never asked' }] })
    const agent = processes.start(chain(1, { act: gatedTool({ execute }).tool }))
    let result = await agent.generate('Go')
    let approvals = 0
    for (; result.finishReason === 'suspended'; approvals++)
      result = await (await agent.approveToolCall({ runId: result.runId })).result
    expect([approvals, result.finishReason, result.error?.code]).toEqual([3, 'error', 'tool-failed-repeatedly'])
  })

  test('B1.1 a durable run that has ended is asked for again, and not graded again', async () => {
    const grade = vi.fn(async () => ({ score: 1 }))
    const processes = new Processes({ sup: [{ text: 'end' }] })
    const make = chain(1, {}, { scorers: { s: { id: 's', run: grade } } })
    const { runId, scores } = await processes.start(make).generate('Go', { durable: true })
    expect(await scores).toHaveLength(1)
    const again = await processes.start(make).resumeRunGenerate({ runId })
    expect(again.text).toBe('end')
    await again.scores
    expect(grade).toHaveBeenCalledTimes(1)
  })
})

test('B7.3 settings that hold keys can be given again elsewhere', async () => {
  const processes = new Processes(chainScript(1))
  const make = chain(1, { act: gatedTool().tool })
  const providerOptions = { gateway: { apiKey: 'k' } }
  const { runId } = await processes.start(make).generate('Go', { providerOptions })
  const other = processes.start(make)
  await expect(other.approveToolCall({ runId })).rejects.toMatchObject({ code: 'run-code-missing' })
  expect(await other.approveToolCallGenerate({ runId, providerOptions })).toMatchObject({ text: 'acted' })
})
