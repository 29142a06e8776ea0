import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { allOf } from '../../test-support/all-of.ts'
import { chain, chainScript, gatedTool, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import type { Storage } from '../storage/index.ts'
import { createTool, type Tool } from '../tools/index.ts'
import { Agent } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turns = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await turns()
}
const call = (id: string, name: string, args: unknown = {}) => ({ id, name, args })
const never = () => new Promise<never>(() => {})

/** Holds back what is written of runs that stop. `begun` is over when the first of it comes. */
function heldBack({ runs }: Storage): { readonly begun: Promise<void>; readonly letGo: () => void } {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const save = runs.save.bind(runs)
  vi.spyOn(runs, 'save').mockImplementation(async (saved) => {
    begun.resolve()
    await held.promise
    return save(saved)
  })
  return { begun: begun.promise, letGo: held.resolve }
}

describe('B7.7 called off while it is written down that the run waits', () => {
  test.each(['stream.abort', 'cancelRun'] as const)('B7.7 by %s: it ends, and nothing of it waits', async (how) => {
    const { tool, ran } = gatedTool()
    const processes = new Processes(chainScript(2))
    const agent = processes.start(chain(2, { act: tool }))
    const { begun, letGo } = heldBack(processes.storage)
    const stream = await agent.stream('Go')
    await begun
    const calledOff = how === 'cancelRun' ? agent.cancelRun(stream.runId) : stream.abort()
    await turns()
    letGo()
    await calledOff
    expect(await stream.finishReason).toBe('aborted')
    expect([(await agent.listSuspendedRuns()).total, ran]).toEqual([0, []])
    const late = processes
      .start(chain(2, { act: tool }))
      .approveToolCall({ runId: stream.runId, toolCallId: 'call-act' })
    await expect(late).rejects.toMatchObject({ name: 'RetinueError' })
  })
})

describe('B7.7 an aborted run ends although its storage hangs', () => {
  test.each([
    ['when it is to wait', gatedTool().tool, false],
    ['when it ends', createTool({ id: 'act', execute: never }) as Tool, true],
  ])('B7.7 %s', async (_when, act, durable) => {
    const processes = new Processes(chainScript(1))
    const { storage } = processes
    const save = storage.runs.save.bind(storage.runs)
    const saving = vi.spyOn(storage.runs, 'save').mockImplementation(never)
    // What a durable run begins with is written down, and what its model said; what comes then hangs.
    if (durable) saving.mockImplementationOnce(save).mockImplementationOnce(save)
    const stream = await processes.start(chain(1, { act })).stream('Go', { durable })
    await until(() => saving.mock.calls.length === (durable ? 2 : 1))
    const ended = vi.fn()
    void stream.finishReason.then(ended)
    stream.abort()
    for (let seconds = 0; seconds < 20; seconds++) await vi.advanceTimersByTimeAsync(1_000)
    expect(ended.mock.calls).toEqual([['aborted']])
  })
})

describe('B2.11 what was called off has its usage in the sum', () => {
  test('B3.6 a delegation that waited when its sibling bailed ends once, cancelled, with what it used', async () => {
    const processes = new Processes({
      sup: [{ calls: [call('w', 'waits', { prompt: 'w' }), call('q', 'quick', { prompt: 'q' })] }],
      'sup/waits': [{ calls: [call('act', 'act')] }],
      'sup/quick': [{ text: 'enough' }],
    })
    const make: MakeTree = (models) => {
      const child = (id: string, tools: Record<string, Tool>) =>
        new Agent({ id, description: 'd', model: models.at(`sup/${id}`), tools })
      const agents = { waits: child('waits', { act: gatedTool().tool }), quick: child('quick', {}) }
      return new Agent({ id: 'sup', model: models.at('sup'), agents })
    }
    const completed: string[] = []
    const stream = await processes.start(make).stream('Go', {
      toolCallConcurrency: 1,
      delegation: {
        onDelegationComplete: ({ key, bail }) => {
          completed.push(key)
          if (key === 'quick') bail()
        },
      },
    })
    const { finishReason, totalUsage, toolResults } = await stream.result
    expect([finishReason, totalUsage.calls]).toEqual(['bailed', 3])
    expect(completed).toEqual(['quick', 'waits'])
    expect(toolResults[0]).toMatchObject({ toolCallId: 'w', result: { status: 'cancelled', usage: { calls: 1 } } })
    const types = (await allOf(stream.events)).map(({ type }) => type)
    const told = (type: string) => types.filter((each) => each === type).length
    expect([told('delegation-start'), told('delegation-end')]).toEqual([2, 2])
  })

  test('B7.7 an abort while a child waits and a sibling works: the child’s model calls count', async () => {
    const begun = Promise.withResolvers<void>()
    const execute = (): Promise<never> => {
      begun.resolve()
      return never()
    }
    const processes = new Processes({
      sup: [{ calls: [call('d', 'mid', { prompt: 'P' }), call('h', 'hang')] }],
      'sup/mid': [{ calls: [call('a', 'act')] }],
    })
    const make: MakeTree = (models) => {
      const tools = { act: gatedTool().tool }
      const mid = new Agent({ id: 'mid', description: 'd', model: models.at('sup/mid'), tools })
      const hang = createTool({ id: 'hang', execute })
      return new Agent({ id: 'sup', model: models.at('sup'), tools: { hang }, agents: { mid } })
    }
    const stream = await processes.start(make).stream('Go')
    await begun.promise
    for await (const { type, path } of stream.events) if (type === 'finish' && path.length === 2) break
    await turns()
    stream.abort()
    const { finishReason, totalUsage } = await stream.result
    expect([finishReason, totalUsage.calls]).toEqual(['aborted', 2])
  })
})

test('B7.2 cancelRun of a durable run that has ended is refused, and its result is there still', async () => {
  const processes = new Processes({ sup: [{ text: 'end' }] })
  const agent = processes.start(chain(1, {}))
  const { runId } = await agent.generate('Go', { durable: true })
  await expect(agent.cancelRun(runId)).rejects.toMatchObject({ code: 'run-not-found' })
  expect(await processes.start(chain(1, {})).resumeRunGenerate({ runId })).toMatchObject({ text: 'end' })
})
