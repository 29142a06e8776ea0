import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { Memory } from './memory.ts'

const memory = { thread: 't', resource: 'ada' }

/** Processes over one storage: a supervisor that asks a child, whose tool a person has to decide. */
function processes(supTurns: number) {
  const storage = new InMemoryStorage()
  const models = scriptedModels({
    sup: [
      { text: 'I ask.', calls: [{ id: 'd', name: 'child', args: { prompt: 'find' } }] },
      ...Array.from({ length: supTurns }, () => ({ text: 'done' })),
    ],
    'sup/child': [{ calls: [{ id: 'act', name: 'act', args: {} }] }, { text: 'found' }],
  })
  const start = () => {
    const act = createTool({ id: 'act', requireApproval: true, execute: () => 'acted' })
    const child = new Agent({
      id: 'c',
      description: 'd',
      model: models.at('sup/child'),
      tools: { act },
      memory: new Memory(),
    })
    const sup = new Agent({ id: 'sup', model: models.at('sup'), agents: { child }, memory: new Memory() })
    return new Retinue({ agents: { sup, child }, storage: Object.create(storage) as InMemoryStorage, logger: false })
  }
  const said = async (thread: { threadId: string; resourceId: string }) => {
    const { messages } = await storage.threads.listMessages({ ...thread, limit: 100 })
    return messages.map(({ message }) => [message.role, JSON.stringify(message.content)])
  }
  return { start, said, models }
}

test('B6.4 B7.3 a run that waited and went on elsewhere is in its thread once, in order; its child has its prompt and its answer', async () => {
  const { start, said, models } = processes(1)
  const { runId } = await start().getAgent('sup').generate('Go', { memory })
  const before = await said({ threadId: 't', resourceId: 'ada' })
  expect(before.map(([role]) => role)).toEqual(['user', 'assistant'])
  const result = await start().getAgent('sup').approveToolCallGenerate({ runId })
  expect(result.text).toBe('done')
  const after = await said({ threadId: 't', resourceId: 'ada' })
  expect(after.slice(0, 2)).toEqual(before)
  expect(after.map(([role]) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  const envelope = result.toolResults[0]?.result as { subAgentThreadId: string; subAgentResourceId: string }
  const { subAgentThreadId: threadId, subAgentResourceId: resourceId } = envelope
  const childMemory = await start().getAgent('child').getMemory()
  const recalled = await childMemory?.recall({ threadId, resourceId })
  expect(recalled?.messages.map(({ role, content }) => [role, JSON.stringify(content)])).toEqual([
    ['user', expect.stringContaining('find')],
    ['assistant', expect.stringContaining('found')],
  ])
  models.assertDone()
})

test('B7.3 while a run waits its thread is free, and what is said in it is no part of the run', async () => {
  const { start, said, models } = processes(2)
  const app = start()
  const { runId } = await app.getAgent('sup').generate('Go', { memory })
  expect((await app.getAgent('sup').generate('Meanwhile?', { memory })).text).toBe('done')
  const result = await app.getAgent('sup').approveToolCallGenerate({ runId })
  expect(result.text).toBe('done')
  expect(models.calls('sup').at(-1)?.text).not.toContain('Meanwhile')
  const messages = await said({ threadId: 't', resourceId: 'ada' })
  expect(messages.filter(([, content]) => content?.includes('Meanwhile'))).toHaveLength(1)
  expect(new Set(messages.map(([role, content]) => `${role}${content}`)).size).toBe(messages.length - 1)
  // What comes next has a valid conversation to go on from: a strict model takes it.
  models.assertDone()
})

test('B6.6 a thread that is deleted takes the run along that waits in it: nothing brings it back', async () => {
  const { start, said } = processes(1)
  const app = start()
  const { runId } = await app.getAgent('sup').generate('Go', { memory })
  await (await app.getAgent('sup').getMemory())?.deleteThread({ threadId: 't', resourceId: 'ada' })
  expect((await app.getAgent('sup').listSuspendedRuns()).total).toBe(0)
  await expect(start().getAgent('sup').approveToolCall({ runId })).rejects.toMatchObject({ code: 'run-not-found' })
  await expect(said({ threadId: 't', resourceId: 'ada' })).rejects.toMatchObject({ code: 'thread-not-found' })
  expect((await app.getAgent('sup').listApprovals({ runId })).items).toMatchObject([{ status: 'cancelled' }])
})
