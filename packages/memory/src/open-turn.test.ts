import { RequestContext } from '@retinue/core'
import type { KeptMessage, MemoryTurn } from '@retinue/core/memory'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { describe, expect, test } from 'vitest'
import { kept } from '../test-support/said.ts'
import { warnings } from '../test-support/warnings.ts'
import { Memory } from './index.ts'

const question = (id: string, text: string): KeptMessage => ({
  id,
  message: { role: 'user', content: [{ type: 'text', text }] },
})

function turn(more: Partial<MemoryTurn> = {}): MemoryTurn {
  return {
    runId: 'r1',
    threadId: 't1',
    resourceId: 'u1',
    messages: [],
    task: '',
    delegated: false,
    readOnly: false,
    options: undefined,
    requestContext: new RequestContext(),
    ...more,
  }
}

/** A storage that counts the calls of its threads, by name. */
function counting(storage: Storage): { readonly storage: Storage; readonly calls: string[] } {
  const calls: string[] = []
  const threads = new Proxy(storage.threads, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        return (member as (...args: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  const counted: Storage = {
    id: storage.id,
    threads,
    workingMemory: storage.workingMemory,
    runs: storage.runs,
    approvals: storage.approvals,
    tasks: storage.tasks,
    close: () => storage.close(),
  }
  return { storage: counted, calls }
}

describe('opening a thread for a run', () => {
  test('is one call of the storage, with notes and history, and one for what is kept later', async () => {
    const { storage, calls } = counting(new InMemoryStorage())
    const memory = new Memory({ storage, options: { workingMemory: { enabled: true } } })
    const opened = await memory.open(turn({ messages: [question('1', 'hi')] }))
    await opened.append([question('2', 'more'), question('3', 'and more')])
    await opened.append([])
    opened.ended()
    await memory.settled()
    expect(calls).toEqual(['beginTurn', 'append'])
  })

  test('B6.5 the same messages handed over twice are kept once', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    await memory.open(turn({ messages: [question('1', 'hi')] }))
    const opened = await memory.open(turn({ messages: [question('1', 'hi')] }))
    await opened.append([question('2', 'more')])
    await opened.append([question('2', 'more')])
    expect(await kept(memory, 't1', 'u1')).toEqual(['user: hi', 'user: more'])
    expect(opened.recalled).toEqual([])
  })

  test('the thread of a delegation is new: nothing is recalled of it', async () => {
    const memory = new Memory({ storage: new InMemoryStorage() })
    await memory.open(turn({ messages: [question('1', 'hi')] }))
    const { recalled } = await memory.open(turn({ messages: [question('2', 'hi')], delegated: true }))
    expect(recalled).toEqual([])
  })

  test('warnings go where the application wants them', async () => {
    const inProcess = warnings()
    const heard: string[] = []
    const memory = new Memory({ storage: new InMemoryStorage(), options: { semanticRecall: true } })
    const warn = (code: string): void => void heard.push(code)
    await memory.open(turn({ task: 'x', warn }))
    await memory.open(turn({ task: 'x' }))
    expect(heard).toEqual(['memory-recall-lexical'])
    expect(inProcess).toEqual([])
  })

  test('messages that nobody can read any more are told of, and the others recalled', async () => {
    const inner = new InMemoryStorage()
    const { storage } = counting(inner)
    const memory = new Memory({ storage })
    await memory.open(turn({ messages: [question('1', 'hi')] }))
    const begin = inner.threads.beginTurn.bind(inner.threads)
    inner.threads.beginTurn = async (begun) => ({
      ...(await begin(begun)),
      unreadable: [{ id: 'x', reason: 'damaged' }],
    })
    const heard = warnings()
    const { recalled } = await memory.open(turn())
    expect(recalled).toHaveLength(1)
    expect(heard.map(({ code }) => code)).toEqual(['memory-unreadable'])
  })
})
