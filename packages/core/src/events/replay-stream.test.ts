import { expect, test } from 'vitest'
import type { Chunk } from './chunk.ts'
import { EventLog } from './event-log.ts'
import { ReplayStream } from './replay-stream.ts'

const note = (data: number): Chunk => ({ type: 'data-n', runId: 'r', from: 'USER', path: [], payload: { data } })

function logOf(count: number): EventLog {
  const log = new EventLog()
  for (let n = 1; n <= count; n++) log.push(note(n))
  return log
}

test('B8.1 it can be read twice, as an iterable and as a web stream', async () => {
  const log = logOf(3)
  log.close()
  const stream = new ReplayStream(() =>
    log.read((chunk) => ('data' in chunk.payload ? (chunk.payload.data as number) : undefined)),
  )
  const twice: number[] = []
  for await (const n of stream) twice.push(n)
  for await (const n of stream.toReadableStream()) twice.push(n)
  expect(twice).toEqual([1, 2, 3, 1, 2, 3])
  expect(
    await new Response(
      stream.pipeThrough(new TransformStream({ transform: (n, to) => to.enqueue(new TextEncoder().encode(`${n}`)) })),
    ).text(),
  ).toBe('123')
})

test('B8.5 cancelling its web stream releases the reader and ends nothing', async () => {
  const log = logOf(2)
  const reader = new ReplayStream(() => log.read()).getReader()
  expect((await reader.read()).value).toEqual(note(1))
  await reader.cancel()
  expect(log.readers).toBe(0)
  log.push(note(3))
  expect(log.length).toBe(3)
})
