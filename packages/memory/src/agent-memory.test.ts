import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage } from '@retinue/core/storage'
import { scriptedModel, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { ownerOf } from '../test-support/owner.ts'
import { kept } from '../test-support/said.ts'
import { warnings } from '../test-support/warnings.ts'
import { Memory } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const look = createTool({ id: 'look', execute: () => 'seen' })
const delegate = { calls: [{ name: 'child', args: { prompt: 'find' } }] }

test('B6.5 nothing is kept twice where an input processor makes all messages anew', async () => {
  const memory = new Memory({ storage: new InMemoryStorage() })
  const model = scriptedModel([{ text: 'a1' }, { text: 'a2' }])
  const copying: Processor = { id: 'copy', processInput: ({ messages }) => messages.map((message) => ({ ...message })) }
  const agent = new Agent({ id: 'a', model, memory, inputProcessors: [copying] })
  await agent.generate('q1', { memory: on })
  await agent.generate('q2', { memory: on })
  expect(await kept(memory, 't1', 'u1')).toEqual(['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'])
})

test('B6.3 a child whose input processors see what it inherited keeps its prompt alone', async () => {
  const storage = new InMemoryStorage()
  const memory = new Memory({ storage })
  const passing: Processor = { id: 'pass', processInput: ({ messages }) => messages.slice() }
  const child = new Agent({ id: 'c', description: 'Finds.', memory, inputProcessors: [passing] })
  const agent = new Agent({ id: 's', memory, agents: { child } })
  const { resolveModel } = scriptedModels({ s: [delegate, { text: 'done' }], 's/child': [{ text: 'x' }] })
  await agent.generate('SECRET', { memory: on, resolveModel })
  const [thread] = (await storage.threads.list({ resourceId: ownerOf('u1', 'child') })).items
  expect(await kept(memory, thread?.id ?? '', 'u1-child')).toEqual(['user: find', 'assistant: x'])
})

test('B6.5 a call id that comes again in a later run, out of what was recalled, does not spoil the thread', async () => {
  const use = { calls: [{ id: 'c', name: 'look', args: {} }] }
  const memory = new Memory({ storage: new InMemoryStorage() })
  const model = scriptedModel([use, { text: 'a1' }, use, { text: 'a2' }, { text: 'a3' }])
  const agent = new Agent({ id: 'a', model, memory, tools: { look } })
  const short = { ...on, options: { lastMessages: false } }
  await agent.generate('q1', { memory: short })
  await agent.generate('q2', { memory: short })
  expect((await agent.generate('q3', { memory: on })).text).toBe('a3')
})

test('B6.2 a run that is aborted while it waits for its thread writes nothing into it', async () => {
  const memory = new Memory({ storage: new InMemoryStorage() })
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const model = scriptedModel([
    () => {
      started.resolve()
      return { calls: [{ name: 'look', args: {} }], after: gate.promise }
    },
    { text: 'a1' },
  ])
  const agent = new Agent({ id: 'a', memory, tools: { look }, model })
  const first = agent.generate('q1', { memory: on })
  await started.promise
  const abort = new AbortController()
  const second = agent.generate('q2', { memory: on, abortSignal: abort.signal })
  abort.abort()
  expect((await second).finishReason).toBe('aborted')
  gate.resolve()
  await first
  expect(await kept(memory, 't1', 'u1')).toEqual([
    'user: q1',
    'assistant: call look',
    'tool: result look',
    'assistant: a1',
  ])
})

test('B1.6 a toolset of the call that is called `memory` stays beside the memory’s own tools', async () => {
  const memory = new Memory({ storage: new InMemoryStorage(), options: { workingMemory: { enabled: true } } })
  const model = scriptedModel([{ text: 'x' }])
  await new Agent({ id: 'a', model, memory }).generate('q', { memory: on, toolsets: { memory: { look } } })
  expect(model.calls[0]?.tools).toEqual(['look', 'updateWorkingMemory'])
})

test('B6.4 under a read-only memory children write no threads either', async () => {
  const storage = new InMemoryStorage()
  const child = new Agent({ id: 'c', description: 'Finds.', memory: new Memory({ storage }) })
  const memory = new Memory({ storage, options: { readOnly: true } })
  const agent = new Agent({ id: 's', memory, agents: { child } })
  const { resolveModel } = scriptedModels({ s: [delegate, { text: 'done' }], 's/child': [{ text: 'x' }] })
  await agent.generate('SECRET', { memory: on, resolveModel })
  expect((await storage.threads.list({ resourceId: ownerOf('u1', 'child') })).items).toEqual([])
})

test('B1.11 warnings of a memory go to the application’s logger', async () => {
  const inProcess = warnings()
  const heard: string[] = []
  const memory = new Memory({ options: { semanticRecall: true } })
  const agents = { a: new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }]), memory }) }
  const logger = { warn: (message: string) => void heard.push(message) }
  await new Retinue({ agents, storage: new InMemoryStorage(), logger }).getAgent('a').generate('q', { memory: on })
  expect(heard).toEqual([expect.stringContaining('[memory-recall-lexical]')])
  expect(inProcess).toEqual([])
})

test('B6.1 that a memory keeps in the process is told to the application’s logger, whoever opens a thread first', async () => {
  const inProcess = warnings()
  const heard: string[] = []
  const memory = new Memory()
  const agents = { a: new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }, { text: 'y' }]), memory }) }
  const app = new Retinue({ agents, logger: { warn: (message: string) => void heard.push(message) } })
  for (const text of ['q1', 'q2']) await app.getAgent('a').generate(text, { memory: on })
  await memory.listThreads({ resourceId: 'u1' })
  expect(heard).toEqual([expect.stringContaining('[memory-in-process]')])
  expect(inProcess).toEqual([])
})
