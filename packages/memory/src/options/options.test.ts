import { Agent } from '@retinue/core/agent'
import { InMemoryStorage, InMemoryVectors } from '@retinue/core/storage'
import { scriptedModel } from '@retinue/core/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { wordEmbedder } from '../../test-support/embedder.ts'
import { Memory } from '../index.ts'
import { mergedOptions } from './settings.ts'

const vector = new InMemoryVectors()
const embedder = wordEmbedder({})
const settings = (options: unknown): object => ({ options })

describe('B6.1 options that make no memory are typed errors', () => {
  for (const [given, code, names] of [
    [null, 'option-invalid', 'options'],
    [{ store: 1 }, 'option-unknown', 'store'],
    [{ storage: {} }, 'option-invalid', 'storage'],
    [{ vector: {}, embedder }, 'option-invalid', 'vector'],
    [{ vector, embedder: 'openai/text-embedding-3-small' }, 'option-invalid', 'embedder'],
    [{ vector }, 'option-invalid', 'embedder'],
    [{ embedder }, 'option-invalid', 'vector'],
    [{ embedder, ...settings({ semanticRecall: true }) }, 'option-invalid', 'vector'],
    [settings([]), 'option-invalid', 'options'],
    [settings({ lastMessage: 3 }), 'option-unknown', 'options.lastMessage'],
    [settings({ lastMessages: '10' }), 'option-invalid', 'options.lastMessages'],
    [settings({ lastMessages: -1 }), 'option-invalid', 'options.lastMessages'],
    [settings({ lastMessages: Number.POSITIVE_INFINITY }), 'option-invalid', 'options.lastMessages'],
    [settings({ lastMessages: true }), 'option-invalid', 'options.lastMessages'],
    [settings({ semanticRecall: 'yes' }), 'option-invalid', 'options.semanticRecall'],
    [settings({ semanticRecall: { topk: 1 } }), 'option-unknown', 'options.semanticRecall.topk'],
    [settings({ semanticRecall: { topK: 0 } }), 'option-invalid', 'options.semanticRecall.topK'],
    [settings({ semanticRecall: { messageRange: { before: 1 } } }), 'option-invalid', 'after'],
    [settings({ semanticRecall: { messageRange: -1 } }), 'option-invalid', 'messageRange'],
    [settings({ semanticRecall: { scope: 'all' } }), 'option-invalid', 'scope'],
    [settings({ workingMemory: true }), 'option-invalid', 'options.workingMemory'],
    [settings({ workingMemory: {} }), 'option-invalid', 'options.workingMemory.enabled'],
    [settings({ workingMemory: { enabled: true, template: 1 } }), 'option-invalid', 'template'],
    [settings({ workingMemory: { enabled: true, template: '', schema: {} } }), 'option-invalid', 'workingMemory'],
    [settings({ workingMemory: { enabled: true, schema: z.string() } }), 'option-invalid', 'workingMemory.schema'],
    [settings({ workingMemory: { enabled: true, schema: z.object({ at: z.date() }) } }), 'schema-unsupported', 'at'],
    [settings({ generateTitle: 'yes' }), 'option-invalid', 'options.generateTitle'],
    [settings({ generateTitle: { instructions: 'x' } }), 'option-invalid', 'options.generateTitle'],
    [settings({ readOnly: 1 }), 'option-invalid', 'options.readOnly'],
  ] as const) {
    test(`${JSON.stringify(given)?.slice(0, 70)}: ${code}, naming ${names}`, () => {
      let thrown: unknown
      try {
        new Memory(given as never)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toMatchObject({ code, message: expect.stringContaining(names) })
      expect((thrown as { hint?: string }).hint).toBeTruthy()
    })
  }

  test('those of a call are checked in the same way, before anything is written', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    const agent = new Agent({ id: 'a', model: scriptedModel([]), memory })
    const run = agent.generate('hi', { memory: { thread: 't', resource: 'u', options: { lastMesages: 3 } } })
    await expect(run).rejects.toMatchObject({
      code: 'option-unknown',
      data: { options: ['memory.options.lastMesages'] },
    })
    expect((await memory.listThreads({ resourceId: 'u' })).items).toEqual([])
  })

  test('all that is known is taken', () => {
    const options = {
      lastMessages: false,
      semanticRecall: { topK: 1, messageRange: { before: 0, after: 2 }, scope: 'thread' },
      workingMemory: { enabled: true, scope: 'thread', schema: z.object({}) },
      generateTitle: { model: 'openai/x', instructions: 'Name it.' },
      readOnly: false,
    } as const
    expect(() => new Memory({ storage: new InMemoryStorage(), vector, embedder, options })).not.toThrow()
  })
})

test('B6.1 a call that only turns a thing on or off leaves its details', () => {
  const own = { semanticRecall: { topK: 7 }, workingMemory: { enabled: true, template: 'T' }, lastMessages: 3 } as const
  expect(mergedOptions(own, { semanticRecall: true, workingMemory: { enabled: false } })).toEqual({
    semanticRecall: { topK: 7 },
    workingMemory: { enabled: false, template: 'T' },
    lastMessages: 3,
  })
  expect(mergedOptions(own, { semanticRecall: false }).semanticRecall).toBe(false)
  expect(mergedOptions(own, { semanticRecall: { scope: 'thread' } }).semanticRecall).toEqual({
    topK: 7,
    scope: 'thread',
  })
  expect(mergedOptions({}, { semanticRecall: true })).toEqual({ semanticRecall: true })
})
