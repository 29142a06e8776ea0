import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type Chunk } from '../agent/index.ts'
import { scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

const ask = (name: string, id: string) => ({ id, name, args: { prompt: 'P' } })

/** sup → mid → leaf → tool, which writes to the stream. */
async function stream() {
  const tell = createTool({
    id: 'tell',
    description: 't',
    inputSchema: z.object({}),
    execute: (_input, { writer }) => {
      writer.write({ half: true })
      writer.custom({ type: 'data-progress', data: 0.5 })
      return 'told'
    },
  })
  const leaf = new Agent({ id: 'leaf-agent', description: 'd', tools: { tell } })
  const mid = new Agent({ id: 'mid-agent', description: 'd', agents: { leaf } })
  const sup = new Agent({ id: 'sup', agents: { mid } })
  const script = scriptedModels({
    sup: [{ calls: [ask('mid', 'call-mid')] }, { text: 'end' }],
    'sup/mid': [{ calls: [ask('leaf', 'call-leaf')] }, { text: 'mid' }],
    'sup/mid/leaf': [{ calls: [{ id: 'call-tell', name: 'tell', args: {} }] }, { text: ['le', 'af'] }],
  })
  return sup.stream('Go', { resolveModel: script.resolveModel, runId: 'run' })
}

async function all(chunks: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const out: Chunk[] = []
  for await (const chunk of chunks) out.push(chunk)
  return out
}

const envelope = { from: 'USER', type: 'tool-output' }

describe('B8.3 nested chunks', () => {
  test('B8.3 a child’s chunk is wrapped once for each level, and each wrapper has the child’s path and the call', async () => {
    const chunks = await all((await stream()).fullStream)
    const delta = chunks.find((chunk) => JSON.stringify(chunk).includes('"text":"le"'))
    expect(delta).toEqual({
      ...envelope,
      runId: 'run',
      path: ['sup', 'mid'],
      payload: {
        toolCallId: 'call-mid',
        toolName: 'mid',
        output: {
          ...envelope,
          runId: 'run.1',
          path: ['sup', 'mid', 'leaf'],
          payload: {
            toolCallId: 'call-leaf',
            toolName: 'leaf',
            output: {
              type: 'text-delta',
              runId: 'run.2',
              from: 'AGENT',
              path: ['sup', 'mid', 'leaf'],
              payload: { id: 't', text: 'le' },
            },
          },
        },
      },
    })
  })

  test('B8.3 events are the same chunks, flat, in the same order', async () => {
    const run = await stream()
    const flat = await all(run.events)
    const unwrap = (chunk: Chunk, depth: number): Chunk =>
      depth === 0 ? chunk : unwrap((chunk.payload as { output: Chunk }).output, depth - 1)
    const nested = await all(run.fullStream)
    expect(
      nested.map((chunk, index) =>
        unwrap(chunk, flat[index]?.type.startsWith('data-') ? 0 : (flat[index]?.path.length ?? 1) - 1),
      ),
    ).toEqual(flat)
    expect(
      flat
        .map(({ path }) => path.length)
        .toSorted()
        .at(-1),
    ).toBe(3)
  })

  test('B8.4 one start and one finish at the top, and one of each in every run of the tree', async () => {
    const run = await stream()
    const nested = await all(run.fullStream)
    expect(nested.filter(({ type }) => type === 'start')).toHaveLength(1)
    expect(nested.filter(({ type }) => type === 'finish')).toHaveLength(1)
    expect(nested.at(-1)?.type).toBe('finish')
    const flat = await all(run.events)
    for (const id of ['run', 'run.1', 'run.2']) {
      const own = flat.filter(({ runId }) => runId === id).map(({ type }) => type)
      expect([own[0], own.at(-1)]).toEqual(['start', 'finish'])
      expect(own.filter((type) => type === 'start' || type === 'finish')).toHaveLength(2)
    }
  })

  test('B8.3 the order of a delegation: its call, its start, its run, its end, its result', async () => {
    const types = (await all((await stream()).events))
      .filter(({ path }) => path.length < 3)
      .map(({ type, path }) => `${path.length} ${type}`)
    const from = types.indexOf('1 tool-call')
    const upTo = types.indexOf('1 tool-result')
    expect(types.slice(from, from + 3)).toEqual(['1 tool-call', '1 delegation-start', '2 start'])
    expect(types.slice(upTo - 2, upTo + 1)).toEqual(['2 finish', '1 delegation-end', '1 tool-result'])
  })

  test('B8.6 what a tool writes at depth three reaches the root with its path', async () => {
    const run = await stream()
    const flat = await all(run.events)
    const path = ['sup', 'mid', 'leaf']
    expect(flat.find(({ type }) => type === 'tool-output')).toMatchObject({
      runId: 'run.2',
      path,
      payload: { output: { half: true }, toolCallId: 'call-tell', toolName: 'tell' },
    })
    const data = flat.find(({ type }) => type === 'data-progress')
    expect(data).toEqual({ type: 'data-progress', runId: 'run.2', from: 'USER', path, payload: { data: 0.5 } })
    // Not wrapped: it is the application's own, and its path says where it comes from.
    expect((await all(run.fullStream)).find(({ type }) => type === 'data-progress')).toEqual(data)
  })

  test('B8.1 textStream is the root’s text alone', async () => {
    const texts: string[] = []
    for await (const text of (await stream()).textStream) texts.push(text)
    expect(texts).toEqual(['end'])
  })
})

describe('B8.5 the size of a run’s events', () => {
  /** A supervisor that delegates `count` times, to children that answer 500 characters in 20 deltas. */
  async function events(count: number): Promise<Chunk[]> {
    const a = new Agent({ id: 'a', description: 'd' })
    const sup = new Agent({ id: 'sup', agents: { a }, defaultOptions: { maxSteps: count + 1 } })
    const text = Array(20).fill('x'.repeat(25))
    const script = scriptedModels({
      sup: [
        ...Array.from({ length: count }, (_, n) => ({ text: 'Next.', calls: [ask('a', `c${n}`)] })),
        { text: 'end' },
      ],
      'sup/a': Array.from({ length: count }, () => ({ text })),
    })
    return all((await sup.stream('Go', { resolveModel: script.resolveModel })).events)
  }

  test('B8.5 S11 it grows with what was said, not with its square, and a flat event adds at most 200 bytes and its path', async () => {
    const sizes: number[] = []
    for (const count of [10, 20, 40]) {
      const chunks = await events(count)
      sizes.push(JSON.stringify(chunks).length)
      for (const { path, payload, ...rest } of chunks)
        expect(JSON.stringify({ ...rest, path: [], payload: {} }).length).toBeLessThanOrEqual(200)
    }
    const [, twenty = 0, forty = 0] = sizes
    expect(Math.log2(forty / twenty)).toBeLessThanOrEqual(1.05)
  })
})
