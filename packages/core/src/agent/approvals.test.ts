import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { allOf } from '../../test-support/all-of.ts'
import { chain, chainScript, gatedTool, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { typedError } from '../../test-support/typed-error.ts'
import type { Tool } from '../tools/index.ts'
import { createTool } from '../tools/index.ts'
import { Agent, type Chunk, type RunStream } from './index.ts'

const all = (stream: RunStream): Promise<Chunk[]> => allOf(stream.fullStream)

const announced = (chunks: readonly Chunk[]): Chunk[] =>
  chunks.filter(({ type }) => type === 'tool-call-approval' || type === 'tool-call-suspended')

describe('B7.1 what a person has to decide', () => {
  test.each([1, 2, 3] as const)(
    'B7.1 at depth %i the root tells of it once, at its top level, with the inner call',
    async (depth) => {
      const { tool, ran } = gatedTool()
      const processes = new Processes(chainScript(depth))
      const stream = await processes.start(chain(depth, { act: tool })).stream('Go', { runId: 'run' })
      const chunks = await all(stream)
      expect(announced(chunks)).toEqual([
        {
          type: 'tool-call-approval',
          runId: 'run',
          from: 'AGENT',
          path: ['sup', 'mid', 'leaf'].slice(0, depth),
          payload: { toolCallId: 'call-act', toolName: 'act', args: { to: 'ada' } },
        },
      ])
      expect(chunks.filter(({ type }) => type === 'start' || type === 'finish')).toHaveLength(2)
      expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'suspended' } } })
      expect(await stream.finishReason).toBe('suspended')
      expect(await stream.pendingCalls).toMatchObject([{ toolCallId: 'call-act', requiresApproval: true }])
      expect(ran).toEqual([])
    },
  )

  test.each([1, 2, 3] as const)(
    'B7.3 at depth %i another process approves: the tool runs once, and nobody is asked again',
    async (depth) => {
      const { tool, ran } = gatedTool()
      const processes = new Processes(chainScript(depth))
      const make = chain(depth, { act: tool })
      const { runId, pendingCalls } = await processes.start(make).generate('Go')
      const toolCallId = pendingCalls?.[0]?.toolCallId as string
      const stream = await processes.start(make).approveToolCall({ runId, toolCallId })
      const chunks = await all(stream)
      expect([await stream.text, await stream.finishReason]).toEqual([depth === 1 ? 'acted' : 'mid done', 'stop'])
      expect(ran).toEqual([{ to: 'ada' }])
      // Each model was asked for each of its turns, and for no other.
      processes.models.assertDone()
      expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1)
      expect(announced(chunks)).toEqual([])
      expect(stream.runId).toBe(runId)
    },
  )

  test('B7.1 a function decides by the arguments', async () => {
    const requireApproval = vi.fn(({ amount }: { amount: number }) => amount > 5)
    const inputSchema = z.object({ amount: z.number() })
    const { tool, ran } = gatedTool({ inputSchema, requireApproval: requireApproval as never })
    const act = (id: string, amount: number) => ({ id, name: 'act', args: { amount } })
    const processes = new Processes({ sup: [{ calls: [act('little', 5), act('much', 6)] }] })
    const { pendingCalls } = await processes.start(chain(1, { act: tool })).generate('Go')
    expect(pendingCalls?.map(({ toolCallId }) => toolCallId)).toEqual(['much'])
    expect(ran).toEqual([{ amount: 5 }])
    expect(requireApproval).toHaveBeenCalledTimes(2)
  })

  test.each(['agent', 'call', 'default'] as const)(
    'B2.4 requireToolApproval of the %s binds the children too',
    async (where) => {
      const { tool, ran } = gatedTool({ requireApproval: false })
      const gate = vi.fn(({ toolName }: { toolName: string }) => toolName === 'act')
      const own = {
        agent: { requireToolApproval: gate },
        default: { defaultOptions: { requireToolApproval: gate } },
        call: {},
      }
      const processes = new Processes(chainScript(3))
      const agent = processes.start(chain(3, { act: tool }, own[where]))
      const { pendingCalls } = await agent.generate('Go', where === 'call' ? { requireToolApproval: gate } : {})
      expect(pendingCalls).toMatchObject([{ toolName: 'act', path: ['sup', 'mid', 'leaf'] }])
      expect(gate.mock.calls.map(([call]) => call)).toMatchObject([
        { toolName: 'mid', path: ['sup'] },
        { toolName: 'leaf', path: ['sup', 'mid'] },
        { toolName: 'act', args: { to: 'ada' }, path: ['sup', 'mid', 'leaf'] },
      ])
      expect(ran).toEqual([])
    },
  )

  test('B2.4 a call can’t take the gate of its agent away', async () => {
    const { tool } = gatedTool({ requireApproval: false })
    const processes = new Processes(chainScript(1))
    const agent = processes.start(chain(1, { act: tool }, { requireToolApproval: true }))
    expect(await agent.generate('Go', { requireToolApproval: false })).toMatchObject({ finishReason: 'suspended' })
  })

  test('B7.1 a delegation is decided before its start hook, and is not asked about again for what the hook changes', async () => {
    const onDelegationStart = vi.fn(() => ({ modifiedPrompt: 'Other' }))
    const processes = new Processes({
      sup: [{ calls: [{ id: 'd', name: 'mid', args: { prompt: 'P' } }] }, { text: 'end' }],
      'sup/mid': [({ text }) => ({ text: `asked ${text.includes('Other') ? 'other' : 'P'}` })],
    })
    const make = chain(2, {}, { defaultOptions: { delegation: { onDelegationStart } } })
    const gate = ({ toolName }: { toolName: string }) => toolName === 'mid'
    const { runId } = await processes.start(make).generate('Go', { requireToolApproval: gate })
    expect(onDelegationStart).not.toHaveBeenCalled()
    const result = await processes.start(make).approveToolCallGenerate({ runId, requireToolApproval: gate })
    expect(onDelegationStart).toHaveBeenCalledTimes(1)
    expect(result.toolResults).toMatchObject([{ result: { status: 'completed', text: 'asked other' } }])
  })

  test('B7.1 a gate that throws lets nothing through', async () => {
    const { tool, ran } = gatedTool({ requireApproval: false })
    const processes = new Processes(chainScript(1))
    const gate = () => {
      throw new Error('key sk-12345678901234567890')
    }
    const { toolResults, finishReason } = await processes
      .start(chain(1, { act: tool }))
      .generate('Go', { requireToolApproval: gate })
    expect([finishReason, toolResults[0]?.error?.code, ran]).toEqual(['stop', 'tool-approval-failed', []])
    expect(toolResults[0]?.error?.message).not.toContain('sk-1234')
  })
})

