import { expect, test } from 'vitest'
import { chain, chainScript, gatedTool, type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { MortalProcess } from '../../test-support/mortal-process.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage } from '../storage/index.ts'
import { scriptedModels } from '../testing/index.ts'
import { createTool, type Tool, type ToolContext } from '../tools/index.ts'
import { Agent } from './index.ts'

const call = (id: string, name: string, args: unknown = {}) => ({ id, name, args })

test('B7.2 a call that was suspended after its arguments were changed goes on with what the person put in their place', async () => {
  const ran: unknown[] = []
  const execute = (input: unknown, { resumeData, suspend }: ToolContext): unknown => {
    ran.push(input)
    return resumeData === undefined ? suspend('sure?') : 'done'
  }
  const { tool } = gatedTool({ execute: execute as never })
  const processes = new Processes(chainScript(2))
  const make = chain(2, { act: tool })
  const { runId } = await processes.start(make).generate('Go')
  const asked = await processes.start(make).approveToolCallGenerate({ runId, args: { to: 'bob' } })
  expect(asked.pendingCalls).toMatchObject([{ args: { to: 'bob' }, suspendPayload: 'sure?' }])
  const { runs } = await processes.start(make).listSuspendedRuns()
  expect(runs[0]?.toolCalls).toMatchObject([{ args: { to: 'bob' } }])
  await processes.start(make).resumeGenerate('yes', { runId })
  expect(ran).toEqual([{ to: 'bob' }, { to: 'bob' }])
})

test('B7.4 an idempotent tool is started again with what the person put in place of its arguments', async () => {
  const ran: unknown[] = []
  const begun = Promise.withResolvers<void>()
  const execute = (input: unknown): unknown => {
    ran.push(input)
    begun.resolve()
    return ran.length === 1 ? new Promise(() => {}) : 'done'
  }
  const { tool } = gatedTool({ execute: execute as never, idempotent: true })
  const processes = new Processes(chainScript(1), new InMemoryStorage())
  const make = chain(1, { act: tool })
  const { runId } = await processes.start(make).generate('Go')
  const dying = new MortalProcess()
  const app = new Retinue({ agents: { sup: make(processes.models) }, storage: dying.storage(processes.storage) })
  void app.getAgent('sup').approveToolCall({ runId, args: { to: 'bob' } })
  await begun.promise
  dying.die()
  await leaseIsOver(processes.storage, runId)
  await processes.start(make).resumeRunGenerate({ runId })
  expect(ran).toEqual([{ to: 'bob' }, { to: 'bob' }])
})

/** A lease is over when its time is: nobody has to wait for that in a test. */
async function leaseIsOver(storage: Processes['storage'], runId: string): Promise<void> {
  const { lease } = await storage.runs.get(runId)
  if (lease) await storage.runs.release({ runId, holder: lease.holder })
}

test('B7.5 a call whose tool is gone is over when the run goes on, and nobody is asked about it any more', async () => {
  const { tool, ran } = gatedTool()
  const turn = { calls: [call('gone', 'old'), call('one', 'act'), call('two', 'act')] }
  const processes = new Processes({ sup: [turn, { text: 'end' }] })
  const { runId } = await processes.start(chain(1, { act: tool, old: tool })).generate('Go')
  const agent = processes.start(chain(1, { act: tool }))
  await agent.declineToolCallGenerate({ runId, toolCallId: 'one' })
  const { runs } = await agent.listSuspendedRuns()
  expect(runs[0]?.toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['two'])
  await expect(agent.approveToolCall({ runId, toolCallId: 'gone' })).rejects.toMatchObject({ code: 'approval-decided' })
  expect(await agent.approveToolCallGenerate({ runId })).toMatchObject({ text: 'end' })
  expect(ran).toHaveLength(1)
})

test.each(['decline', 'approve'] as const)(
  'B7.4 recover() goes on with a run whose decider died over it: %s',
  async (verdict) => {
    const storage = new InMemoryStorage()
    const dying = new MortalProcess()
    const ran: unknown[] = []
    const execute = (input: unknown): unknown => {
      ran.push(input)
      dying.die()
      return new Promise(() => {})
    }
    const { tool } = gatedTool({ execute: execute as never })
    const models = scriptedModels(chainScript(1))
    const start = (process: MortalProcess) =>
      new Retinue({ agents: { sup: chain(1, { act: tool })(models) }, storage: process.storage(storage) }).getAgent(
        'sup',
      )
    const { runId } = await start(new MortalProcess()).generate('Go')
    // The lease, the decision, and for an approval the start of the body.
    if (verdict === 'decline') dying.dieAt(2, 'after')
    void start(dying)[`${verdict}ToolCall`]({ runId })
    while (dying.alive) await new Promise((resolve) => setImmediate(resolve))
    const again = start(new MortalProcess())
    // The dead one's lease is not over yet.
    expect(await again.recover()).toEqual([])
    const { lease } = await storage.runs.get(runId)
    await storage.runs.renew({ runId, holder: lease?.holder as string, until: 1 })
    const streams = await again.recover()
    expect(await Promise.all(streams.map(({ text }) => text))).toEqual(['acted'])
    expect(ran).toHaveLength(verdict === 'decline' ? 0 : 1)
    const { items } = await again.listApprovals({ runId })
    expect(items).toMatchObject([{ status: verdict === 'decline' ? 'declined' : 'unknown' }])
  },
)

test('B7.4 of two approvals without an id that come at once the second does not decide what is asked next', async () => {
  const { tool, ran } = gatedTool()
  const processes = new Processes({ sup: [{ calls: [call('one', 'act')] }, { calls: [call('two', 'act')] }] })
  const make = chain(1, { act: tool })
  const { runId } = await processes.start(make).generate('Go')
  const agents = [processes.start(make), processes.start(make)]
  const ended = await Promise.allSettled(agents.map((agent) => agent.approveToolCallGenerate({ runId })))
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'approval-decided' } })
  expect(ran).toHaveLength(1)
  expect((await agents[0]?.listSuspendedRuns())?.runs[0]?.toolCalls).toMatchObject([{ toolCallId: 'two' }])
})

