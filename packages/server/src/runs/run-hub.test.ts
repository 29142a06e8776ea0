import type { Chunk, RunResult, RunStream } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { START } from './event-id.ts'
import { RunHub } from './run-hub.ts'

/** A run in progress of which a test says what it tells, and when it goes on. */
function legOf(ids: readonly string[], until: Promise<unknown>): RunStream {
  async function* events(): AsyncGenerator<Chunk> {
    for (const [index, id] of ids.entries()) {
      if (index === ids.length - 1) await until
      yield { type: 'text-end', runId: 'r', from: 'AGENT', path: ['r'], payload: { id } }
    }
  }
  const result = until.then(() => ({ runId: 'r', finishReason: 'stop' }) as RunResult)
  return { runId: 'r', isKept: false, events: events(), result, abort: () => {} } as unknown as RunStream
}

test('B7.1 a leg begins when that before it was read to its end: none of its events comes into another', async () => {
  const hub = new RunHub({ storage: new InMemoryStorage(), detachMs: 0, settled: async () => {}, warn: () => {} })
  const [late, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = await hub.track(legOf(['a', 'b'], late.promise), { agentId: 'sup' })
  const deciding = hub.track(legOf(['c', 'd'], later.promise), { agentId: 'sup' })
  late.resolve()
  const second = await deciding
  const { log } = second.run
  expect(log.isOpen).toBe(true)
  later.resolve()
  await second.result
  const told = log
    .entriesAfter(START)
    .map((entry) => entry.after(0))
    .map(({ leg, chunk }) => [leg, (chunk.payload as { id: string }).id])
  expect(told.map(([, id]) => id)).toEqual(['a', 'b', 'c', 'd'])
  expect(told.map(([leg]) => leg)).toEqual([first.from.leg, first.from.leg, second.from.leg, second.from.leg])
  expect(log.isOpen).toBe(false)
  expect(log.waiting).toBe(0)
})

test('S30 runs that have ended are let go when they are many, and those that go on are not', async () => {
  const hub = new RunHub({ storage: new InMemoryStorage(), detachMs: 0, settled: async () => {}, warn: () => {} })
  const done = Promise.resolve()
  const going = Object.assign(legOf(['a', 'b'], new Promise(() => {})), { runId: 'going' })
  await hub.track(going, { agentId: 'sup' })
  for (let i = 0; i < 700; i++) {
    const { result } = await hub.track(Object.assign(legOf(['a', 'b'], done), { runId: `r${i}` }), { agentId: 'sup' })
    await result
  }
  expect(hub.all().length).toBeLessThanOrEqual(501)
  expect(hub.get('going')).toBeDefined()
  expect(hub.get('r699')).toBeDefined()
  expect(hub.get('r0')).toBeUndefined()
})