describe('B7.2 decisions', () => {
  const two = (): { processes: Processes; make: MakeTree; ran: unknown[] } => {
    const { tool, ran } = gatedTool()
    const act = (id: string) => ({ id, name: 'act', args: { id } })
    const processes = new Processes({ sup: [{ calls: [act('one'), act('two')] }, ({ text }) => ({ text })] })
    return { processes, make: chain(1, { act: tool }), ran }
  }

  test.each([
    ['one', 'two'],
    ['two', 'one'],
  ])(
    'B7.2 S14 of two calls of one tool %s is decided first: the other stays, is announced again, and each runs once',
    async (first, second) => {
      const { processes, make, ran } = two()
      const { runId } = await processes.start(make).generate('Go')
      const stream = await processes.start(make).approveToolCall({ runId, toolCallId: first })
      expect(announced(await all(stream))).toMatchObject([{ payload: { toolCallId: second } }])
      expect(await stream.finishReason).toBe('suspended')
      expect(ran).toEqual([{ id: first }])
      const result = await processes.start(make).approveToolCallGenerate({ runId })
      expect(ran).toEqual([{ id: first }, { id: second }])
      // The model reads both results, in the order of the calls.
      expect(result.toolResults.map(({ toolCallId }) => toolCallId)).toEqual(['one', 'two'])
      expect(result.finishReason).toBe('stop')
    },
  )

  test('B7.2 one approved, one declined: the model reads the reason, and the declined one never runs', async () => {
    const { processes, make, ran } = two()
    const { runId } = await processes.start(make).generate('Go')
    const stream = await processes.start(make).declineToolCall({ runId, toolCallId: 'two', reason: 'too dear' })
    expect((await all(stream)).find(({ type }) => type === 'tool-output-denied')).toMatchObject({
      payload: { toolCallId: 'two', reason: expect.stringContaining('too dear') },
    })
    const { text } = await processes.start(make).approveToolCallGenerate({ runId, toolCallId: 'one' })
    expect(text).toContain('too dear')
    expect(ran).toEqual([{ id: 'one' }])
  })

  test('B7.2 the id can be left out only while one call waits', async () => {
    const { processes, make } = two()
    const agent = processes.start(make)
    const { runId } = await agent.generate('Go')
    await expect(agent.approveToolCall({ runId })).rejects.toMatchObject({
      code: 'approval-ambiguous',
      data: { toolCallIds: ['one', 'two'] },
    })
    await expect(agent.approveToolCall({ runId, toolCallId: 'three' })).rejects.toMatchObject({
      code: 'approval-not-found',
    })
    await expect(agent.approveToolCall({ runId: 'other' })).rejects.toMatchObject({ code: 'run-not-found' })
    // Nothing has changed.
    expect((await agent.listSuspendedRuns()).runs[0]?.toolCalls).toHaveLength(2)
  })

  test('B7.2 listSuspendedRuns tells what waits, by thread and resource, and what was decided is not in it', async () => {
    const { tool } = gatedTool()
    const processes = new Processes({ ...chainScript(2), x: [] })
    const agent = processes.start(chain(2, { act: tool }))
    const { runId } = await agent.generate('Go', { memory: { thread: 't', resource: 'ada' } })
    expect(await agent.listSuspendedRuns({ resourceId: 'ada' })).toEqual({
      runs: [
        {
          runId,
          path: ['sup'],
          threadId: 't',
          resourceId: 'ada',
          suspendedAt: expect.any(Number),
          toolCalls: [
            {
              toolCallId: 'call-act',
              toolName: 'act',
              args: { to: 'ada' },
              path: ['sup', 'mid'],
              requiresApproval: true,
            },
          ],
        },
      ],
      total: 1,
    })
    expect(await agent.listSuspendedRuns({ resourceId: 'bob' })).toEqual({ runs: [], total: 0 })
    await agent.declineToolCallGenerate({ runId })
    expect(await agent.listSuspendedRuns()).toEqual({ runs: [], total: 0 })
  })

  test('B7.2 edited arguments are checked by the schema, run in place of the model’s, and both are on record', async () => {
    const { tool, ran } = gatedTool({ inputSchema: z.object({ to: z.string() }) })
    const processes = new Processes({ sup: [...(chainScript(1)['sup'] ?? []).slice(0, 1), ({ text }) => ({ text })] })
    const agent = processes.start(chain(1, { act: tool }))
    const { runId } = await agent.generate('Go')
    await expect(agent.approveToolCall({ runId, args: { to: 5 } })).rejects.toMatchObject({
      code: 'decision-invalid',
      message: expect.stringContaining('to'),
    })
    const result = await agent.approveToolCallGenerate({ runId, args: { to: 'bob' }, decidedBy: 'eve' })
    expect(ran).toEqual([{ to: 'bob' }])
    expect(result.toolResults).toMatchObject([{ args: { to: 'bob' }, result: { done: { to: 'bob' } } }])
    expect(result.text).toContain('A person changed the arguments of "act" to {"to":"bob"}')
    expect((await agent.listApprovals({ runId })).items).toMatchObject([
      {
        args: { to: 'ada' },
        decision: { args: { to: 'bob' }, by: 'eve' },
        status: 'done',
        decidedAt: expect.any(Number),
      },
    ])
  })

  test('B7.2 cancelRun ends a run that waits: nothing runs, and nothing can be decided any more', async () => {
    const { tool, ran } = gatedTool()
    const processes = new Processes(chainScript(2))
    const agent = processes.start(chain(2, { act: tool }))
    const { runId } = await agent.generate('Go')
    await processes.start(chain(2, { act: tool })).cancelRun(runId)
    await expect(agent.approveToolCall({ runId, toolCallId: 'call-act' })).rejects.toMatchObject({
      code: 'approval-decided',
    })
    await expect(agent.cancelRun(runId)).rejects.toMatchObject({ code: 'run-not-found' })
    expect([ran, (await agent.listSuspendedRuns()).total]).toEqual([[], 0])
    expect((await agent.listApprovals()).items).toMatchObject([{ status: 'cancelled' }])
  })

  test('B7.2 cancelRun ends a run that this process works on', async () => {
    const begun = Promise.withResolvers<void>()
    const execute = (): Promise<never> => {
      begun.resolve()
      return new Promise(() => {})
    }
    const hangs = createTool({ id: 'hang', execute })
    const processes = new Processes({ sup: [{ calls: [{ name: 'hang', args: {} }] }] })
    const agent = processes.start(chain(1, { hang: hangs as Tool }), { durable: true })
    const stream = await agent.stream('Go')
    await begun.promise
    await agent.cancelRun(stream.runId)
    expect(await stream.finishReason).toBe('aborted')
  })

  test('B7.5 what a person declines is no failure of the run: the model may ask again and again', async () => {
    const { tool, ran } = gatedTool()
    const act = (id: string) => ({ calls: [{ id, name: 'act', args: {} }] })
    const processes = new Processes({ sup: [act('1'), act('2'), act('3'), act('4'), { text: 'I give up.' }] })
    const agent = processes.start(chain(1, { act: tool }))
    let result = await agent.generate('Go')
    for (let time = 0; time < 4; time++)
      result = await agent.declineToolCallGenerate({ runId: result.runId, reason: 'no' })
    expect([result.finishReason, result.text, ran]).toEqual(['stop', 'I give up.', []])
  })

  test('B7.7 a run that goes on and is aborted ends, with what it had, and nothing of it waits any more', async () => {
    const begun = Promise.withResolvers<void>()
    const execute = (): Promise<never> => {
      begun.resolve()
      return new Promise(() => {})
    }
    const { tool } = gatedTool({ execute })
    const other = gatedTool()
    const processes = new Processes({
      sup: [
        {
          calls: [
            { id: 'a', name: 'act', args: {} },
            { id: 'b', name: 'other', args: {} },
          ],
        },
      ],
    })
    const agent = processes.start(chain(1, { act: tool, other: other.tool }))
    const { runId } = await agent.generate('Go')
    const stream = await agent.approveToolCall({ runId, toolCallId: 'a' })
    await begun.promise
    stream.abort()
    expect(await stream.finishReason).toBe('aborted')
    expect([(await agent.listSuspendedRuns()).total, (await processes.storage.runs.list({})).total]).toEqual([0, 0])
    const { items } = await agent.listApprovals({ runId })
    expect(items.map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
      ['a', 'unknown'],
      ['b', 'cancelled'],
    ])
    expect(other.ran).toEqual([])
  })

  test('B7.2 resumeRun announces what waits again, and changes nothing', async () => {
    const { processes, make, ran } = two()
    const { runId } = await processes.start(make).generate('Go')
    const stream = await processes.start(make).resumeRun({ runId })
    expect(announced(await all(stream))).toHaveLength(2)
    expect([await stream.finishReason, ran]).toEqual(['suspended', []])
    expect((await processes.start(make).listSuspendedRuns()).runs[0]?.toolCalls).toHaveLength(2)
  })

  test.each([
    [undefined, 'option-invalid'],
    [{}, 'option-invalid'],
    [{ runId: '' }, 'option-invalid'],
    [{ runId: 'run', toolCallID: 'x' }, 'option-unknown'],
    [{ runId: 'run', maxSteps: 5 }, 'option-unknown'],
    [{ runId: 'run', toolCallId: 5 }, 'option-invalid'],
    [{ runId: 'run', onChunk: 5 }, 'option-invalid'],
  ])('bad input: %j is %s', async (given, code) => {
    const agent = new Agent({ id: 'a' })
    const error = await typedError(agent.approveToolCall(given as never))
    expect(error.code).toBe(code)
  })
})

