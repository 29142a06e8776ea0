import type { AgentMemory, RememberedMessage } from '@retinue/core/memory'
import { expect, test } from 'vitest'
import { answeredCalls, type KeptThread } from './answered-calls.ts'

type Kept = Pick<RememberedMessage, 'role' | 'content'>

const called = (id: string): Kept =>
  ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'locate', input: {} }] }) as Kept
const result = (id: string): Kept =>
  ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'locate', output: {} }] }) as Kept
const said = (role: 'user' | 'assistant'): Kept => ({ role, content: [{ type: 'text', text: 'Hi.' }] }) as Kept
const answer = (toolCallId: string, toolName?: string) => ({ type: 'tool-result', toolCallId, toolName, output: {} })

function threadOf(kept: readonly Kept[]): { readonly thread: KeptThread; readonly reads: number[] } {
  const reads: number[] = []
  const messages = kept.map((message, index) => ({ ...message, id: `m${index}`, sequence: index + 1, createdAt: 0 }))
  const recall: AgentMemory['recall'] = async ({ limit = 100, before = Number.POSITIVE_INFINITY }) => {
    const all = messages.filter(({ sequence }) => sequence < before)
    reads.push(limit)
    return { messages: all.slice(-limit) as RememberedMessage[], hasMore: all.length > limit, unreadable: [] }
  }
  return { thread: { memory: { recall } as AgentMemory, threadId: 't', resourceId: 'r' }, reads }
}

const own = new Set(['locate'])
const turns = (count: number): Kept[] => Array.from({ length: count }, () => [said('user'), said('assistant')]).flat()

test('a result that stands alone finds its call, however much was said since', async () => {
  const { thread, reads } = threadOf([said('user'), called('l1'), ...turns(120)])
  expect(await answeredCalls([answer('l1')], own, thread)).toEqual([answer('l1', 'locate')])
  expect(reads).toHaveLength(3)
  await expect(answeredCalls([answer('l2')], own, thread)).rejects.toMatchObject({ code: 'request-invalid' })
})

test('a history that a client repeats is looked up no further back than the last turn', async () => {
  const open = threadOf([said('user'), called('l1'), result('l1'), ...turns(120), called('l2')])
  const given = [answer('l1', 'locate'), answer('l2', 'locate')]
  expect(await answeredCalls(given, own, open.thread)).toEqual([answer('l2', 'locate')])
  expect(open.reads).toHaveLength(1)
  const long = threadOf([said('user'), called('l1'), ...Array.from({ length: 240 }, () => said('assistant'))])
  expect(await answeredCalls([answer('l1', 'locate')], own, long.thread)).toHaveLength(1)
})

test('of two calls with one id the last is the one that is answered', async () => {
  const again = threadOf([said('user'), called('l1'), result('l1'), said('user'), called('l1')])
  expect(await answeredCalls([answer('l1')], own, again.thread)).toEqual([answer('l1', 'locate')])
  const done = threadOf([said('user'), called('l1'), said('user'), called('l1'), result('l1')])
  await expect(answeredCalls([answer('l1')], own, done.thread)).rejects.toThrow('has been answered')
  expect(await answeredCalls([answer('l1', 'locate')], own, done.thread)).toEqual([])
})
