import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import type { RememberedMessage } from '@retinue/core/memory'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage, InMemoryVectors } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { describe, expect, test } from 'vitest'
import { wordEmbedder } from '../test-support/embedder.ts'
import { Memory, type MemoryOptions } from './index.ts'

const key = { threadId: 't1', resourceId: 'u1' }
const on = { thread: 't1', resource: 'u1' }

const ui = (id: string, text: string) => ({ id, role: 'user' as const, parts: [{ type: 'text', text }] })

async function kept(memory: Memory): Promise<readonly RememberedMessage[]> {
  return (await memory.recall(key)).messages
}

const texts = (messages: readonly RememberedMessage[]): string[] =>
  messages.map(({ content }) =>
    (content as { text?: string; type: string }[]).map((part) => part.text ?? part.type).join(),
  )

function asking(answers: string[], more: MemoryOptions = {}, inputProcessors?: Processor[]) {
  const memory = new Memory({ storage: new InMemoryStorage(), ...more })
  const model = scriptedModel(answers.map((text) => ({ text })))
  const agent = new Agent({ id: 'a', model, memory, ...(inputProcessors ? { inputProcessors } : {}) })
  return { memory, model, agent }
}

describe('B6.5 a run in the place of earlier turns', () => {
  test('a message is kept under its id where the call says so, once, with its run; and is read by it', async () => {
    const { memory, agent } = asking(['a1', 'a2', 'a3'])
    const { runId } = await agent.generate([ui('m1', 'q1')], { memory: { ...on, keepMessageIds: true } })
    await agent.generate([ui('m1', 'q1')], { memory: { ...on, keepMessageIds: true } })
    const messages = await kept(memory)
    expect([texts(messages), messages[0]?.id]).toEqual([['q1', 'a1', 'a2'], 'm1'])
    expect(messages.slice(0, 2).map((message) => message.runId)).toEqual([runId, runId])
    expect(await memory.getMessage({ ...key, messageId: 'm1' })).toEqual(messages[0])
    await expect(memory.getMessage({ ...key, messageId: 'no' })).rejects.toMatchObject({ code: 'message-not-found' })
    await expect(memory.getMessage({ ...key, resourceId: 'u2', messageId: 'm1' })).rejects.toMatchObject({
      code: 'thread-not-found',
    })
    // Else each has a new one: whoever uses an id twice loses nothing.
    await agent.generate([ui('m1', 'q3')], { memory: on })
    expect(texts(await kept(memory)).slice(3)).toEqual(['q3', 'a3'])
  })

  test.each([
    ['at once', undefined],
    ['after its processors', [{ id: 'loud', processInput: ({ messages }) => messages }] satisfies Processor[]],
  ])('what it says is kept %s, in their place', async (_when, processors) => {
    const { memory, model, agent } = asking(['a1', 'a2', 'a3'], {}, processors)
    const asked = { ...on, keepMessageIds: true }
    await agent.generate([ui('m1', 'q1')], { memory: asked })
    await agent.generate([ui('m2', 'q2')], { memory: asked })
    await agent.generate([ui('m1', 'q1, anew')], { memory: { ...asked, replaceFrom: 'm1' } })
    const messages = await kept(memory)
    expect([texts(messages), messages[0]?.id]).toEqual([['q1, anew', 'a3'], 'm1'])
    expect(model.calls.at(-1)?.text).not.toMatch(/q2|a1|a2/)
  })

  test('what is deleted is found by nobody, by its meaning or by its words', async () => {
    const vector = new InMemoryVectors()
    const embedder = wordEmbedder({ animals: ['dog', 'cat'] })
    const options = { semanticRecall: true }
    const { memory, agent } = asking(['A dog.', 'Fine.', 'Good.'], { vector, embedder, options })
    const asked = { ...on, keepMessageIds: true }
    await agent.generate([ui('m1', 'My dog?')], { memory: asked })
    await agent.generate([ui('m2', 'My cat?')], { memory: asked })
    await memory.settled()
    const found = async () => {
      const query = { vector: [1, 1], topK: 9, filter: { resourceId: 'u1' } }
      return (await vector.query(query)).map(({ metadata }) => metadata['messageId'])
    }
    expect(await found()).toHaveLength(4)
    await agent.generate([ui('m2', 'Hello?')], { memory: { ...asked, replaceFrom: 'm2' } })
    await memory.settled()
    const ids = (await kept(memory)).map(({ id }) => id)
    expect((await found()).every((id) => ids.includes(String(id)))).toBe(true)
  })

  test('options that say nothing that can be done are refused, and nothing changes', async () => {
    const { memory, agent } = asking(['a1'])
    await agent.generate('q1', { memory: on })
    const [question, answer] = await kept(memory)
    const from = (replaceFrom: unknown, more: object = {}) =>
      agent.generate('q2', { memory: { ...on, ...more, replaceFrom: replaceFrom as string } })
    await expect(from('no')).rejects.toMatchObject({ code: 'message-not-found' })
    await expect(from(answer?.id)).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(from('')).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(from(7)).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(from(question?.id, { resource: 'u2' })).rejects.toMatchObject({ code: 'thread-not-found' })
    for (const busyTimeoutMs of [0, -1, '1', Number.NaN])
      await expect(from(question?.id, { busyTimeoutMs })).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(from(question?.id, { keepMessageIds: 'yes' })).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(from(question?.id, { options: { readOnly: true } })).rejects.toMatchObject({ code: 'option-invalid' })
    const readOnly = new Memory({ storage: memory.storage, options: { readOnly: true } })
    const reader = new Agent({ id: 'r', model: scriptedModel([]), memory: readOnly })
    await expect(reader.generate('q2', { memory: { ...on, replaceFrom: 'm' } })).rejects.toMatchObject({
      code: 'option-invalid',
    })
    expect(texts(await kept(memory))).toEqual(['q1', 'a1'])
  })

  test('R01 it does not begin while another process works on a run of those turns, and nothing is deleted', async () => {
    const storage = new InMemoryStorage()
    const memory = new Memory({ storage })
    const pay = createTool({ id: 'pay', requireApproval: true, execute: () => 'paid' })
    const model = scriptedModel([{ calls: [{ name: 'pay', args: {} }] }, { text: 'Fine.' }])
    const agent = new Agent({ id: 'a', model, memory, tools: { pay } }).within({ storage })
    const { runId } = await agent.generate('Pay.', { memory: on })
    const [question] = await kept(memory)
    const at = Date.now()
    await storage.runs.acquire({ runId, holder: 'other', until: at + 60_000, at })
    const anew = () => agent.generate('Wait.', { memory: { ...on, replaceFrom: question?.id as string } })
    await expect(anew()).rejects.toMatchObject({ code: 'run-busy' })
    expect(await kept(memory)).toHaveLength(2)
    await storage.runs.release({ runId, holder: 'other' })
    expect((await anew()).text).toBe('Fine.')
    expect(texts(await kept(memory))).toEqual(['Wait.', 'Fine.'])
    expect((await storage.approvals.list({ runId })).items.map(({ status }) => status)).toEqual(['cancelled'])
  })

  test('B9.3 of its background tasks those that are detached go on, and the others end', async () => {
    for (const detached of [true, false]) {
      const works = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const dig = createTool({
        id: 'dig',
        execute: async () => {
          begin()
          await works.promise
          return 'gold'
        },
      })
      const memory = new Memory()
      const model = scriptedModel([{ calls: [{ name: 'dig', args: {} }] }, { text: 'I dig.' }, { text: 'Fine.' }])
      const digger = new Agent({
        id: 'a',
        model,
        memory,
        tools: { dig },
        backgroundTasks: { tools: { dig: { detached } } },
      })
      const storage = new InMemoryStorage()
      const app = new Retinue({ agents: { digger }, storage, backgroundTasks: { enabled: true } })
      const agent = app.getAgentById('a')
      await agent.generate('Dig.', { memory: on })
      await begun
      const own = await agent.getMemory()
      const [question] = (await own?.recall(key))?.messages ?? []
      await agent.generate('Do not.', { memory: { ...on, replaceFrom: question?.id as string } })
      works.resolve()
      await app.tasks.settled()
      expect((await app.tasks.list()).items).toMatchObject([{ status: detached ? 'completed' : 'cancelled' }])
      expect(texts((await own?.recall(key))?.messages ?? [])).toEqual(['Do not.', 'Fine.'])
    }
  })

  test('R26 where it can’t be written, what was said is there, and can be said anew later', async () => {
    const storage = new InMemoryStorage()
    const memory = new Memory({ storage })
    const model = scriptedModel([{ text: 'a1' }, { text: 'a2' }])
    const agent = new Agent({ id: 'a', model, memory })
    await agent.generate('q1', { memory: on })
    const { beginTurn } = storage.threads
    const [question] = await kept(memory)
    const anew = () => agent.generate('q2', { memory: { ...on, replaceFrom: question?.id as string } })
    storage.threads.beginTurn = () => Promise.reject(new Error('the disk is full'))
    await expect(anew()).rejects.toThrow('the disk is full')
    storage.threads.beginTurn = beginTurn
    expect(texts(await kept(memory))).toEqual(['q1', 'a1'])
    await anew()
    expect(texts(await kept(memory))).toEqual(['q2', 'a2'])
  })

  test('R26 whoever is aborted before it is written deletes nothing; while it is being written, it is waited for and told', async () => {
    const { memory, agent } = asking(['a1', 'a2'])
    await agent.generate('q1', { memory: on })
    const [question] = await kept(memory)
    const { threads } = memory.storage
    const { beginTurn, listNeighbours } = threads
    const [looking, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const anew = (text: string, abortSignal: AbortSignal) =>
      agent.generate(text, { memory: { ...on, replaceFrom: question?.id as string }, abortSignal })
    threads.listNeighbours = async (query) => {
      looking.resolve()
      await looked.promise
      return listNeighbours.call(threads, query)
    }
    const before = new AbortController()
    const first = anew('q2', before.signal)
    await looking.promise
    before.abort()
    looked.resolve()
    expect((await first).finishReason).toBe('aborted')
    expect(texts(await kept(memory))).toEqual(['q1', 'a1'])
    const [writing, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    threads.beginTurn = async (turn) => {
      writing.resolve()
      await written.promise
      return beginTurn.call(threads, turn)
    }
    const during = new AbortController()
    const ended: string[] = []
    const second = anew('q3', during.signal).finally(() => void ended.push('second'))
    await writing.promise
    during.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toEqual([])
    written.resolve()
    expect((await second).finishReason).toBe('aborted')
    expect(texts(await kept(memory))).toEqual(['q3'])
  })
})
