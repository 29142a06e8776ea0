import { Agent, type DelegationEnvelope, type RunOptions } from '@retinue/core/agent'
import { InMemoryStorage, InMemoryVectors, type Storage } from '@retinue/core/storage'
import { faultyStorage, scriptedModel, scriptedModels } from '@retinue/core/testing'
import { LibSQLStore } from '@retinue/libsql'
import { describe, expect, test } from 'vitest'
import { wordEmbedder } from '../test-support/embedder.ts'
import { ownerOf } from '../test-support/owner.ts'
import { kept } from '../test-support/said.ts'
import { Memory, type MemoryOptions } from './index.ts'

const on = (resource: string, thread = `of ${resource}`) => ({ thread, resource })
const STORES = [
  ['in memory', () => new InMemoryStorage()],
  ['in a database', () => new LibSQLStore({ id: 's', url: ':memory:' })],
] as const

/** A run in which one agent delegates to another, which both remember with one memory. */
async function delegates(memory: Memory, key: string, resource: string | undefined, more: RunOptions = {}) {
  const child = new Agent({ id: 'child', description: 'Finds.', memory })
  const parent = new Agent({ id: 'parent', agents: { [key]: child }, memory })
  const { resolveModel } = scriptedModels({
    parent: [{ calls: [{ id: 'c', name: key, args: { prompt: `dog of ${resource}` } }] }, { text: 'x' }],
    [`parent/${key}`]: [{ text: `fact for ${resource}` }],
  })
  const result = await parent.generate('q', { ...(resource ? { memory: on(resource) } : {}), resolveModel, ...more })
  await memory.settled()
  const [envelope] = result.toolResults.map((each) => each.result as DelegationEnvelope)
  return { threadId: envelope?.subAgentThreadId ?? '', resourceId: envelope?.subAgentResourceId ?? '' }
}

/** What a model of a person's run is told of what was said and noted before. */
async function toldTo(memory: Memory, resource: string, text = 'dog?'): Promise<string> {
  const model = scriptedModel([{ text: 'x' }])
  await new Agent({ id: 'a', model, memory }).generate(text, { memory: on(resource, 'new') })
  await memory.settled()
  return model.calls[0]?.text ?? ''
}

