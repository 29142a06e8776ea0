import { expect, test } from 'vitest'
import { z } from 'zod'
import { chain, chainScript, gatedTool, Processes } from '../../test-support/gated-tree.ts'
import { createTool, type Tool } from '../tools/index.ts'

const call = (id: string, name: string) => ({ id, name, args: {} })

test.each([1, 2, 3] as const)(
  'B2.11 totalUsage of a run that waits at depth %i is the sum over its tree',
  async (depth) => {
    const processes = new Processes(chainScript(depth))
    const stream = await processes.start(chain(depth, { act: gatedTool().tool })).stream('Go')
    const finish = { type: 'finish', payload: { totalUsage: { calls: depth } } }
    let last: unknown
    for await (const chunk of stream.fullStream) last = chunk
    expect(last).toMatchObject(finish)
    const { usage, totalUsage } = await stream.result
    expect([usage.calls, totalUsage.calls, totalUsage.totalTokens]).toEqual([1, depth, 15 * depth])
  },
)

test('B7.1 the result of a run that waits has the results of the calls that have ended', async () => {
  const look = createTool({ id: 'look', execute: () => 'seen' }) as Tool
  const processes = new Processes({ sup: [{ calls: [call('a', 'act'), call('l', 'look')] }] })
  const { toolResults, steps, pendingCalls } = await processes
    .start(chain(1, { act: gatedTool().tool, look }))
    .generate('Go')
  expect(toolResults).toMatchObject([{ toolCallId: 'l', result: 'seen' }])
  expect(steps).toMatchObject([{ toolResults: [{ toolCallId: 'l' }] }])
  expect(pendingCalls).toMatchObject([{ toolCallId: 'a' }])
})

test.each([
  ['long', 'c'.repeat(2_000)],
  ['not well-formed', 'a\ud800'],
  ['with a NUL', 'a\0b'],
  ['empty', ''],
])('B2.8 a call whose id no store could keep (%s) waits under another, and is decided by it', async (_what, id) => {
  const { tool, ran } = gatedTool()
  const processes = new Processes({ sup: [{ calls: [call(id, 'act')] }, { text: 'end' }] })
  const make = chain(1, { act: tool })
  const { runId, pendingCalls } = await processes.start(make).generate('Go')
  expect(pendingCalls).toMatchObject([{ toolCallId: 'call' }])
  const result = await processes.start(make).approveToolCallGenerate({ runId, toolCallId: 'call' })
  expect([result.finishReason, ran.length]).toEqual(['stop', 1])
})

test('B7.1 a tool that the client runs can want an approval first; then it is the client’s', async () => {
  const client = createTool({ id: 'client', requireApproval: true }) as Tool
  const processes = new Processes({ sup: [{ calls: [call('c', 'client')] }] })
  const agent = processes.start(chain(1, { client }))
  const { runId, finishReason, pendingCalls } = await agent.generate('Go')
  expect([finishReason, pendingCalls]).toMatchObject(['suspended', [{ toolCallId: 'c' }]])
  expect((await agent.approveToolCallGenerate({ runId })).finishReason).toBe('tool-calls')
})

test.each([
  ['call-act', 'suspended', 0],
  ['another', 'stop', 1],
])('B1.9 needsApproval of an AI SDK tool decides by its call: %s', async (asked, ends, times) => {
  const ran: unknown[] = []
  const tool = {
    inputSchema: z.object({}),
    needsApproval: async (_input: unknown, { toolCallId, messages }: { toolCallId: string; messages: unknown[] }) =>
      toolCallId === asked && messages.length > 0,
    execute: (input: unknown) => void ran.push(input),
  }
  const processes = new Processes(chainScript(1, {}))
  const { finishReason } = await processes.start(chain(1, { act: tool as unknown as Tool })).generate('Go')
  expect([finishReason, ran.length]).toEqual([ends, times])
})
