import { describe, expect, test } from 'vitest'
import { longLog } from '../../test-support/properties/long-log.ts'
import { holds } from '../../test-support/property.ts'
import { Random } from '../../test-support/random.ts'
import type { Chunk } from './chunk.ts'
import { EventLog } from './event-log.ts'

const base = { runId: 'run', from: 'AGENT', path: ['sup'] } as const

function note(data: unknown, runId = 'run'): Chunk {
  return { ...base, runId, type: 'data-note', payload: { data } }
}

function delta(text: string, id = 't', runId = 'run'): Chunk {
  return { ...base, runId, type: 'text-delta', payload: { id, text } }
}

const finish = (runId = 'run'): Chunk => ({ ...base, runId, type: 'finish', payload: {} as never })

async function rest(reader: AsyncIterator<Chunk, undefined>): Promise<Chunk[]> {
  const out: Chunk[] = []
  for (;;) {
    const { done, value } = await reader.next()
    if (done) return out
    out.push(value)
  }
}

describe('B8.1 readers of a log', () => {
  test('B8.1 every reader gets all of it from the start, whenever it comes', async () => {
    const log = new EventLog()
    const early = rest(log.read())
    log.push(note(1))
    const middle = rest(log.read())
    log.push(note(2))
    log.close()
    const late = rest(log.read())
    for (const reader of [early, middle, late])
      expect((await reader).map(({ payload }) => payload)).toEqual([{ data: 1 }, { data: 2 }])
    expect(log.readers).toBe(0)
  })

  test('B8.1 calls of next() that come before the chunks are answered in order', async () => {
    const log = new EventLog()
    const reader = log.read()
    const asked = [reader.next(), reader.next(), reader.next()]
    log.push(note(1))
    log.push(note(2))
    log.close()
    expect(await Promise.all(asked)).toEqual([
      { done: false, value: note(1) },
      { done: false, value: note(2) },
      { done: true, value: undefined },
    ])
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  test('B8.5 a reader that leaves is released, also while it waits, and ends nothing', async () => {
    const log = new EventLog()
    const [leaver, stayer] = [log.read(), log.read()]
    const waiting = leaver.next()
    await leaver.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(log.readers).toBe(1)
    log.push(note(1))
    expect(await leaver.next()).toEqual({ done: true, value: undefined })
    expect(await stayer.next()).toEqual({ done: false, value: note(1) })
  })

  test('B8.5 a reader that breaks off a loop is released', async () => {
    const log = new EventLog()
    log.push(note(1))
    for await (const _chunk of { [Symbol.asyncIterator]: () => log.read() }) break
    expect(log.readers).toBe(0)
  })

  test('B8.1 a converting reader passes over what becomes nothing; one that throws hurts only its reader', async () => {
    const log = new EventLog()
    const numbers = log.read(({ payload }) =>
      'data' in payload && typeof payload.data === 'number' ? payload.data * 2 : undefined,
    )
    const broken = log.read(() => {
      throw new Error('bad reader')
    })
    const waiting = broken.next()
    expect(() => log.push(note(1))).not.toThrow()
    log.push(note('x'))
    log.push(note(3))
    log.close()
    await expect(waiting).rejects.toThrow('bad reader')
    await expect(broken.next()).rejects.toThrow('bad reader')
    expect(await numbers.next()).toEqual({ done: false, value: 2 })
    expect(await numbers.next()).toEqual({ done: false, value: 6 })
    expect((await numbers.next()).done).toBe(true)
  })

  test('B8.4 the root’s finish is the last chunk; a child’s is not', async () => {
    const log = new EventLog()
    log.addScope('child', { toolCallId: 'c', toolName: 'n', parentRunId: 'run', path: ['sup', 'n'] })
    const live = rest(log.read())
    log.push(finish('child'))
    log.push(note('still open'))
    log.push(finish())
    log.push(note('too late'))
    expect((await live).map(({ type }) => type)).toEqual(['finish', 'data-note', 'finish'])
    expect(log.length).toBe(3)
  })
})

/** What a reader can tell: the text of each block, and all chunks that are no deltas, in order. */
function told(chunks: readonly Chunk[]): { texts: Record<string, string>; others: unknown[] } {
  const texts: Record<string, string> = {}
  const others: unknown[] = []
  const generation: Record<string, number> = {}
  for (const { type, runId, payload } of chunks) {
    const { id, toolCallId, text, argsTextDelta } = payload as Record<string, string>
    const block = `${runId} ${type.split('-')[0]} ${id ?? toolCallId}`
    if (type.endsWith('-start')) generation[block] = (generation[block] ?? 0) + 1
    if (type.endsWith('-delta')) {
      const key = `${block} ${generation[block]}`
      texts[key] = (texts[key] ?? '') + (text ?? argsTextDelta)
    } else others.push({ type, runId, payload })
  }
  return { texts, others }
}

describe('B8.5 merging', () => {
  test('B8.5 R10 200,000 one-token chunks stay few, and a late reader gets the same text', async () => {
    const log = new EventLog()
    log.push({ ...base, type: 'text-start', payload: { id: 't' } })
    let peak = 0
    for (let n = 0; n < 200_000; n++) {
      log.push(delta(`${n % 10}`))
      peak = Math.max(peak, log.length)
    }
    log.push({ ...base, type: 'text-end', payload: { id: 't' } })
    log.close()
    expect(peak).toBeLessThan(11_000)
    const chunks = await rest(log.read())
    expect(chunks.length).toBeLessThan(11_000)
    expect([chunks[0]?.type, chunks.at(-1)?.type]).toEqual(['text-start', 'text-end'])
    expect(Object.values(told(chunks).texts)).toEqual(['0123456789'.repeat(20_000)])
  })

  test('B8.5 R10 S11 a run of 200,000 chunks: readers that lag, never read or come late cost no more than the content', async () => {
    await holds(longLog(200_000), { seed: 1, count: 1 })
  })

  test('B8.5 S11 a reader that never reads holds nobody up, and costs no more than the log', async () => {
    const log = new EventLog()
    const slow = log.read()
    for (let n = 0; n < 50_000; n++) log.push(delta('x'))
    expect(log.length).toBeLessThan(11_000)
    log.close()
    const chunks = await rest(slow)
    expect(chunks.length).toBeLessThan(11_000)
    expect(Object.values(told(chunks).texts)).toEqual(['x'.repeat(50_000)])
  })

  test('B8.5 what can’t be merged is kept, at a cost in proportion', () => {
    const log = new EventLog()
    for (let n = 0; n < 45_000; n++) log.push(note(n))
    expect(log.length).toBe(45_000)
  })

  test('B8.5 a reader in the middle of a text gets the rest of it, and not the beginning again', async () => {
    const log = new EventLog()
    const reader = log.read()
    log.push({ ...base, type: 'text-start', payload: { id: 't' } })
    for (const text of ['a', 'b', 'c']) log.push(delta(text))
    await reader.next()
    await reader.next()
    log.push(note('between'))
    for (let n = 0; n < 10_000; n++) log.push(delta('.'))
    log.push(delta('!'))
    log.push({ ...base, type: 'text-end', payload: { id: 't' } })
    log.close()
    const chunks = await rest(reader)
    const { texts, others } = told(chunks)
    expect(Object.values(texts)).toEqual([`bc${'.'.repeat(10_000)}!`])
    expect(others.map((chunk) => (chunk as Chunk).type)).toEqual(['data-note', 'text-end'])
    expect(chunks.length).toBeLessThan(20)
  })
})

const KINDS = ['text', 'reasoning', 'call'] as const

/** A writer of random blocks of two runs, whose ids come again after they were closed, and of other chunks between. */
function randomWriter(random: Random) {
  const open = new Set<string>()
  let n = 0
  return (): Chunk => {
    n++
    const dice = random.below(100)
    if (dice < 5) return note(n)
    const kind = random.pick(KINDS)
    const [runId, id] = [`run${random.below(2)}`, `b${random.below(3)}`]
    const key = `${kind} ${runId} ${id}`
    const payload = kind === 'call' ? { toolCallId: id, toolName: 'x' } : { id }
    const [start, more, end] =
      kind === 'call'
        ? ['tool-call-input-streaming-start', 'tool-call-delta', 'tool-call-input-streaming-end']
        : [`${kind}-start`, `${kind}-delta`, `${kind}-end`]
    if (!open.has(key)) {
      open.add(key)
      return { ...base, runId, type: start, payload } as Chunk
    }
    if (dice < 7) {
      open.delete(key)
      return { ...base, runId, type: end, payload } as Chunk
    }
    return {
      ...base,
      runId,
      type: more,
      payload: kind === 'call' ? { toolCallId: id, argsTextDelta: `${n} ` } : { id, text: `${n} ` },
    } as Chunk
  }
}

describe('B8.5 merging, against a log that never merges', () => {
  test('B8.5 readers at any place, before and after any merge, are told the same as from the plain list', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed)
      const write = randomWriter(random)
      const log = new EventLog(100)
      const plain: Chunk[] = []
      const readers = Array.from({ length: 6 }, () => ({ reader: log.read(), read: [] as Chunk[] }))
      const pace = readers.map((_reader, index) => [0, 1, 3, 10, 30, 200][index] as number)
      for (let n = 0; n < 2000; n++) {
        const chunk = write()
        plain.push(chunk)
        log.push(chunk)
        if (n % 17 !== 0) continue
        for (const [index, { reader, read }] of readers.entries()) {
          for (let k = random.below((pace[index] ?? 0) + 1); k > 0 && read.length < log.length; k--) {
            const { value } = await reader.next()
            if (value) read.push(value)
          }
        }
      }
      log.close()
      const expected = told(plain)
      for (const [index, { reader, read }] of readers.entries()) {
        read.push(...(await rest(reader)))
        expect(told(read), `seed ${seed}, reader ${index}`).toEqual(expected)
      }
      expect(told(await rest(log.read())), `seed ${seed}, late`).toEqual(expected)
      expect(log.length).toBeLessThan(plain.length / 2)
    }
  })
})