describe('B6.3 access is checked on a stored owner', () => {
  for (const [where, make] of STORES) {
    const meaning = (): MemoryOptions => ({
      vector: new InMemoryVectors(),
      embedder: wordEmbedder({ animals: ['dog'] }),
    })
    for (const [how, options] of [
      ['by words', () => ({})],
      ['by meaning', meaning],
    ] as const)
      test(`${where}: a person who is called as the owner of a delegation’s thread finds nothing of it, ${how}`, async () => {
        const storage: Storage = make()
        const memory = new Memory({
          storage,
          ...options(),
          options: { semanticRecall: true, workingMemory: { enabled: true } },
        })
        const key = await delegates(memory, 'research', 'u1')
        expect(key.resourceId).toBe('u1-research')
        await storage.workingMemory.set({ resourceId: ownerOf('u1', 'research'), text: 'NOTE', at: 1 })
        const copy = await memory.cloneThread(key)
        await memory.settled()
        expect(copy.resourceId).toBe('u1-research')
        const told = await toldTo(memory, 'u1-research')
        expect([told.includes('dog of u1'), told.includes('fact for u1'), told.includes('NOTE')]).toEqual([
          false,
          false,
          false,
        ])
        const own = await memory.listThreads({ resourceId: 'u1-research' })
        expect(own.items.map(({ id }) => id)).toEqual(['new'])
        await storage.close()
      })

    test(`${where}: owners whose texts are the same are two`, async () => {
      const storage: Storage = make()
      const memory = new Memory({ storage, options: { semanticRecall: true } })
      const [one, other] = [await delegates(memory, 'b-c', 'a'), await delegates(memory, 'c', 'a-b')]
      expect([one.resourceId, other.resourceId]).toEqual(['a-b-c', 'a-b-c'])
      for (const [owner, fact] of [
        [ownerOf('a', 'b-c'), 'fact for a'],
        [ownerOf('a-b', 'c'), 'fact for a-b'],
      ] as const) {
        const { found } = await storage.threads.search({ resourceId: owner, query: 'fact', limit: 9 })
        expect(found.map(({ message }) => message.message.content)).toEqual([[{ type: 'text', text: fact }]])
      }
      await memory.deleteThread({ threadId: 'of a', resourceId: 'a' })
      await expect(memory.recall(one)).rejects.toMatchObject({ code: 'thread-not-found' })
      expect(await kept(memory, other.threadId, other.resourceId)).toEqual([
        'user: dog of a-b',
        'assistant: fact for a-b',
      ])
      await storage.close()
    })

    test(`${where}: a thread of a delegation is read, renamed and deleted by what its result tells`, async () => {
      const storage: Storage = make()
      const vector = new InMemoryVectors()
      const embedder = wordEmbedder({ animals: ['dog'] })
      const memory = new Memory({ storage, vector, embedder, options: { semanticRecall: true } })
      const key = await delegates(memory, 'research', 'u1')
      expect(await kept(memory, key.threadId, key.resourceId)).toEqual(['user: dog of u1', 'assistant: fact for u1'])
      expect(await memory.updateThread({ ...key, title: 'T' })).toMatchObject({ id: key.threadId, title: 'T' })
      expect(await memory.getThread(key)).toMatchObject({ resourceId: 'u1-research', title: 'T' })
      await memory.deleteThread(key)
      await expect(memory.getThread(key)).rejects.toMatchObject({ code: 'thread-not-found' })
      const filter = { resourceId: ownerOf('u1', 'research') }
      expect(await vector.query({ vector: [1, 1], topK: 9, filter })).toEqual([])
      await storage.close()
    })
  }

  test('nobody is called as the owner of a delegation’s thread, in no call', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    const { threadId } = await delegates(memory, 'research', 'u1')
    const key = { threadId, resourceId: ownerOf('u1', 'research') }
    const agent = new Agent({ id: 'a', model: scriptedModel([]), memory })
    const calls = [
      agent.generate('hi', { memory: { thread: threadId, resource: key.resourceId } }),
      memory.recall(key),
      memory.createThread(key),
      memory.getThread(key),
      memory.listThreads(key),
      memory.updateThread({ ...key, title: 'x' }),
      memory.deleteThread(key),
      memory.cloneThread(key),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'option-invalid' })
    expect(await kept(memory, threadId, 'u1-research')).toHaveLength(2)
  })

  test('every call is for one resource, also of those who are called as the owner, and of those above', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    const { threadId } = await delegates(memory, 'research', 'u1')
    for (const key of [
      { threadId, resourceId: 'u1' },
      { threadId, resourceId: 'u2' },
      { threadId, resourceId: 'research' },
      { threadId: 'of u1', resourceId: 'u1-research' },
      { threadId: 'of u1', resourceId: 'u2' },
    ]) {
      const agent = new Agent({ id: 'a', model: scriptedModel([]), memory })
      const on = { thread: key.threadId, resource: key.resourceId }
      for (const call of [
        () => agent.generate('hi', { memory: on }),
        () => memory.recall(key),
        () => memory.createThread(key),
        () => memory.getThread(key),
        () => memory.updateThread({ ...key, title: 'x' }),
        () => memory.deleteThread(key),
        () => memory.cloneThread(key),
        () => memory.cloneThread({ threadId: 'of u1', resourceId: 'u1', newThreadId: threadId }),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'thread-not-found' })
      expect((await memory.listThreads({ resourceId: 'u2' })).items).toEqual([])
    }
    // Not even who can read it goes on in it: what is said there is the child's.
    const run = { memory: { thread: threadId, resource: 'u1-research' } }
    const agent = new Agent({ id: 'a', model: scriptedModel([]), memory })
    await expect(agent.generate('hi', run)).rejects.toMatchObject({ code: 'thread-not-found' })
    expect(await kept(memory, threadId, 'u1-research')).toHaveLength(2)
  })
})

describe('B6.3 the thread of a delegation is fresh', () => {
  test('whatever the ids of runs and calls, with a thread above and without', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    for (const resource of ['u1', undefined]) {
      const keys = []
      for (let run = 0; run < 2; run++) keys.push(await delegates(memory, 'research', resource, { runId: 'r' }))
      expect(new Set(keys.map(({ threadId }) => threadId)).size).toBe(2)
      for (const { threadId, resourceId } of keys) expect(await kept(memory, threadId, resourceId)).toHaveLength(2)
    }
  })

  test('below the first level too, also where a model gives calls long or odd ids', async () => {
    for (const id of ['c'.repeat(600), 'c\0', 'c']) {
      const storage = new InMemoryStorage()
      const memory = new Memory({ storage })
      const leaf = new Agent({ id: 'leaf', description: 'Digs.', memory })
      const research = new Agent({ id: 'research', description: 'Finds.', agents: { leaf } })
      const top = new Agent({ id: 'top', agents: { research }, memory })
      const dig = { calls: [{ id, name: 'leaf', args: { prompt: 'dig' } }] }
      const find = { calls: [{ id, name: 'research', args: { prompt: 'find' } }] }
      for (const memoryOption of [{ memory: on('u1') }, {}]) {
        const { resolveModel } = scriptedModels({
          top: [find, { text: 'x' }],
          'top/research': [dig, dig, { text: 'y' }],
          'top/research/leaf': [{ text: 'one' }, { text: 'two' }],
        })
        const { toolResults } = await top.generate('q', { ...memoryOption, runId: 'r', resolveModel })
        expect(toolResults.map(({ result }) => (result as DelegationEnvelope).status)).toEqual(['completed'])
      }
      const { items } = await storage.threads.list({ resourceId: ownerOf('u1', 'research', 'leaf') })
      expect(items.map(({ id: threadId }) => /^of u1-.{8,}-.{8,}$/.test(threadId))).toEqual([true, true])
    }
  })
})

