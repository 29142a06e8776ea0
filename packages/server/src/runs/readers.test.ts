import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chunksOf, StreamReader } from '../../test-support/read-stream.ts'
import { testApp } from '../../test-support/test-app.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** Lets what was begun go on. */
const turns = async (count = 20): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** A model call that goes on until it is let go, or aborted. */
function held() {
  const more = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  return {
    more,
    aborted: aborted.promise,
    turn: ({ options }: { options: { abortSignal?: AbortSignal | undefined } }) => {
      options.abortSignal?.addEventListener('abort', () => aborted.resolve())
      return { text: ['Well', ' then.'], after: more.promise }
    },
  }
}

test('B7.7 a run goes on when its reader leaves, is found again, and gives the rest to whoever comes back', async () => {
  const { turn, more } = held()
  const t = testApp({
    script: { plain: [{ text: 'Hm.', calls: [{ id: 'a', name: 'add', args: { a: 1, b: 1 } }] }, turn] },
  })
  const reader = new StreamReader(await t.post('/api/agents/plain/stream', { input: 'Hi.' }))
  const { runId } = JSON.parse((await reader.next())?.data ?? '')
  const last = await reader.until('tool-result')
  await reader.leave()
  const { runs } = (await (await t.get('/api/runs')).json()) as { runs: object[] }
  expect(runs).toMatchObject([{ runId, status: 'running', resourceId: 'local' }])
  const back = await t.get(`/api/runs/${runId}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': String(last.id) },
  })
  more.resolve()
  const rest = await chunksOf(back)
  const types = rest.map(({ type }) => type)
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'step-finish',
    'step-start',
    'text-start',
    'text-delta',
    'text-end',
    'step-finish',
    'finish',
  ])
  const whole = await chunksOf(await t.get(`/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } }))
  expect(whole.map(({ type }) => type).filter((type) => type === 'start' || type === 'finish')).toEqual([
    'start',
    'finish',
  ])
  expect(await (await t.get(`/api/runs/${runId}`)).json()).toMatchObject({
    status: 'ended',
    result: { text: 'Well then.' },
  })
})

test('S30 who has it all of a run that has ended is told not to come back', async () => {
  const t = testApp({ script: { plain: [{ text: 'Hi.' }] } })
  const frames = await new StreamReader(await t.post('/api/agents/plain/stream', { input: 'Hi.' })).rest()
  const { runId } = JSON.parse(frames[0]?.data ?? '')
  const events = async (id: string) =>
    t.get(`/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream', 'last-event-id': id } })
  expect((await events(String(frames.at(-1)?.id))).status).toBe(204)
  expect((await events(String(frames.at(-2)?.id))).status).toBe(200)
  for (const wrong of ['x', '1', '1.2.3', '-1.2', '1.99999999999999999999'])
    expect((await events(wrong)).status).toBe(400)
})

test('S30 a run that nobody reads ends after detachMs, and not before', async () => {
  const { turn, aborted } = held()
  const t = testApp({ script: { plain: [turn] }, settings: { detachMs: 30_000 } })
  const reader = new StreamReader(await t.post('/api/agents/plain/stream', { input: 'Hi.' }))
  const { runId } = JSON.parse((await reader.next())?.data ?? '')
  await vi.advanceTimersByTimeAsync(60_000)
  await reader.leave()
  await vi.advanceTimersByTimeAsync(29_000)
  // Somebody comes back in time, and leaves again.
  const again = new StreamReader(await t.get(`/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } }))
  await again.next()
  await vi.advanceTimersByTimeAsync(60_000)
  await again.leave()
  await vi.advanceTimersByTimeAsync(29_999)
  expect(((await (await t.get(`/api/runs/${runId}`)).json()) as { status: string }).status).toBe('running')
  await vi.advanceTimersByTimeAsync(1)
  await aborted
  await turns()
  expect(await (await t.get(`/api/runs/${runId}`)).json()).toMatchObject({
    status: 'ended',
    result: { finishReason: 'aborted' },
  })
  expect(vi.getTimerCount()).toBe(0)
})

test('S30 with detachMs 0 a run ends with its last reader, also one that waits for the whole answer', async () => {
  for (const path of ['stream', 'generate']) {
    const { turn, aborted } = held()
    const t = testApp({ script: { plain: [turn] }, settings: { detachMs: 0 } })
    const leaving = new AbortController()
    const answer = t.post(`/api/agents/plain/${path}`, { input: 'Hi.' }, { signal: leaving.signal })
    if (path === 'stream') {
      const reader = new StreamReader(await answer)
      await reader.next()
      await reader.leave()
    } else {
      await turns()
      leaving.abort()
    }
    await vi.advanceTimersByTimeAsync(1)
    await aborted
    await answer
    expect(vi.getTimerCount()).toBe(0)
  }
})

