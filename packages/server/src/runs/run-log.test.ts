import type { Chunk } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { holds, type Property, type Random } from '../../test-support/core.ts'
import { isDelta } from './deltas.ts'
import { START } from './event-id.ts'
import type { RunEvent } from './log-entry.ts'
import { LogWriter } from './log-writer.ts'
import { EventReader } from './read-events.ts'
import { RunLog } from './run-log.ts'
import { TrackedRun } from './tracked-run.ts'

/** A chunk of one of two runs that speak at the same time. */
function randomChunk(random: Random): Chunk {
  const runId = random.pick(['r1', 'r2'])
  const place = { runId, from: 'AGENT', path: [runId] } as const
  const id = random.pick(['t1', 't2'])
  return random.pick<() => Chunk>([
    () => ({ ...place, type: 'text-delta', payload: { id, text: random.pick(['a', 'bc', '', '😀', 'é\n']) } }),
    () => ({ ...place, type: 'text-delta', payload: { id: 't1', text: 'x' } }),
    () => ({ ...place, type: 'reasoning-delta', payload: { id, text: 'hm' } }),
    () => ({ ...place, type: 'tool-call-delta', payload: { toolCallId: id, argsTextDelta: '{"' } }),
    () => ({ ...place, type: 'text-end', payload: { id } }),
    () => ({ ...place, type: 'source', payload: { sourceType: 'url', id, url: 'https://a.example' } }),
  ])()
}

/** Chunks with what is said in one go as one. */
function merged(chunks: readonly Chunk[]): unknown[] {
  const all: { key: string; text: string }[] = []
  for (const chunk of chunks) {
    const { type, runId, payload } = chunk
    const { text, argsTextDelta, ...rest } = payload as Record<string, unknown>
    const key = JSON.stringify([type, runId, rest])
    const said = String(text ?? argsTextDelta ?? '')
    const last = all.at(-1)
    if (isDelta(chunk) && last?.key === key) last.text += said
    else all.push({ key, text: said })
  }
  return all
}

/** All that there is after a place. */
async function readAll(reader: EventReader): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  do {
    for (let event = reader.take(); event; event = reader.take()) events.push(event)
  } while (!reader.isAtEnd && (await reader.wait()))
  return events
}

const resumed: Property = {
  name: 'S30 R09 who goes on after any event has it all, and nothing twice',
  unit: 'logs that are read in two parts',
  check: async (random, tally) => {
    const storage = new InMemoryStorage()
    await storage.runs.save({ runId: 'r1', agentId: 'a', status: 'running', body: 1, expectedVersion: 0, at: 1 })
    const log = new RunLog()
    const chunks: Chunk[] = []
    // What a reader had read, at each moment at which it may have lost its connection.
    const reads: { at: RunEvent; chunks: Chunk[] }[] = []
    const writer = new LogWriter(storage, 'r1', log, START, (thrown) => {
      throw thrown
    })
    let live: Chunk[] = []
    let place = START
    for (let leg = 1; leg <= random.between(1, 3); leg++) {
      log.beginLeg(leg * 10)
      for (let i = random.between(1, 600); i > 0; i--) {
        const chunk = randomChunk(random)
        chunks.push(chunk)
        log.append(chunk)
        if (random.chance(0.02)) await writer.flush()
        if (!random.chance(0.3)) continue
        for (let event = log.next(place); event; event = log.next(place)) {
          place = event
          live = [...live, event.chunk]
          reads.push({ at: event, chunks: live })
        }
      }
      log.endLeg()
    }
    await writer.flush()
    const run = new TrackedRun('r1', { agentId: 'a' }, 1)
    Object.defineProperty(run, 'log', { value: log })
    const { at, chunks: read } = random.pick(reads.length > 0 ? reads : [{ at: START as RunEvent, chunks: [] }])
    // The same from what this process knows, and from what is stored.
    for (const known of [run, undefined]) {
      const rest = await readAll(new EventReader(storage, 'r1', known, at))
      expect(merged([...read, ...rest.map(({ chunk }) => chunk)])).toEqual(merged(chunks))
      tally(known ? 'known' : 'stored')
    }
  },
}

test('S30 R09 who goes on after any event has it all, and nothing twice', async () => {
  const kinds = await holds(resumed, { seed: 1, count: 30 })
  expect(kinds).toEqual({ known: 30, stored: 30 })
})

test('B8.5 a log costs what its text costs, and a reader that lags gets more at once instead of more events', () => {
  const log = new RunLog()
  const delta = {
    type: 'text-delta',
    runId: 'r',
    from: 'AGENT',
    path: ['r'],
    payload: { id: 't', text: 'ab' },
  } as const
  log.beginLeg(1)
  let place = START
  let events = 0
  for (let i = 1; i <= 100_000; i++) {
    log.append(delta)
    // A reader that is up to date, through a long text.
    if (i > 99_000) {
      const event = log.next(place)
      if (event) [place, events] = [event, events + 1]
    }
  }
  expect(events).toBe(1_000)
  // Some text at once, and not all of it: whoever reads slowly holds in memory what it was handed.
  const entries = log.entriesAfter(START)
  expect(entries.length).toBeLessThan(20)
  const texts = entries.map((entry) => (entry.after(0).chunk.payload as { text: string }).text)
  expect(texts.join('')).toBe('ab'.repeat(100_000))
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(17_000)
  const tail = log.next({ leg: 1, seq: 99_999 })
  expect(tail?.chunk).toEqual(delta)
  expect(log.next({ leg: 1, seq: 100_000 })).toBeUndefined()
})

test('R09 what can’t be written is told once, and holds up nobody', async () => {
  const storage = new InMemoryStorage()
  const told: unknown[] = []
  const log = new RunLog()
  const writer = new LogWriter(storage, 'r1', log, START, (thrown) => told.push(thrown))
  await storage.close()
  for (let i = 0; i < 3; i++) {
    log.append({ type: 'text-end', runId: 'r1', from: 'AGENT', path: [], payload: { id: 't' } })
    await writer.flush()
  }
  expect(told).toMatchObject([{ code: 'storage-closed' }])
})

test('rows hold a bounded part of what a run tells', async () => {
  const storage = new InMemoryStorage()
  await storage.runs.save({ runId: 'r1', agentId: 'a', status: 'running', body: 1, expectedVersion: 0, at: 1 })
  const log = new RunLog()
  const writer = new LogWriter(storage, 'r1', log, START, () => {})
  log.beginLeg(1)
  for (let i = 0; i < 50; i++)
    log.append({
      ...{ type: 'tool-output', runId: 'r1', from: 'USER', path: [] },
      payload: { output: 'x'.repeat(10_000), toolCallId: 'c', toolName: 'n' },
    })
  await writer.flush()
  const { items } = await storage.runs.listEvents({ runId: 'r1' })
  expect(items.length).toBeGreaterThan(5)
  const lengths = items.map(({ body }) => JSON.stringify(body).length)
  expect(Math.max(...lengths)).toBeLessThan(90_000)
  expect(items.map(({ first, last }) => last - first + 1).reduce((sum, count) => sum + count)).toBe(50)
})
