import type { AgentOptions, DelegationEnvelope, RunOptions, RunResult } from '@retinue/core/agent'
import { Agent } from '@retinue/core/agent'
import type { Storage, StoredMessage } from '@retinue/core/storage'
import { InMemoryStorage } from '@retinue/core/storage'
import { type Script, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, test } from 'vitest'
import { ownerOf } from '../test-support/owner.ts'
import { kept } from '../test-support/said.ts'
import { Memory, type MemorySettings } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const ask = (key: string, prompt: string) => ({ name: key, args: { prompt } })
const RESEARCH = ownerOf('u1', 'research')
const look = createTool({ id: 'look', execute: () => 'seen' })

/** The messages of all threads of a resource, thread by thread, in the order in which the threads were made. */
async function threadsOf(storage: Storage, owner: string): Promise<{ id: string; messages: string[] }[]> {
  const { items } = await storage.threads.list({ resourceId: owner })
  const memory = new Memory({ storage })
  return Promise.all(
    items.toReversed().map(async ({ id, resourceId }) => ({ id, messages: await kept(memory, id, resourceId) })),
  )
}

interface Tree {
  readonly script: Script
  readonly settings?: MemorySettings
  readonly child?: Partial<AgentOptions>
  readonly path?: 'generate' | 'stream'
  readonly options?: RunOptions
  readonly inputs?: readonly string[]
}

/** A supervisor and what is below it, all with the same memory, over one storage. */
async function runTree({
  script,
  settings = {},
  child = {},
  path = 'generate',
  options = {},
  inputs = ['SECRET question'],
}: Tree) {
  const storage = new InMemoryStorage()
  const memory = new Memory({ storage, options: settings })
  const leaf = new Agent({ id: 'leaf', description: 'Digs.', memory })
  const research = new Agent({
    id: 'research',
    description: 'Finds.',
    agents: { leaf },
    tools: { look },
    memory,
    ...child,
  })
  const supervisor = new Agent({ id: 'supervisor', agents: { research }, memory })
  const models = scriptedModels(script)
  const run: RunOptions = { memory: on, resolveModel: models.resolveModel, maxRetries: 0, ...options }
  let result: RunResult | undefined
  for (const input of inputs) {
    result = await (path === 'generate'
      ? supervisor.generate(input, run)
      : (await supervisor.stream(input, run)).result)
  }
  models.assertDone()
  return { storage, memory, models, result }
}

