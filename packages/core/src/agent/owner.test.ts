import { expect, test } from 'vitest'
import { ask, team } from '../../test-support/background-team.ts'
import { gatedTool } from '../../test-support/gated-tree.ts'
import { typedError } from '../../test-support/typed-error.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage } from '../storage/in-memory-storage.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'
import { Agent } from './agent.ts'

function waiting() {
  const pay = createTool({ id: 'pay', requireApproval: true, execute: () => 'paid' })
  const ask = { calls: [{ id: 'c1', name: 'pay', args: {} }] }
  const model = scriptedModel([ask, { text: 'Paid.' }])
  const storage = new InMemoryStorage()
  const agent = new Agent({ id: 'clerk', model, tools: { pay } })
  const app = new Retinue({ agents: { agent }, storage, logger: false })
  return { agent: app.getAgent('agent'), storage }
}

test('B7.2 a run without a conversation has the owner that its call names, and so has what it asks', async () => {
  const { agent, storage } = waiting()
  const { runId } = await agent.generate('Pay.', { owner: 'ada' })
  expect((await storage.runs.list({ resourceId: 'ada' })).items).toMatchObject([{ runId }])
  expect((await storage.approvals.list({ resourceId: 'ada' })).items).toMatchObject([{ runId, toolCallId: 'c1' }])
  expect((await agent.listSuspendedRuns({ resourceId: 'bob' })).total).toBe(0)
  expect(await agent.approveToolCallGenerate({ runId })).toMatchObject({ text: 'Paid.' })
})

test('B9 a background task, and what it asks, has the owner of its run, also after the run has stopped', async () => {
  const { tool } = gatedTool()
  const gated = { id: 'act-1', name: 'act', args: { to: 'bob' } }
  const { sup, app } = team(
    {
      sup: [{ calls: [gated] }, { calls: [ask('a')] }, { text: 'It waits.' }],
      'sup/a': [{ calls: [{ ...gated, id: 'act-2' }] }],
    },
    { sup: { tools: { act: tool } }, children: { a: { tools: { act: tool } } }, storage: new InMemoryStorage() },
  )
  const { runId } = await sup.generate('Go.', { owner: 'ada' })
  const stream = await sup.approveToolCall({ runId })
  await stream.result
  const [task] = (await app.tasks.list({ resourceId: 'ada' })).items
  expect(task).toMatchObject({ rootRunId: runId, resourceId: 'ada', status: 'suspended' })
  expect(task).not.toHaveProperty('threadId')
  expect(await app.tasks.questions({ resourceId: 'ada' })).toMatchObject([{ toolCallId: 'act-2' }])
  expect(await app.tasks.questions({ resourceId: 'bob' })).toEqual([])
})

test('B7.3 a conversation has an owner of its own', async () => {
  const { agent, storage } = waiting()
  await agent.generate('Pay.', { owner: 'ada', memory: { thread: 't1', resource: 'bob' } })
  expect((await storage.runs.list({})).items).toMatchObject([{ threadId: 't1', resourceId: 'bob' }])
})

test('B1.6 an owner that is none is refused', async () => {
  const { agent } = waiting()
  for (const owner of [
    '',
    ' ',
    7,
    'x'.repeat(300),
    'retinue.delegation:1:a:b',
    'retinue.schedule:a/b',
    'retinue.schedules',
  ])
    expect((await typedError(agent.generate('Pay.', { owner: owner as string }))).code).toBe('option-invalid')
})

test('B7.4 a stream knows whether its run survives a crash', async () => {
  for (const durable of [false, true]) {
    const { agent } = waiting()
    const stream = await agent.stream('Pay.', { durable })
    expect(stream.isKept).toBe(durable)
    await stream.result
  }
})
