import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { scriptedModel, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { ownerOf } from '../test-support/owner.ts'
import { kept } from '../test-support/said.ts'
import { Memory } from './index.ts'

const on = { thread: 't1', resource: 'u1' }

test('B6.5 the thread keeps the answer that output processors left, also of a run that ended with calls', async () => {
  const memory = new Memory({ storage: new InMemoryStorage() })
  const agent = new Agent({
    id: 'a',
    model: scriptedModel([{ text: 'the secret', calls: [{ name: 'look', args: {} }] }]),
    tools: { look: createTool({ id: 'look', execute: () => 'seen' }) },
    outputProcessors: [{ id: 'guard', processOutputResult: () => 'hidden' }],
    memory,
  })
  const { text } = await agent.generate('go', { memory: on, stopWhen: () => true })
  expect(text).toBe('hidden')
  expect(JSON.stringify(await kept(memory, 't1', 'u1'))).not.toContain('secret')
})

test('B6.6 a thread takes the threads below it with it, also those below an agent that remembers nothing', async () => {
  const storage = new InMemoryStorage()
  const memory = new Memory({ storage })
  const models = scriptedModels({
    a: [{ calls: [{ name: 'b', args: { prompt: 'x' } }] }, { text: 'done' }],
    'a/b': [{ calls: [{ name: 'c', args: { prompt: 'y' } }] }, { text: 'done' }],
    'a/b/c': [{ text: 'deep' }],
  })
  const c = new Agent({ id: 'c', description: 'd', memory, model: models.at('a/b/c') })
  const b = new Agent({ id: 'b', description: 'd', agents: { c }, model: models.at('a/b') })
  const a = new Agent({ id: 'a', agents: { b }, memory, model: models.at('a') })
  await a.generate('go', { memory: on })
  const below = async () => (await storage.threads.list({ resourceId: ownerOf('u1', 'b', 'c') })).items.length
  expect(await below()).toBe(1)
  await memory.deleteThread({ threadId: 't1', resourceId: 'u1' })
  expect(await below()).toBe(0)
})

test('B6.6 a thread takes its background tasks with it, whatever they stand at, and no others', async () => {
  const storage = new InMemoryStorage()
  const memory = new Memory({ storage })
  const run = { rootRunId: 'r', parentTree: 'r', parentRunId: 'r', agentId: 'a', path: ['a'], tells: 'thread' as const }
  const call = { toolName: 'b', toolCallId: 'c', args: null, terms: null, at: 1 }
  for (const threadId of ['t1', 't2']) {
    await memory.createThread({ threadId, resourceId: 'u1' })
    for (const status of ['running', 'completed'] as const) {
      const taskId = `${status} of ${threadId}`
      await storage.tasks.create({ taskId, ...run, ...call, threadId, resourceId: 'u1' })
      await storage.tasks.change({ taskId, from: ['pending'], to: status, at: 2 })
    }
  }
  await memory.deleteThread({ threadId: 't1', resourceId: 'u1' })
  const { items } = await storage.tasks.list({})
  expect(items.map(({ taskId }) => taskId)).toEqual(['running of t2', 'completed of t2'])
})