describe('B6.3 isolation', () => {
  for (const path of ['generate', 'stream'] as const) {
    test(`${path}: a child keeps its prompt and its answer in a fresh thread each time; its parent its own messages`, async () => {
      const { storage } = await runTree({
        path,
        script: {
          supervisor: [
            { calls: [ask('research', 'find one')] },
            { calls: [ask('research', 'find two')] },
            { text: 'final' },
          ],
          'supervisor/research': [
            { text: 'Let me look.', calls: [{ name: 'look', args: {} }] },
            { text: 'fact one' },
            { text: 'fact two' },
          ],
        },
      })
      const children = await threadsOf(storage, RESEARCH)
      expect(children.map(({ messages }) => messages)).toEqual([
        ['user: find one', 'assistant: fact one'],
        ['user: find two', 'assistant: fact two'],
      ])
      expect(children.every(({ id }) => /^t1-.{8,}/.test(id))).toBe(true)
      expect(await threadsOf(storage, 'u1')).toEqual([
        {
          id: 't1',
          messages: [
            'user: SECRET question',
            'assistant: call research',
            'tool: result research',
            'assistant: call research',
            'tool: result research',
            'assistant: final',
          ],
        },
      ])
    })
  }

  test('nested: each level has a thread of its own, under the level above', async () => {
    const { storage } = await runTree({
      script: {
        supervisor: [{ calls: [ask('research', 'find')] }, { text: 'final' }],
        'supervisor/research': [{ calls: [ask('leaf', 'dig')] }, { text: 'found' }],
        'supervisor/research/leaf': [{ text: 'gold' }],
      },
    })
    const [middle] = await threadsOf(storage, RESEARCH)
    const [lowest] = await threadsOf(storage, ownerOf('u1', 'research', 'leaf'))
    expect(middle?.messages).toEqual(['user: find', 'assistant: found'])
    expect(lowest?.messages).toEqual(['user: dig', 'assistant: gold'])
    expect(lowest?.id.startsWith(`${middle?.id}-`)).toBe(true)
  })

  test('parallel: two delegations to the same child do not meet', async () => {
    const { storage } = await runTree({
      script: {
        supervisor: [{ calls: [ask('research', 'one'), ask('research', 'two')] }, { text: 'final' }],
        'supervisor/research': [
          ({ text }) => ({ text: `re: ${text.split('\n').at(-1)}` }),
          ({ text }) => ({ text: `re: ${text.split('\n').at(-1)}` }),
        ],
      },
    })
    const children = (await threadsOf(storage, RESEARCH)).map(({ messages }) => messages)
    expect(children.toSorted()).toEqual([
      ['user: one', 'assistant: re: user: one'],
      ['user: two', 'assistant: re: user: two'],
    ])
  })

  test('a child that fails keeps its prompt; one that is rejected has no thread', async () => {
    const script = { supervisor: [{ calls: [ask('research', 'find')] }, { text: 'final' }] }
    const failed = await runTree({ script: { ...script, 'supervisor/research': [new Error('broken')] } })
    expect((await threadsOf(failed.storage, RESEARCH)).map(({ messages }) => messages)).toEqual([['user: find']])
    const rejected = await runTree({
      script,
      options: { delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'no' }) } },
    })
    expect(await threadsOf(rejected.storage, RESEARCH)).toEqual([])
    for (const { storage } of [failed, rejected]) {
      expect((await threadsOf(storage, 'u1'))[0]?.messages).toEqual([
        'user: SECRET question',
        'assistant: call research',
        'tool: result research',
        'assistant: final',
      ])
    }
  })

  test('aborted while the child works: both threads have what was said, and no answer', async () => {
    const abort = new AbortController()
    const { storage } = await runTree({
      path: 'stream',
      options: { abortSignal: abort.signal },
      script: {
        supervisor: [{ calls: [ask('research', 'find')] }],
        'supervisor/research': [
          () => {
            abort.abort()
            return new Promise(() => {})
          },
        ],
      },
    })
    expect((await threadsOf(storage, RESEARCH)).map(({ messages }) => messages)).toEqual([['user: find']])
    const [own] = await threadsOf(storage, 'u1')
    expect(own?.messages.slice(0, 2)).toEqual(['user: SECRET question', 'assistant: call research'])
    expect(own?.messages.filter((message) => message.startsWith('assistant'))).toHaveLength(1)
  })

  test('a prompt that a hook modified is the one that is kept; feedback goes to the parent’s thread, once', async () => {
    const { storage } = await runTree({
      options: {
        delegation: {
          onDelegationStart: () => ({ modifiedPrompt: 'find better' }),
          onDelegationComplete: () => ({ feedback: 'Check it.' }),
        },
      },
      script: {
        supervisor: [{ calls: [ask('research', 'find')] }, { text: 'final' }],
        'supervisor/research': [{ text: 'fact' }],
      },
    })
    expect((await threadsOf(storage, RESEARCH))[0]?.messages).toEqual(['user: find better', 'assistant: fact'])
    expect((await threadsOf(storage, 'u1'))[0]?.messages.filter((each) => each.includes('Check it.'))).toHaveLength(1)
  })

  test('without a parent resource no two delegations share a bucket', async () => {
    const { memory, result } = await runTree({
      options: { memory: undefined as never },
      script: {
        supervisor: [{ calls: [ask('research', 'one'), ask('research', 'two')] }, { text: 'final' }],
        'supervisor/research': [{ text: 'a' }, { text: 'b' }],
      },
    })
    const envelopes = result?.toolResults.map((each) => each.result as DelegationEnvelope) ?? []
    const ids = envelopes.map(
      ({ subAgentThreadId, subAgentResourceId }) => [subAgentThreadId, subAgentResourceId] as const,
    )
    expect(new Set(ids.flatMap(([threadId]) => threadId)).size).toBe(2)
    expect(new Set(ids.flatMap(([, resourceId]) => resourceId)).size).toBe(2)
    const [one, two] = await Promise.all(ids.map(([threadId, resourceId = '']) => kept(memory, threadId, resourceId)))
    expect([one, two]).toEqual([
      ['user: one', 'assistant: a'],
      ['user: two', 'assistant: b'],
    ])
  })

  test('B6.4 a child without a memory of its own keeps nothing', async () => {
    const { storage } = await runTree({
      child: { memory: undefined as never },
      script: {
        supervisor: [{ calls: [ask('research', 'find')] }, { text: 'final' }],
        'supervisor/research': [{ text: 'fact' }],
      },
    })
    expect(await threadsOf(storage, RESEARCH)).toEqual([])
  })

  test('B6.4 readOnly of the call: no thread, no feedback, no child’s thread', async () => {
    const { storage } = await runTree({
      options: {
        memory: { ...on, options: { readOnly: true } },
        delegation: { onDelegationComplete: () => ({ feedback: 'Check it.' }) },
      },
      script: {
        supervisor: [{ calls: [ask('research', 'find')] }, { text: 'final' }],
        'supervisor/research': [{ text: 'fact' }],
      },
    })
    for (const resource of ['u1', RESEARCH]) expect(await threadsOf(storage, resource)).toEqual([])
  })
})

