import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chain, chainScript, gatedTool, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { createTool, type Tool, type ToolContext } from '../tools/index.ts'
import { Agent } from './index.ts'

const call = (id: string, name: string, args: unknown = {}) => ({ id, name, args })

/** A child whose own results have ids. */
const withReferences: MakeTree = (models) => {
  const leaf = new Agent({ id: 'leaf', description: 'd', model: models.at('sup/mid/leaf') })
  const defaultOptions = { delegation: { enableResultReferences: true } }
  const mid = new Agent({ id: 'mid', description: 'd', model: models.at('sup/mid'), agents: { leaf }, defaultOptions })
  return new Agent({ id: 'sup', model: models.at('sup'), agents: { mid } })
}

describe('B7.2 what is given with a decision', () => {
  test.each([['rm -rf'], [null], [['a']], [5]])(
    'B7.2 arguments are an object, also of a tool without a schema: %j is none',
    async (args) => {
      const { tool, ran } = gatedTool()
      const processes = new Processes(chainScript(2))
      const agent = processes.start(chain(2, { act: tool }))
      const { runId } = await agent.generate('Go')
      await expect(agent.approveToolCall({ runId, args })).rejects.toMatchObject({ code: 'decision-invalid' })
      expect([(await agent.listSuspendedRuns()).runs[0]?.toolCalls.length, ran]).toEqual([1, []])
    },
  )

  test.each([1, 2] as const)('B1.9 at depth %i a body gets what its resumeSchema makes of an answer', async (depth) => {
    const answers: unknown[] = []
    const tool = createTool({
      id: 'act',
      resumeSchema: z.object({ n: z.number().default(5) }),
      execute: (_input, { suspend, resumeData }) => {
        if (resumeData === undefined) return suspend()
        answers.push(resumeData)
        return 'done'
      },
    }) as Tool
    const processes = new Processes(chainScript(depth))
    const make = chain(depth, { act: tool })
    const { runId } = await processes.start(make).generate('Go')
    await processes.start(make).resumeGenerate({}, { runId })
    expect(answers).toEqual([{ n: 5 }])
  })

  test.each([
    ['root', 'sup', chain(2, {})],
    ['child', 'sup/mid', withReferences],
  ] as const)(
    'B2.13 the changed arguments of a %s’s delegation may name references, as the model’s may',
    async (_who, at, make) => {
      const key = at === 'sup' ? 'mid' : 'leaf'
      const delegate = (id: string, more: object) => ({ calls: [call(id, key, { prompt: 'P', ...more })] })
      const processes = new Processes({
        ...(at === 'sup' ? {} : { sup: [{ calls: [call('d', 'mid', { prompt: 'P' })] }, { text: 'end' }] }),
        [at]: [delegate('d1', {}), delegate('d2', { contextFromRefs: [`${key}-1`] }), { text: 'end' }],
        [`${at}/${key}`]: [{ text: 'first' }, ({ text }) => ({ text: `told: ${text.includes('first')}` })],
      })
      const requireToolApproval = ({ args }: { args: unknown }) => JSON.stringify(args).includes(`${key}-1`)
      const agent = processes.start(make)
      const delegation = { enableResultReferences: true }
      const { runId } = await agent.generate('Go', { requireToolApproval, delegation })
      const args = { prompt: 'B, but shorter', contextFromRefs: [`${key}-1`] }
      expect(await agent.approveToolCallGenerate({ runId, args })).toMatchObject({ finishReason: 'stop', text: 'end' })
      processes.models.assertDone()
      expect(processes.models.calls(`${at}/${key}`).at(-1)?.text).toContain('first')
    },
  )

  test('B7.2 where a hook’s context decides which tools a child has, changed arguments are checked by the child’s own', async () => {
    const strict = gatedTool({ inputSchema: z.object({ to: z.string() }) })
    const other = gatedTool({ inputSchema: z.object({ n: z.number() }) })
    const make: MakeTree = (models) => {
      const mid = new Agent({
        id: 'mid',
        description: 'd',
        model: models.at('sup/mid'),
        tools: ({ requestContext }) => ({ act: requestContext.get('role') === 'child' ? strict.tool : other.tool }),
      })
      const delegation = {
        onDelegationStart: ({ requestContext }: { requestContext: { set(key: string, value: unknown): unknown } }) =>
          void requestContext.set('role', 'child'),
      }
      return new Agent({ id: 'sup', model: models.at('sup'), defaultOptions: { delegation }, agents: { mid } })
    }
    const processes = new Processes(chainScript(2))
    const { runId } = await processes.start(make).generate('Go')
    const agent = processes.start(make)
    await expect(agent.approveToolCall({ runId, args: { n: 1 } })).rejects.toMatchObject({ code: 'decision-invalid' })
    await agent.approveToolCallGenerate({ runId, args: { to: 'bob' } })
    expect([strict.ran, other.ran]).toEqual([[{ to: 'bob' }], []])
  })

  test.each(['the process that began it', 'another process'])(
    'B2.4 a decision can’t take the gate of the call that began the run away, in %s',
    async (where) => {
      const { tool, ran } = gatedTool({ requireApproval: false })
      const processes = new Processes({
        sup: [{ calls: [call('a', 'act')] }, { calls: [call('b', 'act')] }, { text: 'end' }],
      })
      const make = chain(1, { act: tool })
      const first = processes.start(make)
      const { runId } = await first.generate('Go', { requireToolApproval: true })
      const agent = where === 'another process' ? processes.start(make) : first
      const next = await agent.approveToolCallGenerate({ runId, requireToolApproval: false })
      expect([next.finishReason, next.pendingCalls, ran.length]).toMatchObject(['suspended', [{ toolCallId: 'b' }], 1])
    },
  )
})

