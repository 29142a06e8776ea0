import { Agent, type AgentOptions, type RunOptions } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { faultyStorage, scriptedModels } from '@retinue/core/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ownerOf } from '../test-support/owner.ts'
import { kept } from '../test-support/said.ts'
import { Memory, type MemorySettings } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const ask = (name: string, prompt: string) => ({ calls: [{ name, args: { prompt } }] })

/** A supervisor and a leaf that remember, and between them a child that does not. */
async function runThree(settings: MemorySettings, memoryOptions: NonNullable<RunOptions['memory']>['options'] = {}) {
  const storage = faultyStorage(new InMemoryStorage())
  const memory = new Memory({ storage })
  const leaf = new Agent({ id: 'leaf', description: 'Digs.', memory })
  const middle = new Agent({ id: 'middle', description: 'Finds.', agents: { leaf } })
  const top = new Agent({ id: 'top', agents: { middle }, memory: new Memory({ storage, options: settings }) })
  const models = scriptedModels({
    top: [ask('middle', 'find'), { text: 'final' }],
    'top/middle': [ask('leaf', 'dig'), { text: 'found' }],
    'top/middle/leaf': [{ text: 'gold' }],
  })
  await top.generate('q', { memory: { ...on, options: memoryOptions }, resolveModel: models.resolveModel })
  models.assertDone()
  return { storage, memory }
}

describe('through a child without a memory', () => {
  test('B6.3 the owner comes to its own child, whose thread stands under the root’s', async () => {
    const { storage, memory } = await runThree({})
    const { items } = await storage.threads.list({ resourceId: ownerOf('u1', 'middle', 'leaf') })
    expect(items.map(({ id }) => id)).toEqual([expect.stringMatching(/^t1-.{8,}-.{8,}$/)])
    expect(await kept(memory, items[0]?.id ?? '', 'u1-middle-leaf')).toEqual(['user: dig', 'assistant: gold'])
    expect((await storage.threads.list({ resourceId: ownerOf('u1', 'middle') })).items).toEqual([])
  })

  test.each<[string, MemorySettings, { readOnly?: boolean }]>([
    ['the call', {}, { readOnly: true }],
    ['the root’s memory', { readOnly: true }, {}],
  ])('B6.4 readOnly of %s comes to its own child: nothing at all is written', async (_name, settings, options) => {
    const { storage } = await runThree(settings, options)
    expect(storage.writes).toEqual([])
  })
})

describe('B6.2 a child that can’t begin leaves nothing open', () => {
  const boom = () => {
    throw new Error('down')
  }
  test.each<[string, (memory: Memory) => Partial<AgentOptions>]>([
    ['with a memory, for its instructions', (memory) => ({ memory, instructions: boom })],
    ['without one, for its instructions', () => ({ instructions: boom })],
    ['for its memory', () => ({ memory: boom })],
    ['for a price that is not known', (memory) => ({ memory, budget: { costUsd: 1 } })],
  ])('%s', async (_name, config) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const signal = new AbortController().signal
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const memory = new Memory({ storage: new InMemoryStorage() })
    const defaultOptions: RunOptions = { abortSignal: signal, timeout: { totalMs: 60_000 } }
    const child = new Agent({ id: 'c', description: 'd', defaultOptions, ...config(memory) })
    const top = new Agent({ id: 'top', agents: { child }, memory })
    const models = scriptedModels({ top: [ask('child', 'find'), { text: 'a1' }, { text: 'a2' }], 'top/child': [] })
    const { resolveModel } = models
    const first = await top.generate('q1', { memory: on, resolveModel })
    expect(first.text).toBe('a1')
    expect([vi.getTimerCount(), added.mock.calls.length - removed.mock.calls.length]).toEqual([0, 0])
    expect(added).toHaveBeenCalled()
    const next = await top.generate('q2', { memory: { ...on, onBusy: 'reject' }, resolveModel })
    expect(next.text).toBe('a2')
    expect(models.calls('top/child')).toEqual([])
  })
})