test('S10 no phantom user messages: each turn has one of the person’s, and a later prompt none of a delegation’s', async () => {
  const turn = [{ calls: [ask('research', 'DELEGATED')] }, { text: 'final' }]
  const { storage, models } = await runTree({
    inputs: ['q1', 'q2', 'q3'],
    settings: { lastMessages: 100 },
    script: {
      supervisor: [...turn, ...turn, { text: 'enough' }],
      'supervisor/research': [{ text: 'fact' }, { text: 'fact' }],
    },
  })
  const [own] = await threadsOf(storage, 'u1')
  expect(own?.messages.filter((each) => each.startsWith('user'))).toEqual(['user: q1', 'user: q2', 'user: q3'])
  expect(own?.messages).toHaveLength(10)
  const last = models.calls('supervisor').at(-1)
  const outsideCalls = last?.text.split('\n').filter((line) => !line.startsWith('assistant: research('))
  expect(outsideCalls?.some((line) => line.includes('DELEGATED'))).toBe(false)
  expect((await threadsOf(storage, RESEARCH)).map(({ messages }) => messages.length)).toEqual([2, 2])
})

test('S09 a child’s working memory is its own: parent and child with the same memory write and read different ones', async () => {
  const note = (memory: string) => ({ calls: [{ name: 'updateWorkingMemory', args: { memory } }] })
  const { storage, models } = await runTree({
    settings: { workingMemory: { enabled: true, template: '# TEMPLATE' } },
    inputs: ['q1', 'q2'],
    script: {
      supervisor: [
        note('PARENT before'),
        { calls: [ask('research', 'one'), ask('research', 'two')] },
        note('PARENT after'),
        { text: 'final' },
        { calls: [ask('research', 'three')] },
        { text: 'final' },
      ],
      'supervisor/research': [note('CHILD'), { text: 'x' }, { text: 'y' }, { text: 'z' }],
    },
  })
  const text = async (resourceId: string) => (await storage.workingMemory.get({ resourceId }))?.text
  expect(await text('u1')).toBe('PARENT after')
  expect(await text(RESEARCH)).toBe('CHILD')
  const [first] = models.calls('supervisor/research')
  expect(first?.text).toContain('# TEMPLATE')
  expect(models.calls('supervisor/research').some((call) => call.text.includes('PARENT'))).toBe(false)
  expect(models.calls('supervisor/research').at(-1)?.text).toContain('CHILD')
  expect(models.calls('supervisor').some((call) => call.text.includes('CHILD'))).toBe(false)
  expect(models.calls('supervisor').at(-1)?.text).toContain('PARENT after')
})

test('B6.5 nothing is kept twice, and messages stand in the order in which they were said', async () => {
  const { storage } = await runTree({
    inputs: ['q1', 'q2'],
    script: {
      supervisor: [
        { calls: [ask('research', 'one'), ask('research', 'two')] },
        { text: 'final' },
        { calls: [ask('research', 'three')] },
        { text: 'last' },
      ],
      'supervisor/research': [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
    },
  })
  const { messages } = await storage.threads.listMessages({ threadId: 't1', resourceId: 'u1', limit: 100 })
  const sequences = messages.map(({ sequence }: StoredMessage) => sequence)
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other))
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
  expect(await kept(new Memory({ storage }), 't1', 'u1')).toEqual([
    'user: q1',
    'assistant: call research | call research',
    'tool: result research | result research',
    'assistant: final',
    'user: q2',
    'assistant: call research',
    'tool: result research',
    'assistant: last',
  ])
})