describe('B7.4 a decision that comes to nothing changes nothing', () => {
  test.each(['approve', 'decline'] as const)('B7.4 where the run can’t be opened: %s', async (verdict) => {
    const { tool, ran } = gatedTool()
    let isDown = false
    const instructions = (): string => {
      if (isDown) throw new Error('the config service is down')
      return 'I'
    }
    const processes = new Processes(chainScript(1))
    const agent = processes.start(chain(1, { act: tool }, { instructions }))
    const { runId } = await agent.generate('Go')
    isDown = true
    await expect(agent[`${verdict}ToolCall`]({ runId })).rejects.toMatchObject({ code: 'agent-invalid' })
    isDown = false
    expect((await agent.listApprovals({ runId })).items).toMatchObject([{ status: 'pending' }])
    expect((await agent.listSuspendedRuns()).runs[0]?.toolCalls).toHaveLength(1)
    expect(await agent.recover()).toEqual([])
    // Whoever decides otherwise then is not too late.
    expect(await agent.declineToolCallGenerate({ runId })).toMatchObject({ finishReason: 'stop' })
    expect(ran).toEqual([])
  })

  test('B7.7 where its signal was aborted before it came', async () => {
    const { tool, ran } = gatedTool()
    const processes = new Processes(chainScript(1))
    const agent = processes.start(chain(1, { act: tool }))
    const { runId } = await agent.generate('Go')
    const late = agent.approveToolCall({ runId, abortSignal: AbortSignal.abort() })
    await expect(late).rejects.toMatchObject({ code: 'decision-aborted' })
    expect((await agent.listSuspendedRuns()).total).toBe(1)
    await agent.approveToolCallGenerate({ runId })
    expect(ran).toHaveLength(1)
  })
})

test('B7.2 of a suspended call that is declined nobody says that it was not run', async () => {
  const ran: string[] = []
  const execute = (_input: unknown, { suspend }: ToolContext): unknown => {
    ran.push('reserved')
    return suspend()
  }
  const tool = createTool({ id: 'act', execute }) as Tool
  const processes = new Processes(chainScript(1))
  const agent = processes.start(chain(1, { act: tool }))
  const { runId } = await agent.generate('Go')
  const { toolResults } = await agent.declineToolCallGenerate({ runId, reason: 'too dear' })
  expect(ran).toEqual(['reserved'])
  expect(toolResults[0]?.error).toMatchObject({ code: 'tool-declined', message: expect.stringContaining('too dear') })
  expect(toolResults[0]?.error?.message).not.toContain('It was not run')
})