test('B7.5 a decision that came before the call was asked about again is void with the first one', async () => {
  const old = gatedTool({ version: '1' })
  const changed = gatedTool({ version: '2' })
  const processes = new Processes(chainScript(1))
  const { runId } = await processes.start(chain(1, { act: old.tool })).generate('Go')
  const agents = [1, 2].map(() => processes.start(chain(1, { act: changed.tool })))
  const toolCallId = 'call-act'
  const ended = await Promise.allSettled(agents.map((agent) => agent.approveToolCallGenerate({ runId, toolCallId })))
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'approval-decided' } })
  expect([...old.ran, ...changed.ran]).toEqual([])
  // Both approved what they were shown; the new one waits for somebody who has seen it.
  const { items } = await (agents[0] as Agent).listApprovals({ runId })
  expect(items.map(({ round, status }) => [round, status])).toEqual([
    [1, 'void'],
    [2, 'pending'],
  ])
})

test('B7.4 a delegation that was approved and waits for something below can not be approved again', async () => {
  const { tool } = gatedTool()
  const processes = new Processes(chainScript(2))
  const make = chain(2, { act: tool }, { requireToolApproval: true })
  const agent = processes.start(make)
  const { runId } = await agent.generate('Go')
  const asked = await agent.approveToolCallGenerate({ runId })
  expect(asked.pendingCalls).toMatchObject([{ toolCallId: 'call-act' }])
  const again = agent.approveToolCall({ runId, toolCallId: 'call-mid' })
  await expect(again).rejects.toMatchObject({ code: 'approval-decided' })
  // When the run is cancelled nothing of it is left open.
  await agent.cancelRun(runId)
  const { items } = await agent.listApprovals({ runId })
  expect(items.map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
    ['call-mid', 'unknown'],
    ['call-act', 'cancelled'],
  ])
})

test('B7.2 another agent can not cancel a run, also while this process works on it', async () => {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<string>()
  const execute = (): Promise<string> => {
    begun.resolve()
    return gate.promise
  }
  const { tool } = gatedTool({ execute: execute as never, requireApproval: false })
  const models = scriptedModels(chainScript(1))
  const other = new Agent({ id: 'other', model: 'none/none', instructions: '' })
  const sup = chain(1, { act: tool })(models)
  const app = new Retinue({ agents: { sup, other }, storage: new InMemoryStorage() })
  const running = app.getAgent('sup').generate('Go', { durable: true, runId: 'run' })
  await begun.promise
  await expect(app.getAgent('other').cancelRun('run')).rejects.toMatchObject({ code: 'run-busy' })
  gate.resolve('done')
  expect(await running).toMatchObject({ text: 'acted', finishReason: 'stop' })
})

test('B7.3 a child that was opened again and has not gone on yet is saved where it stopped', async () => {
  const { tool } = gatedTool()
  const quick = createTool({ id: 'quick', requireApproval: true, execute: () => 'done' }) as Tool
  const make: MakeTree = (models) => {
    const mid = (key: string) => new Agent({ id: 'mid', description: 'd', model: models.at(key), tools: { act: tool } })
    return new Agent({ id: 'sup', model: models.at('sup'), tools: { quick }, agents: { a: mid('a'), b: mid('b') } })
  }
  const script = {
    sup: [{ calls: [call('a', 'a', { prompt: 'P' }), call('q', 'quick'), call('b', 'b', { prompt: 'P' })] }],
    a: [{ calls: [call('ca', 'act')] }],
    b: [{ calls: [call('cb', 'act')] }],
  }
  for (let write = 1; write <= 8; write++) {
    const processes = new Processes(script)
    const { runId } = await processes.start(make).generate('Go', { durable: true })
    const dying = new MortalProcess()
    dying.dieAt(write, 'after')
    const app = new Retinue({ agents: { sup: make(processes.models) }, storage: dying.storage(processes.storage) })
    const deciding = app.getAgent('sup').approveToolCallGenerate({ runId, toolCallId: 'q' })
    while (dying.alive && (await Promise.race([deciding, new Promise((go) => setImmediate(go, 'go'))])) === 'go') {}
    await leaseIsOver(processes.storage, runId)
    const { pendingCalls } = await processes.start(make).resumeRunGenerate({ runId })
    const ids = pendingCalls?.map(({ toolCallId }) => toolCallId).filter((id) => id !== 'q')
    expect([write, ids?.toSorted()]).toEqual([write, ['ca', 'cb']])
  }
})
