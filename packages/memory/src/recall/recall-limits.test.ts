import { Agent } from '@retinue/core/agent'
import { InMemoryStorage, InMemoryVectors } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { wordEmbedder } from '../../test-support/embedder.ts'
import { warnings } from '../../test-support/warnings.ts'
import { Memory } from '../index.ts'

const on = { thread: 't1', resource: 'u1' }

/** A memory whose embedder is asked when the task is looked for, and neither answers nor heeds its signal. */
function hanging() {
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  const words = wordEmbedder({})
  const embedder = {
    ...words,
    doEmbed: ({ abortSignal }: Parameters<typeof words.doEmbed>[0]) => {
      asked.resolve(abortSignal)
      return new Promise<never>(() => {})
    },
  }
  const storage = new InMemoryStorage()
  const options = { semanticRecall: true }
  const memory = new Memory({ storage, vector: new InMemoryVectors(), embedder, options })
  return { memory, asked: asked.promise }
}

test('B6.1 recall waits 10 s for an embedder that does not answer; then it is told, and the run goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const heard = warnings()
  const { memory, asked } = hanging()
  const model = scriptedModel([{ text: 'x' }])
  const running = new Agent({ id: 'a', model, memory }).generate('dog?', { memory: on })
  const signal = await asked
  await vi.advanceTimersByTimeAsync(9_999)
  expect([signal?.aborted, model.calls.length]).toEqual([false, 0])
  await vi.advanceTimersByTimeAsync(1)
  expect((await running).text).toBe('x')
  expect(signal?.aborted).toBe(true)
  expect(heard).toEqual([{ code: 'memory-not-recalled', message: expect.stringContaining('longer than 10 s') }])
  // What is left is the time of the vectors of the run.
  expect(vi.getTimerCount()).toBe(1)
})

test('B6.1 an aborted run gives up its recall: the embedder is told, and nobody warned', async () => {
  const heard = warnings()
  const { memory, asked } = hanging()
  const abort = new AbortController()
  const agent = new Agent({ id: 'a', model: scriptedModel([]), memory })
  const running = agent.generate('dog?', { memory: on, abortSignal: abort.signal })
  const signal = await asked
  abort.abort()
  expect((await running).finishReason).toBe('aborted')
  expect(signal?.aborted).toBe(true)
  await new Promise(setImmediate)
  expect(heard).toEqual([])
})

test('B6.6 what was deleted behind the memory takes no place from what is still there', async () => {
  const storage = new InMemoryStorage()
  const memory = new Memory({
    storage,
    vector: new InMemoryVectors(),
    embedder: wordEmbedder({ animals: ['dog'] }),
    options: { semanticRecall: { topK: 2, messageRange: 0 }, lastMessages: false },
  })
  const model = scriptedModel(Array.from({ length: 13 }, () => ({ text: 'dog dog dog' })))
  const agent = new Agent({ id: 'a', model, memory })
  const ask = async (text: string, thread: string) => {
    await agent.generate(text, { memory: { thread, resource: 'u1' } })
    await memory.settled()
  }
  await ask('A dog, and much beside it.', 'stays')
  for (let n = 0; n < 11; n++) {
    await ask('dog dog dog', `gone-${n}`)
    await storage.threads.delete({ threadId: `gone-${n}`, resourceId: 'u1' })
  }
  await ask('dog?', 'new')
  const told = model.calls
    .at(-1)
    ?.text.split('\n')
    .filter((line) => line.startsWith('{'))
  expect(told?.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual([
    'A dog, and much beside it.',
    'dog dog dog',
  ])
})
