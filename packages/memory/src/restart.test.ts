import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { LibSQLStore, LibSQLVector } from '@retinue/libsql'
import { expect, onTestFinished, test } from 'vitest'
import { wordEmbedder } from '../test-support/embedder.ts'
import { kept } from '../test-support/said.ts'
import { Memory, type MemorySettings } from './index.ts'

const on = { thread: 't1', resource: 'u1' }
const look = createTool({ id: 'look', execute: () => 'seen' })
const use = { calls: [{ name: 'look', args: {} }] }

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-memory-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return `file:${join(folder, 'app.db')}`
}

/** An application over a file, as one process has it. `statements`: how many its storage was given, `BEGIN` and `COMMIT` included. */
function processOver(url: string, turns: readonly ScriptedTurn[], options: MemorySettings = {}) {
  const counted = { statements: 0 }
  const storage = new LibSQLStore({
    id: 's',
    url,
    wrapClient: (client) =>
      new Proxy(client, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key)
          if (typeof member !== 'function') return member
          return (...args: unknown[]) => {
            if (key === 'batch') counted.statements += (args[0] as unknown[]).length + 2
            if (key === 'execute') counted.statements += 1
            return (member as (...args: unknown[]) => unknown).apply(target, args)
          }
        },
      }),
  })
  const vector = new LibSQLVector({ id: 'v', url })
  const embedder = wordEmbedder({ animals: ['dog', 'puppy'], food: ['soup'] })
  const memory = new Memory({ vector, embedder, options })
  const model = scriptedModel(turns)
  const agents = { a: new Agent({ id: 'a', model, tools: { look }, memory }) }
  const app = new Retinue({ agents, storage })
  const end = async () => {
    await memory.settled()
    await vector.close()
    await storage.close()
  }
  return { agent: app.getAgent('a'), memory: memory.within(storage), model, counted, end }
}

test('B6.1 a conversation, its notes, its title and what it means outlast the process, in one file', async () => {
  const url = database()
  const options: MemorySettings = {
    workingMemory: { enabled: true },
    generateTitle: true,
    semanticRecall: { topK: 1, messageRange: 0 },
  }
  const note = { calls: [{ name: 'updateWorkingMemory', args: { memory: 'NOTED' } }] }
  const first = processOver(url, [note, { text: 'Bello it is.' }], options)
  await first.agent.generate('My dog is called Bello.', { memory: on })
  await first.end()
  const second = processOver(url, [{ text: 'x' }, { text: 'y' }], options)
  await second.agent.generate('Hello again.', { memory: on })
  expect(second.model.calls[0]?.text).toMatch(/NOTED[\s\S]*user: My dog is called Bello\.[\s\S]*user: Hello again\.$/)
  await second.agent.generate('What is the puppy called?', { memory: { thread: 't2', resource: 'u1' } })
  expect(second.model.calls[1]?.text).toContain('"text":"My dog is called Bello."')
  const { items } = await second.memory.listThreads({ resourceId: 'u1', order: 'updated' })
  expect(items.map(({ id }) => id)).toEqual(['t2', 't1'])
  expect(items[1]?.title).toBe('My dog is called Bello.')
  await second.end()
})

test('B6.5 what a process kept before it died is a valid conversation for the next', async () => {
  const url = database()
  // The process dies in a tool that never answers.
  const dying = processOver(url, [use])
  const stuck = createTool({ id: 'stuck', execute: () => new Promise(() => {}) })
  const started = Promise.withResolvers<void>()
  const agent = new Agent({
    id: 'a',
    model: scriptedModel([{ calls: [{ name: 'look', args: {} }] }, { calls: [{ name: 'stuck', args: {} }] }]),
    tools: { look, stuck },
    memory: dying.memory,
  })
  const abort = new AbortController()
  const running = agent.generate('go', {
    memory: on,
    abortSignal: abort.signal,
    onChunk: (chunk) => {
      if (chunk.type === 'tool-call' && chunk.payload.toolName === 'stuck') started.resolve()
    },
  })
  await started.promise
  const next = processOver(url, [{ text: 'ok' }])
  await next.agent.generate('Well?', { memory: on })
  expect(next.model.calls[0]?.text).toBe(
    'user: go\nassistant: look({})\ntool: seen\nassistant: stuck({})\ntool: No result of this call was recorded. It may or may not have run.\nuser: Well?',
  )
  abort.abort()
  await running
  await next.end()
  await dying.end()
})

test('PERFORMANCE a run of one step costs at most six statements, and a further step one transaction', async () => {
  const run = processOver(database(), [{ text: 'x' }, { text: 'y' }, use, { text: 'z' }])
  await run.agent.generate('warm', { memory: { thread: 't0', resource: 'u1' } })
  run.counted.statements = 0
  await run.agent.generate('one step', { memory: on })
  expect(run.counted.statements).toBeLessThanOrEqual(6)
  const one = run.counted.statements
  await run.agent.generate('two steps', { memory: on })
  // One statement that writes is a transaction of its own.
  expect(run.counted.statements - 2 * one).toBe(1)
  expect(await kept(run.memory, 't1', 'u1')).toHaveLength(6)
  await run.end()
})
