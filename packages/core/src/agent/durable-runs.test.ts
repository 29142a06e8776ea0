import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { allOf } from '../../test-support/all-of.ts'
import { chain, chainScript, gatedTool, Processes } from '../../test-support/gated-tree.ts'
import { RetinueError } from '../errors/index.ts'
import { InMemoryApprovals } from '../storage/in-memory-approvals.ts'
import { InMemoryStorage } from '../storage/index.ts'
import { createTool, type Tool, type ToolContext } from '../tools/index.ts'
import { Agent, type RunOptions } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The lease of a dead process runs out. */
const leaseOver = () => vi.advanceTimersByTimeAsync(11_000)
const turns = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))

/** A tool whose first start never ends, and the keys that each start had. */
function dying(more: Partial<Parameters<typeof createTool>[0]> = {}) {
  const keys: string[] = []
  const begun = Promise.withResolvers<void>()
  const execute = (_input: unknown, { idempotencyKey }: ToolContext): unknown => {
    keys.push(idempotencyKey)
    begun.resolve()
    return keys.length === 1 ? new Promise(() => {}) : 'done'
  }
  return { tool: createTool({ id: 'act', execute, ...more }) as Tool, keys, begun: begun.promise }
}

describe('durable runs', () => {
  test.each([1, 2, 3] as const)(
    'at depth %i a run goes on from its last finished step after a crash; no model is asked twice',
    async (depth) => {
      const { tool, keys, begun } = dying()
      const processes = new Processes(chainScript(depth))
      const make = chain(depth, { act: tool })
      const first = processes.mortal(make)
      void first.agent.generate('Go', { durable: true, runId: 'run' })
      await begun
      first.die()
      await leaseOver()
      const result = await processes.start(make).resumeRunGenerate({ runId: 'run' })
      expect(result).toMatchObject({ finishReason: 'stop', text: depth === 1 ? 'acted' : 'mid done', runId: 'run' })
      processes.models.assertDone()
      // What had no end that anybody knows is run again, with the key that it had.
      expect(keys).toHaveLength(2)
      expect(new Set(keys).size).toBe(1)
      expect(result.totalUsage.calls).toBe(2 * depth)
    },
  )

  test('what has ended is not done again, whatever else was under way', async () => {
    const { tool, keys, begun } = dying()
    const quick = vi.fn(() => 'quick')
    const processes = new Processes({
      sup: [
        {
          calls: [
            { id: 'a', name: 'mid', args: { prompt: 'A' } },
            { id: 'b', name: 'quick', args: {} },
            { id: 'c', name: 'act', args: {} },
          ],
        },
        { text: 'end' },
      ],
      'sup/mid': [{ calls: [{ id: 'q', name: 'quick', args: {} }] }, { text: 'child' }],
    })
    const look = createTool({ id: 'quick', execute: quick }) as Tool
    const complete = vi.fn()
    const make = (models: typeof processes.models): Agent =>
      new Agent({
        id: 'sup',
        model: models.at('sup'),
        tools: { act: tool, quick: look },
        agents: {
          mid: new Agent({ id: 'mid', description: 'd', model: models.at('sup/mid'), tools: { quick: look } }),
        },
        defaultOptions: { delegation: { onDelegationComplete: complete } },
      })
    const first = processes.mortal(make)
    void first.agent.generate('Go', { durable: true, runId: 'run' })
    await begun
    await turns()
    first.die()
    await leaseOver()
    const result = await processes.start(make).resumeRunGenerate({ runId: 'run' })
    expect(result.text).toBe('end')
    expect(result.toolResults.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b', 'c'])
    expect([quick.mock.calls.length, complete.mock.calls.length, keys.length]).toEqual([2, 1, 2])
    expect(result.totalUsage.calls).toBe(4)
    processes.models.assertDone()
  })

  test('a child that had ended is not ended again: what its processors and its complete hook have done is done', async () => {
    const processOutputResult = vi.fn(() => undefined)
    const { promise: reviewed, resolve: review } = Promise.withResolvers<void>()
    const complete = vi.fn(() => {
      review()
      return complete.mock.calls.length === 1 ? new Promise<undefined>(() => {}) : undefined
    })
    const processes = new Processes({
      sup: [
        {
          calls: [
            { id: 'a', name: 'mid', args: { prompt: 'A' } },
            { id: 'l', name: 'last', args: {} },
          ],
        },
        { text: 'end' },
      ],
      'sup/mid': [{ text: 'child' }],
    })
    const make = (models: typeof processes.models): Agent =>
      new Agent({
        id: 'sup',
        model: models.at('sup'),
        tools: { last: createTool({ id: 'last', execute: () => reviewed }) },
        agents: {
          mid: new Agent({
            id: 'mid',
            description: 'd',
            model: models.at('sup/mid'),
            outputProcessors: [{ id: 'p', processOutputResult }],
          }),
        },
        defaultOptions: { delegation: { onDelegationComplete: complete } },
      })
    const first = processes.mortal(make)
    // A sibling that ends writes down where the child stands.
    void first.agent.generate('Go', { durable: true, runId: 'run' })
    await reviewed
    await vi.advanceTimersByTimeAsync(0)
    first.die()
    await leaseOver()
    expect(await processes.start(make).resumeRunGenerate({ runId: 'run' })).toMatchObject({ text: 'end' })
    processes.models.assertDone()
    expect(complete).toHaveBeenCalledTimes(2)
    expect(processOutputResult).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['the call', { durable: true }, {}, {}],
    ['the agent', {}, { durable: true }, {}],
    ['the application', {}, {}, { durable: true }],
  ] as const)(
    '%s says that a run is durable; recover() goes on with those that somebody died over',
    async (_who, call, agent, app) => {
      const { tool, begun } = dying()
      const processes = new Processes(chainScript(2))
      const make = chain(2, { act: tool }, agent)
      const first = processes.mortal(make, app)
      void first.agent.generate('Go', call)
      await begun
      // It lives: nobody takes it over.
      expect(await processes.start(make).recover()).toEqual([])
      await leaseOver()
      expect((await processes.storage.runs.list({})).items).toMatchObject([{ status: 'running' }])
      first.die()
      await leaseOver()
      const [stream] = await processes.mortal(make, app).app.recover()
      expect(await stream?.text).toBe('mid done')
      expect(await processes.start(make).recover()).toEqual([])
    },
  )

  test('a process that starts before the lease of a dead one is over goes on with its runs when it is', async () => {
    const { tool, begun } = dying()
    const processes = new Processes(chainScript(1))
    const make = chain(1, { act: tool })
    const first = processes.mortal(make)
    void first.agent.generate('Go', { durable: true, runId: 'run' })
    await begun
    first.die()
    const second = processes.start(make)
    expect(await second.recover()).toEqual([])
    await leaseOver()
    expect(await (await second.resumeRun({ runId: 'run' })).text).toBe('acted')
    processes.models.assertDone()
  })

  test('a run that is not durable leaves nothing behind', async () => {
    const storage = new InMemoryStorage()
    const save = vi.spyOn(storage.runs, 'save')
    const processes = new Processes(chainScript(2), storage)
    await processes.start(chain(2, { act: createTool({ id: 'act', execute: () => 'done' }) as Tool })).generate('Go')
    expect(save).not.toHaveBeenCalled()
  })

  test('one transaction for each model call and one for the calls of its step; what has ended can be asked for again', async () => {
    const storage = new InMemoryStorage()
    const save = vi.spyOn(storage.runs, 'save')
    const quick = createTool({ id: 'act', execute: () => 'done' }) as Tool
    const script = {
      sup: [
        {
          calls: [
            { name: 'act', args: {} },
            { name: 'act', args: {} },
          ],
        },
        { text: 'end' },
      ],
    }
    const processes = new Processes(script, storage)
    const agent = processes.start(chain(1, { act: quick }))
    const { runId } = await agent.generate('Go', { durable: true })
    // Its beginning, a call, its tools (the second may wait for the first), the answer, its end.
    expect(save.mock.calls.length).toBeLessThanOrEqual(6)
    const stream = await processes.start(chain(1, { act: quick })).resumeRun({ runId })
    const types = (await allOf(stream.events)).map(({ type }) => type)
    expect(types).toEqual(['start', 'finish'])
    expect(await stream.result).toMatchObject({ text: 'end', finishReason: 'stop', steps: [{}, {}] })
    processes.models.assertDone()
  })

  test('a run that was lost to another process stops, and starts nothing more', async () => {
    const gate = Promise.withResolvers<void>()
    const ran: string[] = []
    const execute = async (): Promise<string> => {
      ran.push('slow')
      if (ran.length === 1) await gate.promise
      return 'done'
    }
    const processes = new Processes({
      sup: [{ calls: [{ id: 's', name: 'act', args: {} }] }, { text: 'end' }],
    })
    const make = chain(1, { act: createTool({ id: 'act', execute }) as Tool })
    const storage = processes.storage
    const first = processes.mortal(make)
    const running = first.agent.generate('Go', { durable: true, runId: 'run' })
    const lost = expect(running).rejects.toMatchObject({ code: 'run-lost' })
    await turns()
    // It stands still, as a process does that is stopped and later goes on.
    const renew = vi.spyOn(storage.runs, 'renew').mockImplementation(() => new Promise(() => {}))
    await leaseOver()
    renew.mockRestore()
    expect(await processes.start(make).resumeRunGenerate({ runId: 'run' })).toMatchObject({ text: 'end' })
    gate.resolve()
    await lost
    processes.models.assertDone()
  })

  test('a run whose lease another has ends at once, also while nothing of it ends', async () => {
    const { tool, begun } = dying()
    const processes = new Processes(chainScript(1))
    const running = processes.start(chain(1, { act: tool })).generate('Go', { durable: true, runId: 'run' })
    const lost = expect(running).rejects.toMatchObject({ code: 'run-lost' })
    await begun
    const renew = vi.spyOn(processes.storage.runs, 'renew').mockResolvedValue(false)
    await vi.advanceTimersByTimeAsync(4_000)
    await lost
    expect(renew).toHaveBeenCalledTimes(1)
  })

  test.each(['begin', 'suspend', 'start'] as const)(
    'a storage that fails when the run is to %s ends it with that error, and nothing runs that is not written down',
    async (when) => {
      const { tool, ran } = gatedTool()
      const processes = new Processes(chainScript(1))
      const make = chain(1, { act: tool })
      const full = new RetinueError({ code: 'storage-full', message: 'The disk is full.' })
      const failing = vi.spyOn(processes.storage.runs, 'save')
      if (when === 'begin') failing.mockRejectedValueOnce(full)
      const agent = processes.start(make)
      if (when === 'suspend') failing.mockRejectedValueOnce(full)
      const running = agent.generate('Go', { durable: when === 'begin', runId: 'run' })
      if (when !== 'start') {
        await expect(running).rejects.toMatchObject({ code: 'storage-full' })
        expect([await agent.listSuspendedRuns(), ran]).toEqual([{ runs: [], total: 0 }, []])
        return
      }
      await running
      const change = vi.spyOn(processes.storage.approvals, 'change')
      change.mockImplementationOnce((...given) =>
        InMemoryApprovals.prototype.change.apply(processes.storage.approvals, given),
      )
      change.mockRejectedValueOnce(full)
      await expect(agent.approveToolCallGenerate({ runId: 'run' })).rejects.toMatchObject({ code: 'storage-full' })
      expect(ran).toEqual([])
      // It was decided: whoever goes on with the run starts the call.
      expect(await processes.start(make).resumeRunGenerate({ runId: 'run' })).toMatchObject({ text: 'acted' })
      expect(ran).toHaveLength(1)
    },
  )

  test('a run id that is used again has questions of its own: what was decided before decides nothing', async () => {
    const { tool, ran } = gatedTool()
    const turns = chainScript(1)['sup'] ?? []
    const processes = new Processes({ sup: [...turns, ...turns] })
    const agent = processes.start(chain(1, { act: tool }))
    for (const times of [1, 2]) {
      const { pendingCalls } = await agent.generate('Go', { runId: 'run' })
      expect(pendingCalls).toHaveLength(1)
      expect((await agent.listSuspendedRuns()).runs[0]?.toolCalls).toHaveLength(1)
      expect(await agent.approveToolCallGenerate({ runId: 'run', toolCallId: 'call-act' })).toMatchObject({
        text: 'acted',
      })
      expect(ran).toHaveLength(times)
    }
    expect((await agent.listApprovals()).items.map(({ round, status }) => [round, status])).toEqual([
      [1, 'done'],
      [2, 'done'],
    ])
  })

  test('B7.4 while somebody works on a run others wait, until they are told to stop waiting', async () => {
    const { tool, begun } = dying()
    const processes = new Processes(chainScript(1))
    const make = chain(1, { act: tool })
    void processes.start(make).generate('Go', { durable: true, runId: 'run' })
    await begun
    const controller = new AbortController()
    const waiting = processes.start(make).resumeRun({ runId: 'run', abortSignal: controller.signal })
    const refused = expect(waiting).rejects.toMatchObject({ code: 'decision-aborted' })
    await leaseOver()
    controller.abort()
    await refused
    await expect(processes.start(make).cancelRun('run')).rejects.toMatchObject({ code: 'run-busy' })
  })
})

describe('B7.4 a crash in a call that was decided', () => {
  const crashed = async (more: Partial<Parameters<typeof createTool>[0]> = {}, options: RunOptions = {}) => {
    const { tool, keys, begun } = dying({ requireApproval: true, ...more })
    const processes = new Processes({
      sup: [{ calls: [{ id: 'call-act', name: 'act', args: {} }] }, ({ text }) => ({ text })],
    })
    const make = chain(1, { act: tool })
    const { runId } = await processes.start(make).generate('Go', options)
    const second = processes.mortal(make)
    void second.agent.approveToolCallGenerate({ runId })
    await begun
    second.die()
    await leaseOver()
    return { processes, make, runId, keys }
  }

  test.each(['resumeRun', 'approve'] as const)(
    'B7.4 its outcome is unknown: %s starts nothing, tells the model, and lets the run end',
    async (how) => {
      const { processes, make, runId, keys } = await crashed()
      const agent = processes.start(make)
      const result =
        how === 'approve'
          ? await agent.approveToolCallGenerate({ runId, toolCallId: 'call-act' })
          : await agent.resumeRunGenerate({ runId })
      expect(result.toolResults).toMatchObject([{ error: { code: 'tool-outcome-unknown' } }])
      expect(result.text).toContain('unknown')
      expect([result.finishReason, keys.length]).toEqual(['stop', 1])
      expect((await agent.listApprovals({ runId })).items).toMatchObject([{ status: 'unknown' }])
    },
  )

  test('B7.4 a decline comes too late', async () => {
    const { processes, make, runId } = await crashed()
    const late = processes.start(make).declineToolCall({ runId, toolCallId: 'call-act' })
    await expect(late).rejects.toMatchObject({ code: 'approval-decided' })
  })

  test('B7.4 one that is idempotent is started again with the same key', async () => {
    const { processes, make, runId, keys } = await crashed({ idempotent: true })
    const result = await processes.start(make).resumeRunGenerate({ runId })
    expect(result.toolResults).toMatchObject([{ result: 'done' }])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  test('B7.4 a crash after its end was written down loses nothing, and repeats nothing', async () => {
    const { tool, ran } = gatedTool()
    const asked = Promise.withResolvers<void>()
    const answer = (): never => {
      throw new Error('the first process never gets this far twice')
    }
    let hangs = true
    const processes = new Processes({
      sup: [
        { calls: [{ id: 'call-act', name: 'act', args: {} }] },
        async () => {
          asked.resolve()
          return hangs ? new Promise<never>(() => {}) : answer()
        },
        { text: 'end' },
      ],
    })
    const make = chain(1, { act: tool })
    const { runId } = await processes.start(make).generate('Go')
    const second = processes.mortal(make)
    void second.agent.approveToolCallGenerate({ runId })
    await asked.promise
    second.die()
    hangs = false
    await leaseOver()
    const agent = processes.start(make)
    expect(await agent.resumeRunGenerate({ runId })).toMatchObject({
      text: 'end',
      toolResults: [{ result: { done: {} } }],
    })
    expect(ran).toHaveLength(1)
    expect((await agent.listApprovals()).items).toMatchObject([{ status: 'done' }])
  })
})

test('B7.3 a run that had only announced a call when its process died is gone, with what it asked', async () => {
  const { tool, ran } = gatedTool()
  const slow = createTool({ id: 'slow', execute: () => new Promise(() => {}) }) as Tool
  const processes = new Processes({
    sup: [
      {
        calls: [
          { id: 'a', name: 'act', args: {} },
          { id: 's', name: 'slow', args: {} },
        ],
      },
    ],
  })
  const make = chain(1, { act: tool, slow })
  const first = processes.mortal(make)
  const stream = await first.agent.stream('Go', { runId: 'run' })
  for await (const { type } of stream.events) if (type === 'tool-call-approval') break
  first.die()
  await leaseOver()
  const agent = processes.start(make)
  await expect(agent.approveToolCall({ runId: 'run', toolCallId: 'a' })).rejects.toMatchObject({
    code: 'run-not-found',
  })
  expect((await agent.listApprovals({ runId: 'run' })).items).toMatchObject([{ status: 'cancelled' }])
  expect([(await processes.storage.runs.list({})).total, ran]).toEqual([0, []])
})

describe('approvalTimeoutMs', () => {
  const waiting = async () => {
    const { tool, ran } = gatedTool()
    const processes = new Processes({
      sup: [{ calls: [{ id: 'call-act', name: 'act', args: {} }] }, ({ text }) => ({ text })],
    })
    const make = chain(1, { act: tool })
    const first = processes.mortal(make)
    const { runId, pendingCalls } = await first.agent.generate('Go', { approvalTimeoutMs: 60_000, durable: true })
    expect(pendingCalls).toMatchObject([{ expiresAt: Date.now() + 60_000 }])
    return { processes, make, first, runId, ran }
  }

  test('a call that nobody decided on is declined when its time is over, and the run goes on', async () => {
    const { first, runId, ran } = await waiting()
    await vi.advanceTimersByTimeAsync(59_000)
    expect((await first.agent.listSuspendedRuns()).total).toBe(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect((await first.agent.listSuspendedRuns()).total).toBe(0)
    const { items } = await first.agent.listApprovals({ runId })
    expect(items).toMatchObject([{ status: 'declined', decision: { reason: 'nobody decided in time' } }])
    expect(await (await first.agent.resumeRun({ runId })).text).toContain('nobody decided in time')
    expect(ran).toEqual([])
  })

  test('who decides too late is refused, also where the process that asked is gone; recover() goes on with such runs', async () => {
    const { processes, make, first, runId, ran } = await waiting()
    first.die()
    await vi.advanceTimersByTimeAsync(61_000)
    const agent = processes.start(make)
    await expect(agent.approveToolCall({ runId })).rejects.toMatchObject({ code: 'approval-expired' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect([(await agent.listSuspendedRuns()).total, ran]).toEqual([0, []])
    const other = await waiting()
    other.first.die()
    await vi.advanceTimersByTimeAsync(61_000)
    const [stream] = await other.processes.start(other.make).recover()
    expect(await stream?.text).toContain('nobody decided in time')
  })

  test('one that is decided in time has no clock any more', async () => {
    const { first, runId, ran } = await waiting()
    expect(vi.getTimerCount()).toBe(1)
    await first.agent.approveToolCallGenerate({ runId })
    expect(vi.getTimerCount()).toBe(0)
    expect(ran).toHaveLength(1)
  })

  test('a process that starts anew has the clock of a call that can still be decided', async () => {
    const { processes, make, first, runId, ran } = await waiting()
    first.die()
    await vi.advanceTimersByTimeAsync(30_000)
    const agent = processes.start(make)
    expect(await agent.recover()).toEqual([])
    await vi.advanceTimersByTimeAsync(29_000)
    expect((await agent.listSuspendedRuns()).total).toBe(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect([(await agent.listSuspendedRuns()).total, ran]).toEqual([0, []])
    expect((await agent.listApprovals({ runId })).items).toMatchObject([{ status: 'declined' }])
  })

  test('an agent that is delegated to can have a time of its own', async () => {
    const { tool } = gatedTool()
    const processes = new Processes(chainScript(2))
    const make = (models: typeof processes.models): Agent =>
      new Agent({
        id: 'sup',
        model: models.at('sup'),
        agents: {
          mid: new Agent({
            id: 'mid',
            description: 'd',
            model: models.at('sup/mid'),
            tools: { act: tool },
            defaultOptions: { approvalTimeoutMs: 5_000 },
          }),
        },
      })
    const { pendingCalls } = await processes.start(make).generate('Go', { approvalTimeoutMs: 60_000 })
    expect(pendingCalls).toMatchObject([{ expiresAt: Date.now() + 5_000 }])
  })
})