describe('B7.4 a decision is taken once', () => {
  test('B7.4 of eight decisions at once, from four processes, one wins; the others reject before any stream', async () => {
    const { tool, ran } = gatedTool()
    const processes = new Processes(chainScript(3))
    const make = chain(3, { act: tool })
    const { runId } = await processes.start(make).generate('Go')
    const deciders = [1, 2, 3, 4].map(() => processes.start(make))
    const decided = await Promise.allSettled(
      deciders.flatMap((agent) => [
        agent.approveToolCall({ runId, toolCallId: 'call-act' }),
        agent.declineToolCall({ runId, toolCallId: 'call-act' }),
      ]),
    )
    const won = decided.filter((each) => each.status === 'fulfilled')
    const lost = decided.filter((each) => each.status === 'rejected')
    expect(won).toHaveLength(1)
    expect(new Set(lost.map(({ reason }) => reason.code))).toEqual(new Set(['approval-decided']))
    await won[0]?.value.result
    expect(ran.length).toBeLessThanOrEqual(1)
  })

  test('B7.4 a decision on another call of a run in progress waits until it stops again', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<string>()
    const execute = (): Promise<string> => {
      begun.resolve()
      return end.promise
    }
    const slow = createTool({ id: 'slow', requireApproval: true, execute })
    const { tool, ran } = gatedTool()
    const processes = new Processes({
      sup: [
        {
          calls: [
            { id: 's', name: 'slow', args: {} },
            { id: 'a', name: 'act', args: {} },
          ],
        },
        { text: 'end' },
      ],
    })
    const make = chain(1, { slow: slow as Tool, act: tool })
    const { runId } = await processes.start(make).generate('Go')
    const first = processes.start(make).approveToolCallGenerate({ runId, toolCallId: 's' })
    await begun.promise
    const second = processes.start(make).approveToolCallGenerate({ runId, toolCallId: 'a' })
    end.resolve('slow')
    expect((await first).finishReason).toBe('suspended')
    expect(await second).toMatchObject({ finishReason: 'stop', text: 'end' })
    expect(ran).toHaveLength(1)
  })

  test('B7.1 what is announced can be decided at once, from another process too: it waits until the run has stopped', async () => {
    const sibling = Promise.withResolvers<string>()
    const slow = createTool({ id: 'slow', execute: () => sibling.promise })
    const { tool, ran } = gatedTool()
    const processes = new Processes({
      sup: [
        {
          calls: [
            { id: 'a', name: 'act', args: {} },
            { id: 's', name: 'slow', args: {} },
          ],
        },
        { text: 'end' },
      ],
    })
    const make = chain(1, { slow: slow as Tool, act: tool })
    const stream = await processes.start(make).stream('Go')
    for await (const { type } of stream.events) if (type === 'tool-call-approval') break
    const other = processes.start(make)
    expect((await other.listApprovals({ runId: stream.runId })).items).toMatchObject([{ status: 'pending' }])
    // It does not wait for a person yet: something of it is at work.
    expect((await other.listSuspendedRuns()).total).toBe(0)
    const deciding = other.approveToolCallGenerate({ runId: stream.runId, toolCallId: 'a' })
    sibling.resolve('slow')
    expect(await deciding).toMatchObject({ text: 'end', finishReason: 'stop' })
    expect([await stream.finishReason, ran.length]).toEqual(['suspended', 1])
  })

  test('B7.1 a decision that comes before the run has suspended waits for it', async () => {
    const sibling = Promise.withResolvers<string>()
    const slow = createTool({ id: 'slow', execute: () => sibling.promise })
    const { tool, ran } = gatedTool()
    const processes = new Processes({
      sup: [
        {
          calls: [
            { id: 'a', name: 'act', args: {} },
            { id: 's', name: 'slow', args: {} },
          ],
        },
        { text: 'end' },
      ],
    })
    const agent = processes.start(chain(1, { slow: slow as Tool, act: tool }))
    const stream = await agent.stream('Go')
    for await (const { type } of stream.events) if (type === 'tool-call-approval') break
    const deciding = agent.approveToolCallGenerate({ runId: stream.runId, toolCallId: 'a' })
    expect(ran).toEqual([])
    sibling.resolve('slow')
    expect(await deciding).toMatchObject({ text: 'end', finishReason: 'stop' })
    expect(await stream.finishReason).toBe('suspended')
  })
})

