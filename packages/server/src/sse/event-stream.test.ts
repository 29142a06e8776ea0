import { expect, test } from 'vitest'
import { StreamReader } from '../../test-support/read-stream.ts'
import { eventStream, type Source } from './event-stream.ts'

/** A source that always has more; `taken` counts what was taken of it. */
function endless(): Source<string> & { taken: number; hasLeft: boolean } {
  return {
    taken: 0,
    hasLeft: false,
    take() {
      this.taken += 1
      return 'x'.repeat(1_000)
    },
    wait: async () => true,
    leave() {
      this.hasLeft = true
    },
  }
}

const frame = (item: string): string => `data: ${item}\n\n`

test('S30 R10 of a reader that stands still nothing more is taken than it was handed', async () => {
  const source = endless()
  let left = 0
  const response = eventStream({
    source,
    encode: frame,
    heartbeatMs: 15_000,
    ending: new AbortController().signal,
    left: () => {
      left += 1
    },
  })
  const reader = response.body?.getReader()
  await reader?.read()
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(source.taken).toBeLessThan(60)
  await reader?.cancel()
  expect([source.hasLeft, left]).toEqual([true, 1])
})

test('S30 a stream ends when the server does, in the middle of a wait, and says no last words', async () => {
  const ending = new AbortController()
  const waiting = Promise.withResolvers<boolean>()
  const source: Source<string> = {
    take: () => undefined,
    wait: () => waiting.promise,
    leave: () => waiting.resolve(false),
  }
  let left = 0
  const response = eventStream({
    source,
    encode: frame,
    head: 'retry: 1\n\n',
    tail: () => 'data: [DONE]\n\n',
    heartbeatMs: 15_000,
    ending: ending.signal,
    left: () => {
      left += 1
    },
  })
  const rest = new StreamReader(response).rest()
  ending.abort()
  expect([await rest, left]).toEqual([[], 1])
})

test('a source that fails ends the stream with its error, and lets go of what it held', async () => {
  let left = 0
  const response = eventStream<string>({
    source: { take: () => undefined, wait: () => Promise.reject(new Error('the disk is gone')), leave: () => {} },
    encode: frame,
    heartbeatMs: 15_000,
    ending: new AbortController().signal,
    left: () => {
      left += 1
    },
  })
  await expect(new StreamReader(response).rest()).rejects.toThrow('the disk is gone')
  expect(left).toBe(1)
})