test('S30 a quiet stream says so within 15 s, in frames that parsers pass over, and leaves no timer', async () => {
  const { turn, more } = held()
  const t = testApp({ script: { plain: [turn] } })
  const reader = new StreamReader(await t.post('/api/agents/plain/stream', { input: 'Hi.' }))
  await reader.until('start')
  const next = reader.next()
  for (let second = 0; second < 120; second++) await vi.advanceTimersByTimeAsync(1_000)
  expect(reader.comments.length).toBeGreaterThanOrEqual(8)
  more.resolve()
  expect(JSON.parse((await next)?.data ?? '').type).toBe('step-start')
  await reader.rest()
  expect(vi.getTimerCount()).toBe(0)
})

test('S30 the server closes: it takes no new work, lets runs end, and then ends what is left', async () => {
  const [first, second] = [held(), held()]
  const t = testApp({ script: { plain: [first.turn, second.turn] } })
  const done = t.post('/api/agents/plain/generate', { input: 'Hi.' })
  const cut = new StreamReader(await t.post('/api/agents/plain/stream', { input: 'Hi.' }))
  await turns()
  const closing = t.server.close()
  expect((await t.get('/readyz')).status).toBe(503)
  expect((await t.get('/healthz')).status).toBe(200)
  const refused = await t.post('/api/agents/plain/generate', { input: 'Hi.' })
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'server-closing'])
  first.more.resolve()
  expect(await (await done).json()).toMatchObject({ text: 'Well then.' })
  await vi.advanceTimersByTimeAsync(10_000)
  await second.aborted
  await closing
  const frames = await cut.rest()
  expect(JSON.parse(frames.at(-1)?.data ?? '')).toMatchObject({
    type: 'finish',
    payload: { stepResult: { reason: 'aborted' } },
  })
  expect(vi.getTimerCount()).toBe(0)
})

test('S30 a run that has to wait for another in its thread is told so before the connection is cut, and does not begin later', async () => {
  const { turn, more } = held()
  const t = testApp({ script: { sup: [turn, { text: 'Again.' }] } })
  const first = t.post('/api/agents/sup/generate', { input: 'One.', threadId: 't1' })
  await turns()
  const second = t.post('/api/agents/sup/stream', { input: 'Two.', threadId: 't1' })
  const third = await t.post('/api/agents/sup/stream', { input: 'Three.', threadId: 't1', onBusy: 'reject' })
  expect([third.status, ((await third.json()) as { code: string }).code]).toEqual([409, 'thread-busy'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(((await (await second).json()) as { code: string }).code).toBe('thread-busy')
  more.resolve()
  await first
  await turns()
  expect(t.script.calls('sup')).toHaveLength(1)
  const soon = await t.post('/api/agents/sup/generate', { input: 'Four.', threadId: 't1' })
  expect(await soon.json()).toMatchObject({ text: 'Again.' })
  expect(t.script.calls('sup')[1]?.text).not.toContain('Two.')
})

test('B7.1 who decides as soon as a call is announced begins the next leg, and no event of one comes into the other', async () => {
  for (const detachMs of [0, 600_000]) {
    const t = testApp({
      settings: { detachMs },
      script: {
        sup: [{ calls: [{ id: 'd1', name: 'clerk', args: { prompt: 'Pay.' } }] }, { text: 'Paid.' }],
        'sup/clerk': [{ calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }, { text: 'Done.' }],
      },
    })
    const first = new StreamReader(await t.post('/api/agents/sup/stream', { input: 'Pay.' }))
    const { runId } = JSON.parse((await first.until('tool-call-approval')).data)
    const deciding = t.post(`/api/runs/${runId}/approve`, {}, { headers: { accept: 'text/event-stream' } })
    const second = await chunksOf(await deciding)
    expect(second.map(({ type }) => type)).toContain('tool-result')
    expect(second.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'stop' } } })
    const whole = await chunksOf(await t.get(`/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } }))
    const ends = whole.filter((chunk) => chunk.runId === runId && (chunk.type === 'start' || chunk.type === 'finish'))
    expect(ends.map(({ type }) => type)).toEqual(['start', 'finish', 'start', 'finish'])
    await first.rest()
  }
})

test('S30 a reader that leaves frees what it held', async () => {
  const { turn, more } = held()
  const t = testApp({ script: { plain: [turn] } })
  const first = new StreamReader(await t.post('/api/agents/plain/stream', { input: 'Hi.' }))
  const { runId } = JSON.parse((await first.next())?.data ?? '')
  const before = vi.getTimerCount()
  const others = await Promise.all(
    Array.from({ length: 50 }, () => t.get(`/api/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } })),
  )
  const readers = others.map((response) => new StreamReader(response))
  await Promise.all(readers.map((reader) => reader.next()))
  expect(vi.getTimerCount()).toBe(before + 50)
  await Promise.all(readers.map((reader) => reader.leave()))
  expect(vi.getTimerCount()).toBe(before)
  more.resolve()
  await first.rest()
  expect(vi.getTimerCount()).toBe(0)
})