describe('B7.5 an approval is good for that call of that tool', () => {
  test.each<[string, Partial<Parameters<typeof createTool>[0]>]>([
    ['schema', { inputSchema: z.object({ to: z.string(), cc: z.string().optional() }) }],
    ['version', { version: '2' }],
  ])('B7.5 the tool has another %s: the decision is void, and the call is announced again', async (_what, change) => {
    const before = gatedTool({ inputSchema: z.object({ to: z.string() }) })
    const after = gatedTool({ inputSchema: z.object({ to: z.string() }), ...change })
    const processes = new Processes(chainScript(2))
    const { runId } = await processes.start(chain(2, { act: before.tool })).generate('Go')
    const changed = processes.start(chain(2, { act: after.tool }))
    const stream = await changed.approveToolCall({ runId, toolCallId: 'call-act' })
    expect(announced(await all(stream))).toHaveLength(1)
    expect([await stream.finishReason, before.ran, after.ran]).toEqual(['suspended', [], []])
    expect((await changed.listApprovals({ runId })).items).toMatchObject([
      { round: 1, status: 'void' },
      { round: 2, status: 'pending' },
    ])
    expect(await changed.approveToolCallGenerate({ runId, toolCallId: 'call-act' })).toMatchObject({
      finishReason: 'stop',
    })
    expect([before.ran.length, after.ran.length]).toEqual([0, 1])
  })

  test('B7.5 the tool is gone: the model gets an error result', async () => {
    const { tool, ran } = gatedTool()
    const processes = new Processes(chainScript(2))
    const { runId } = await processes.start(chain(2, { act: tool })).generate('Go')
    const { toolResults } = await processes.start(chain(2, {})).approveToolCallGenerate({ runId })
    expect(toolResults).toMatchObject([
      { result: { status: 'completed', text: 'acted', subAgentToolResults: [{ error: { code: 'tool-unknown' } }] } },
    ])
    expect(ran).toEqual([])
  })

  test('B7.5 a foreign decision does nothing: another agent over the same storage does not find the run', async () => {
    const { tool, ran } = gatedTool()
    const processes = new Processes({ ...chainScript(1), other: [] })
    const { runId } = await processes.start(chain(1, { act: tool })).generate('Go')
    const other = processes.start(
      (models) => new Agent({ id: 'other', model: models.at('other'), tools: { act: tool } }),
    )
    await expect(other.approveToolCall({ runId })).rejects.toMatchObject({ code: 'run-not-found' })
    await expect(other.cancelRun(runId)).rejects.toMatchObject({ code: 'run-not-found' })
    expect([(await other.listSuspendedRuns()).total, (await other.listApprovals()).items, ran]).toEqual([0, [], []])
    // It is not held up by who asked for it in vain.
    await processes.start(chain(1, { act: tool })).approveToolCallGenerate({ runId })
    expect(ran).toHaveLength(1)
  })
})

test('B7.3 without a storage runs wait in this process, and it says so once', async () => {
  const warnings: string[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)))
  const { tool, ran } = gatedTool()
  const { models } = new Processes({ sup: [...(chainScript(1)['sup'] ?? []), ...(chainScript(1)['sup'] ?? [])] })
  const agent = chain(1, { act: tool })(models)
  for (let time = 0; time < 2; time++) {
    const { runId } = await agent.generate('Go')
    expect(await agent.approveToolCallGenerate({ runId })).toMatchObject({ text: 'acted' })
  }
  spy.mockRestore()
  expect(ran).toHaveLength(2)
  expect(warnings.filter((warning) => warning.includes('in this process alone'))).toHaveLength(1)
})