test('B6.2 ids of threads and resources that people choose have at most 256 characters', async () => {
  const memory = new Memory({ storage: new InMemoryStorage() })
  const [longest, tooLong] = ['x'.repeat(256), 'x'.repeat(257)]
  const key = await delegates(memory, 'research', longest.slice(3))
  expect(await kept(memory, key.threadId, key.resourceId)).toHaveLength(2)
  await memory.createThread({ threadId: longest, resourceId: longest })
  await memory.cloneThread({ threadId: longest, resourceId: longest, newThreadId: `y${longest.slice(1)}` })
  const agent = new Agent({ id: 'a', model: scriptedModel([]), memory })
  for (const call of [
    memory.createThread({ threadId: tooLong, resourceId: 'u1' }),
    memory.createThread({ resourceId: tooLong }),
    memory.cloneThread({ threadId: longest, resourceId: longest, newThreadId: tooLong }),
    agent.generate('hi', { memory: { thread: tooLong, resource: 'u1' } }),
    agent.generate('hi', { memory: { thread: { id: tooLong }, resource: 'u1' } }),
    agent.generate('hi', { memory: { thread: 't', resource: tooLong } }),
  ])
    await expect(call).rejects.toMatchObject({ code: 'option-invalid' })
})

test('B6.6 threads are deleted from the lowest up: one that fails in between can be deleted again', async () => {
  const inner = new InMemoryStorage()
  const memory = new Memory({ storage: inner })
  const child = await delegates(memory, 'research', 'u1')
  const parent = { threadId: 'of u1', resourceId: 'u1' }
  for (const at of [1, 2]) {
    const storage = faultyStorage(inner, { at, when: 'before', how: 'fail' })
    const failing = new Memory({ storage })
    await expect(failing.deleteThread(parent)).rejects.toMatchObject({ code: 'storage-failed' })
    expect(await memory.getThread(parent)).toMatchObject({ id: 'of u1' })
    const left = memory.getThread(child).then(
      () => true,
      () => false,
    )
    expect(await left).toBe(at === 1)
  }
  await memory.deleteThread(parent)
  await expect(memory.getThread(parent)).rejects.toMatchObject({ code: 'thread-not-found' })
})

test('B6.6 vectors go before the thread, so that what fails in between can be deleted again', async () => {
  class Failing extends InMemoryVectors {
    override async delete(): Promise<number> {
      throw new Error('down')
    }
  }
  const storage = new InMemoryStorage()
  const embedder = wordEmbedder({ animals: ['dog'] })
  const memory = new Memory({ storage, vector: new Failing(), embedder })
  await memory.createThread({ threadId: 't', resourceId: 'u1' })
  await expect(memory.deleteThread({ threadId: 't', resourceId: 'u1' })).rejects.toThrow('down')
  expect(await memory.getThread({ threadId: 't', resourceId: 'u1' })).toMatchObject({ id: 't' })
})

test('B6.1 notes of a thread are the thread’s: none of a delegation’s, of another thread or of a copy made before', async () => {
  const storage = new InMemoryStorage()
  const options = { workingMemory: { enabled: true, scope: 'thread' } } as const
  const memory = new Memory({ storage, options })
  const note = (text: string) => ({ calls: [{ name: 'updateWorkingMemory', args: { memory: text } }] })
  const child = new Agent({ id: 'child', description: 'Finds.', memory })
  const parent = new Agent({ id: 'parent', agents: { child }, memory })
  const { resolveModel, calls } = scriptedModels({
    parent: [note('PARENT'), { calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'x' }, { text: 'y' }],
    'parent/child': [note('CHILD'), { text: 'fact' }],
  })
  const result = await parent.generate('q', { memory: on('u1'), resolveModel })
  const copy = await memory.cloneThread({ threadId: 'of u1', resourceId: 'u1' })
  const [envelope] = result.toolResults.slice(-1).map((each) => each.result as DelegationEnvelope)
  const textOf = async (threadId: string, resourceId: string) =>
    (await storage.workingMemory.get({ threadId, resourceId }))?.text
  expect(await textOf('of u1', 'u1')).toBe('PARENT')
  expect(await textOf(copy.id, 'u1')).toBe('PARENT')
  expect(await textOf(envelope?.subAgentThreadId ?? '', 'u1-child')).toBe('CHILD')
  await parent.generate('q', { memory: on('u1', 'other'), resolveModel })
  expect(calls('parent').at(-1)?.text).not.toContain('PARENT')
})
