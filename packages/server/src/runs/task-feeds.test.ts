import type { Chunk } from '@retinue/core/agent'
import { expect, test, vi } from 'vitest'
import { TaskFeeds } from './task-feeds.ts'

const chunk = { type: 'text-end', runId: 'r', from: 'AGENT', path: [], payload: { id: 't' } } as unknown as Chunk

/** Watches that end when they are told to. */
function watches() {
  const open = new Map<string, AbortSignal>()
  async function* watch(taskId: string, signal: AbortSignal): AsyncGenerator<Chunk> {
    open.set(taskId, signal)
    try {
      yield chunk
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    } finally {
      open.delete(taskId)
    }
  }
  return { open, watch }
}

const turns = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

test('R27 what a task tells is watched once, and let go when nobody has read it for some minutes', async () => {
  vi.useFakeTimers()
  try {
    const { open, watch } = watches()
    const feeds = new TaskFeeds(watch, () => {})
    const [one, other] = [feeds.join('t1'), feeds.join('t1')]
    await turns()
    expect([open.size, one.feed === other.feed, one.feed.log.end.seq]).toEqual([1, true, 1])
    one.leave()
    one.leave()
    vi.advanceTimersByTime(400_000)
    expect(feeds.size).toBe(1)
    other.leave()
    vi.advanceTimersByTime(200_000)
    feeds.join('t1').leave()
    vi.advanceTimersByTime(200_000)
    expect(feeds.get('t1')).toBe(one.feed)
    vi.advanceTimersByTime(200_000)
    await turns()
    expect([feeds.size, open.size]).toEqual([0, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('R27 feeds that nobody reads are let go where there are too many, and those that are read never', async () => {
  const { open, watch } = watches()
  const feeds = new TaskFeeds(watch, () => {})
  const read = feeds.join('read')
  for (let n = 0; n < 500; n++) feeds.join(`t${n}`).leave()
  await turns()
  expect([feeds.size, open.size, feeds.get('read')]).toEqual([200, 200, read.feed])
  feeds.close()
  await turns()
  expect([feeds.size, open.size]).toEqual([0, 0])
})

test('a watch that fails is told, and who reads it comes back to a new one', async () => {
  const told: string[] = []
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no')) }) }
  const feeds = new TaskFeeds(
    () => failing,
    (code) => void told.push(code),
  )
  const { feed, leave } = feeds.join('t1')
  await turns()
  expect([told, feeds.size, feed.log.isOpen]).toEqual([['events-not-read'], 0, false])
  leave()
})
