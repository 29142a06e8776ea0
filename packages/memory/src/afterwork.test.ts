import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage, InMemoryVectors, type VectorItem } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { wordEmbedder } from '../test-support/embedder.ts'
import { warnings } from '../test-support/warnings.ts'
import { Memory } from './index.ts'

const key = { threadId: 't1', resourceId: 'u1' }
const on = { thread: 't1', resource: 'u1' }

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Something that is asked, and answers once it is let. */
function gate() {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const wait = () => {
    asked.resolve()
    return answered.promise
  }
  return { asked: asked.promise, answer: () => answered.resolve(), wait }
}

/** A memory whose title model answers once it is let, and never heeds a signal. */
function naming() {
  const { asked, answer, wait } = gate()
  const model = scriptedModel([() => ({ text: 'T', after: wait() })])
  const memory = new Memory({ options: { generateTitle: { model } } })
  const agent = new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }]), memory })
  return { asked, answer, model, memory, agent }
}

/** A memory whose embedder answers once it is let, and never heeds a signal. */
function embedding(vector = new InMemoryVectors()) {
  const { asked, answer, wait } = gate()
  const signals: (AbortSignal | undefined)[] = []
  const words = wordEmbedder({ animals: ['dog'] }, { before: wait })
  const embedder = {
    ...words,
    doEmbed: (options: Parameters<typeof words.doEmbed>[0]) => {
      signals.push(options.abortSignal)
      return words.doEmbed(options)
    },
  }
  const storage = new InMemoryStorage()
  const memory = new Memory({ storage, vector, embedder, options: { semanticRecall: true } })
  const agent = new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }]), memory })
  const ask = () => agent.generate('A dog.', { memory: { ...on, options: { semanticRecall: false } } })
  const vectors = () => vector.query({ vector: [0, 1], topK: 999, filter: { resourceId: 'u1' } })
  return { asked, answer, signals, memory, ask, vectors }
}

/** Whether it is over yet. */
function watched(promise: Promise<void>): { ended: boolean } {
  const watch = { ended: false }
  void promise.then(() => {
    watch.ended = true
  })
  return watch
}

test('a title model that does not answer is given up after 60 s: a warning, and no title', async () => {
  fakeTimers()
  const { asked, answer, model, memory, agent } = naming()
  const storage = new InMemoryStorage()
  const told: string[] = []
  const logger = { warn: (message: string) => void told.push(message) }
  const app = new Retinue({ agents: { a: agent }, storage, logger })
  await app.getAgent('a').generate('hi', { memory: on })
  await asked
  const settled = watched(memory.settled())
  await vi.advanceTimersByTimeAsync(59_999)
  expect(settled.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(settled.ended).toBe(true)
  expect(model.calls[0]?.options.abortSignal?.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  expect(told).toEqual([expect.stringContaining('got no title of its own: it took longer than 60 s')])
  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect((await storage.threads.get(key)).title).toBeUndefined()
})

test('an embedder that does not answer is given up after 60 s: a warning, and no vectors', async () => {
  fakeTimers()
  const heard = warnings()
  const { asked, answer, signals, memory, ask, vectors } = embedding()
  await ask()
  await asked
  const settled = watched(memory.settled())
  await vi.advanceTimersByTimeAsync(59_999)
  expect(settled.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(settled.ended).toBe(true)
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  expect(vi.getTimerCount()).toBe(0)
  expect(heard).toEqual([{ code: 'memory-not-indexed', message: expect.stringContaining('longer than 60 s') }])
  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(await vectors()).toEqual([])
})

test('a vector store that does not answer is given up too, also by who deletes the thread', async () => {
  fakeTimers()
  const heard = warnings()
  const { asked, wait } = gate()
  class Hanging extends InMemoryVectors {
    override upsert(): Promise<void> {
      return wait()
    }
  }
  const { answer, memory, ask } = embedding(new Hanging())
  answer()
  await ask()
  await asked
  const deleted = watched(memory.deleteThread(key))
  await vi.advanceTimersByTimeAsync(59_999)
  expect(deleted.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(deleted.ended).toBe(true)
  expect(heard).toEqual([])
})

test('a thread of many pages has the 60 s for each of them', async () => {
  fakeTimers()
  const heard = warnings()
  const { memory, vectors } = slowly(40_000)
  await memory.createThread(key)
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'dog' }] }
  const messages = Array.from({ length: 250 }, (_none, index) => ({ id: `m${index}`, createdAt: 1, message }))
  await memory.storage.threads.append({ ...key, messages })
  await memory.cloneThread(key)
  const settled = watched(memory.settled())
  await vi.advanceTimersByTimeAsync(119_999)
  expect(settled.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(settled.ended).toBe(true)
  expect(await vectors()).toHaveLength(250)
  expect(heard).toEqual([])
})

function slowly(milliseconds: number) {
  const vector = new InMemoryVectors()
  const embedder = wordEmbedder(
    { animals: ['dog'] },
    { before: () => new Promise((resolve) => setTimeout(resolve, milliseconds)) },
  )
  const memory = new Memory({ storage: new InMemoryStorage(), vector, embedder, options: { semanticRecall: true } })
  const vectors = () => vector.query({ vector: [0, 1], topK: 999, filter: { resourceId: 'u1' } })
  return { memory, vectors }
}

test('B6.6 deleting a thread waits for no title, and one that comes later is given to nobody', async () => {
  const heard = warnings()
  const { asked, answer, model, memory, agent } = naming()
  await agent.generate('hi', { memory: on })
  await asked
  await memory.deleteThread(key)
  expect(model.calls[0]?.options.abortSignal?.aborted).toBe(true)
  await memory.createThread(key)
  answer()
  await memory.settled()
  await new Promise(setImmediate)
  expect((await memory.getThread(key)).title).toBeUndefined()
  expect(heard.map(({ code }) => code)).toEqual(['memory-in-process'])
})

test('B6.6 deleting a thread waits for no embedder, and vectors that come later are not kept', async () => {
  const heard = warnings()
  const { asked, answer, signals, memory, ask, vectors } = embedding()
  await ask()
  await asked
  await memory.deleteThread(key)
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  answer()
  await new Promise(setImmediate)
  expect(await vectors()).toEqual([])
  expect(heard).toEqual([])
})

test('B6.6 deleting a thread waits for vectors that are being written, and takes them along', async () => {
  const { asked, answer: write, wait } = gate()
  class Slow extends InMemoryVectors {
    override async upsert(items: readonly VectorItem[]): Promise<void> {
      await wait()
      return super.upsert(items)
    }
  }
  const { answer, memory, ask, vectors } = embedding(new Slow())
  answer()
  await ask()
  await asked
  const deleting = memory.deleteThread(key)
  await new Promise(setImmediate)
  write()
  await deleting
  await memory.settled()
  expect(await vectors()).toEqual([])
})

test('B6.6 deleting a thread gives up nothing of one with the same id in another storage', async () => {
  const { asked, answer, memory, agent } = naming()
  const [one, other] = [new InMemoryStorage(), new InMemoryStorage()]
  await new Retinue({ agents: { a: agent }, storage: one }).getAgent('a').generate('hi', { memory: on })
  await asked
  const view = memory.within(other)
  await view.createThread(key)
  await view.deleteThread(key)
  answer()
  await memory.settled()
  expect((await one.threads.get(key)).title).toBe('T')
})
