import { isRetinueError } from '@retinue/core/errors'
import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../test-support/test-app.ts'
import { createClient, emptyView, type RetinueClient, type RootView } from './index.ts'

afterEach(() => void vi.useRealTimers())

function clientOf(
  t: TestApp,
  send: (request: Request) => Promise<Response> = (request) => t.server.fetch(request),
): RetinueClient {
  return createClient({ baseUrl: 'http://localhost/', fetch: send })
}

/** A connection that breaks after so many bytes. */
function breaking(response: Response, after: number): Response {
  if (!response.headers.get('content-type')?.includes('event-stream') || !response.body) return response
  let left = after
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, left))
      left -= bytes.length
      if (left <= 0) controller.error(new Error('the connection broke'))
    },
  })
  return new Response(response.body.pipeThrough(cut), { headers: response.headers })
}

test('the client runs agents, reads their events, decides, and reads what is kept', async () => {
  const t = testApp({
    script: {
      sup: [
        { text: 'Hello.' },
        { calls: [{ id: 'p1', name: 'pay_bill', args: { euros: 5 } }] },
        { text: 'Paid.' },
        { calls: [{ id: 'p2', name: 'pay_bill', args: { euros: 6 } }] },
        { text: 'Not paid.' },
        { calls: [{ id: 'a1', name: 'ask', args: {} }] },
        { text: 'This.' },
      ],
    },
  })
  const client = clientOf(t)
  const [sup] = await client.agents.list()
  expect(sup).toMatchObject({ id: 'sup', hasMemory: true, agents: [{ key: 'clerk', tools: [{ name: 'pay' }] }] })
  expect(sup?.tools).toContainEqual({ name: 'locate', isClients: true })
  expect((await client.agents.get('sup')).key).toBe('sup')
  expect(await client.agents.generate('sup', { input: 'Hi.', threadId: 't1' })).toMatchObject({ text: 'Hello.' })

  const asked = await client.agents.generate('sup', { input: 'Pay.', threadId: 't1' })
  expect(asked.pendingCalls).toMatchObject([{ toolCallId: 'p1', args: { euros: 5 } }])
  expect((await client.approvals.list({ status: 'pending' })).approvals).toMatchObject([{ runId: asked.runId }])
  expect(await client.runs.get(asked.runId)).toMatchObject({
    status: 'suspended',
    pendingCalls: [{ toolCallId: 'p1' }],
  })
  const views = []
  for await (const view of client.runs.approveStream(asked.runId, { args: { euros: 4 } }).views()) views.push(view)
  expect(views.at(-1)).toMatchObject({ status: 'finished', text: 'Paid.' })
  expect(t.paid).toEqual([{ euros: 4 }])

  const again = await client.agents.generate('sup', { input: 'Pay more.', threadId: 't1' })
  expect(await client.runs.decline(again.runId, { reason: 'no' })).toMatchObject({ text: 'Not paid.' })
  const suspended = client.agents.stream('sup', { input: 'Choose.', threadId: 't1' })
  for await (const _event of suspended);
  expect(await client.runs.resume(String(suspended.runId), { data: 'this' })).toMatchObject({ text: 'This.' })

  expect((await client.threads.list()).threads.map(({ id }) => id)).toEqual(['t1'])
  expect((await client.threads.messages('t1', { limit: 2 })).messages).toHaveLength(2)
  expect((await client.threads.uiMessages('t1')).messages[0]).toMatchObject({ role: 'user' })
  expect(await client.threads.update('t1', { title: 'Bills' })).toMatchObject({ title: 'Bills' })
  expect(await client.threads.clone('t1', { newThreadId: 't2' })).toMatchObject({ id: 't2', title: 'Bills' })
  await client.threads.delete('t1')
  await expect(client.threads.get('t1')).rejects.toMatchObject({ code: 'thread-not-found', data: { status: 404 } })
  expect(await client.threads.create({ threadId: 't3' })).toMatchObject({ id: 't3' })
  expect(await client.chat.stop('sup', 't3')).toEqual({ stopped: false })
  t.script.assertDone()
})

test('the client reads a chat page by page, each of whole turns, also while a run goes on', async () => {
  const adds = { calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }] }
  const t = testApp({
    script: { sup: [adds, { text: 'Three.' }, { text: 'Hello.' }, { text: 'never', after: new Promise(() => {}) }] },
  })
  const client = clientOf(t)
  const say = (text: string) => ({
    id: 'c1',
    messages: [{ id: text, role: 'user', parts: [{ type: 'text', text }] }],
  })
  for (const text of ['1 + 2?', 'Hi.']) await (await t.post('/api/chat/sup', say(text))).text()
  await t.post('/api/chat/sup', say('And?'))
  const pages: unknown[][] = []
  let before: number | undefined
  do {
    const page = await client.threads.uiMessages('c1', { limit: 3, ...(before === undefined ? {} : { before }) })
    pages.push(page.messages.map(({ role, parts }) => [role, (parts as object[]).length]))
    expect(page.hasMore).toBe(page.before !== undefined)
    before = page.before
  } while (before !== undefined)
  const [asked, answered] = [
    ['user', 1],
    ['assistant', 2],
  ]
  expect(pages).toEqual([
    [asked, answered, asked],
    [asked, ['assistant', 4]],
  ])
  const forwards = await t.get('/api/threads/c1/messages?format=ui&after=1')
  expect([forwards.status, ((await forwards.json()) as { code: string }).code]).toEqual([400, 'request-invalid'])
})

test('the client lists tasks, watches them, speaks to them, and answers what they ask', async () => {
  const more = Promise.withResolvers<void>()
  const scout = (id: string) => ({ calls: [{ id, name: 'scout', args: { prompt: 'Look.' } }] })
  const t = testApp({
    script: {
      lead: [scout('s1'), { text: 'It asks.' }, scout('s2'), { text: 'It goes on.' }],
      'lead/scout': [
        { calls: [{ id: 'q1', name: 'ask', args: { question: 'Which?' } }] },
        { text: 'This one.' },
        { text: 'Late.', after: more.promise },
      ],
    },
  })
  let requests = 0
  const client = clientOf(t, (request) => {
    requests += 1
    return t.server.fetch(request)
  })
  const { runId } = await client.agents.generate('lead', { input: 'Go.', threadId: 't1' })
  await t.app.tasks.settled()
  const [question] = (await client.tasks.questions({ runId })).questions
  const taskId = String(question?.taskId)
  expect(await client.tasks.get(taskId)).toMatchObject({ status: 'suspended', pendingCalls: [{ toolCallId: 'q1' }] })
  const types: string[] = []
  const before = requests
  for await (const { chunk } of client.tasks.answerStream(taskId, { data: 'this' })) types.push(chunk.type)
  // Its end is the end: nobody asks for more.
  expect([types.at(-1), requests - before]).toEqual(['background-task-completed', 1])
  await expect(client.tasks.answer(taskId, { data: 'that' })).rejects.toMatchObject({ code: 'task-ended' })
  await client.agents.generate('lead', { input: 'Again.', threadId: 't1' })
  const [task] = (await client.tasks.list({ status: 'running', threadId: 't1' })).tasks
  const second = String(task?.taskId)
  expect(await client.tasks.send(second, 'Hurry.')).toEqual({ taskId: second })
  const states: string[] = []
  for await (const {
    chunk: { type },
  } of client.tasks.events(second)) {
    states.push(type)
    if (states.length === 1) expect((await client.tasks.cancel(second, { reason: 'no' })).cancelled).toBe(true)
  }
  expect([states[0], states.at(-1)]).toEqual(['background-task-running', 'background-task-cancelled'])
  await expect(client.tasks.get('none')).rejects.toMatchObject({ code: 'task-not-found' })
  more.resolve()
})

test('S30 the events of a task are read on to its end over a connection that breaks, and no further', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const call = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
  const t = testApp({ script: { lead: [call, { text: 'It looks.' }], 'lead/scout': [{ text: 'ZEBRA' }] } })
  await clientOf(t).agents.generate('lead', { input: 'Go.', threadId: 't1' })
  await t.app.tasks.settled()
  const taskId = String((await t.app.tasks.list()).items[0]?.taskId)
  let broken = 2
  let asked = 0
  const client = clientOf(t, async (request) => {
    asked += 1
    const response = await t.server.fetch(request)
    return broken-- > 0 ? breaking(response, 20) : response
  })
  const read = async (): Promise<string[]> => {
    const types: string[] = []
    for await (const {
      chunk: { type },
    } of client.tasks.events(taskId))
      types.push(type)
    return types
  }
  const reading = read()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([await reading, asked]).toEqual([['background-task-completed'], 3])
  broken = 100
  const lost = read().catch((thrown: unknown) => thrown)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(isRetinueError(await lost, 'connection-lost')).toBe(true)
})

test('S30 a page that is loaded again goes on in the events of a task after those that it has read', async () => {
  const more = Promise.withResolvers<void>()
  const adds = { text: 'First. ', calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }], after: more.promise }
  const call = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
  const t = testApp({ script: { lead: [call, { text: 'It looks.' }], 'lead/scout': [adds, { text: 'ZEBRA' }] } })
  const client = clientOf(t)
  const { runId } = await client.agents.generate('lead', { input: 'Go.', threadId: 't1' })
  const taskId = (await t.app.tasks.list()).items[0]?.taskId as string
  const seen: string[] = []
  const events = client.tasks.events(taskId)
  for await (const { id, chunk } of events) {
    expect(events.lastEventId).toBe(id)
    seen.push(chunk.type)
    more.resolve()
    if (chunk.type === 'tool-result') break
  }
  const after = String(events.lastEventId)
  const rest: string[] = []
  const again = client.tasks.events(taskId, { after })
  for await (const { chunk } of again) rest.push(chunk.type)
  expect([again.runId, again.lastEventId]).toEqual([taskId, 'end'])
  const whole = [...seen, ...rest]
  expect(whole.filter((type) => /^tool-|-task-|delta/.test(type))).toEqual([
    'background-task-running',
    'text-delta',
    'tool-call',
    'tool-result',
    'text-delta',
    'background-task-completed',
  ])
  // Who has read its end is told no more.
  for await (const event of client.tasks.events(taskId, { after: 'end' })) expect(event).toBeUndefined()
  const texts: string[] = []
  for await (const text of client.tasks.events(taskId, { after }).text()) texts.push(text)
  expect(texts).toEqual(['ZEBRA'])
  const view = async (views: AsyncIterable<RootView>): Promise<RootView> => {
    let last = emptyView()
    for await (const each of views) last = each
    return last
  }
  const task = { taskId, status: 'completed' }
  const alone = await view(client.tasks.events(taskId, { after: '1.0' }).views())
  expect(alone.tasks).toMatchObject([task])
  const ofRun = await view(client.runs.events(runId).views())
  const merged = await view(client.tasks.events(taskId, { after }).views(ofRun))
  expect(merged).toMatchObject({ runId, text: 'It looks.', tasks: [task] })
})

test('the view and the text of a task that is watched from its middle are those of what works on it', async () => {
  const more = Promise.withResolvers<void>()
  const adds = { calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }], after: more.promise }
  const call = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
  const script = { lead: [call, { text: 'It looks.' }], 'lead/scout': [adds, { text: 'ZEBRA' }] }
  const t = testApp({ script })
  const client = clientOf(t)
  await client.agents.generate('lead', { input: 'Go.', threadId: 't1' })
  const taskId = (await t.app.tasks.list()).items[0]?.taskId as string
  const reading = (async () => {
    const texts: string[] = []
    for await (const text of client.tasks.events(taskId).text()) texts.push(text)
    return texts.join('')
  })()
  let last = emptyView()
  for await (const view of client.tasks.events(taskId).views()) {
    last = view
    more.resolve()
  }
  expect(last).toMatchObject({ status: 'finished', path: ['lead', 'scout'], text: 'ZEBRA', tasks: [{ taskId }] })
  expect(last.items).toMatchObject([{ type: 'tool', toolCallId: 'a1', state: 'done', result: 3 }, { text: 'ZEBRA' }])
  expect(await reading).toBe('ZEBRA')
})

test('S30 the events of a task come once each, also those of a time in which the connection was broken', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const more = Promise.withResolvers<void>()
  const adds = { calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }], after: more.promise }
  const call = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
  const t = testApp({ script: { lead: [call, { text: 'It looks.' }], 'lead/scout': [adds, { text: 'ZEBRA' }] } })
  await clientOf(t).agents.generate('lead', { input: 'Go.', threadId: 't1' })
  const taskId = (await t.app.tasks.list()).items[0]?.taskId as string
  let connections = 0
  const client = createClient({
    baseUrl: 'http://localhost',
    fetch: async (request) => {
      connections += 1
      if (connections > 1) {
        // While it was away the task has gone on to its end.
        more.resolve()
        await t.app.tasks.settled()
        return t.server.fetch(request)
      }
      const response = await t.server.fetch(request)
      const first = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes)
          if (new TextDecoder().decode(bytes).includes('background-task-running')) controller.terminate()
        },
      })
      return new Response(response.body?.pipeThrough(first), { headers: response.headers })
    },
  })
  const types: string[] = []
  const reading = (async () => {
    for await (const {
      chunk: { type },
    } of client.tasks.events(taskId))
      types.push(type)
  })()
  while (!types.includes('background-task-completed')) {
    await vi.advanceTimersByTimeAsync(500)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await reading
  expect(connections).toBe(2)
  expect(types.filter((type) => type === 'background-task-running')).toHaveLength(1)
  expect(types.filter((type) => type === 'tool-result')).toHaveLength(1)
  vi.useRealTimers()
})

test('S30 a connection that breaks anywhere is made again, and every event comes once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  for (const after of [1, 200, 1_000, 1_300, 2_500]) {
    const t = testApp({
      script: {
        plain: [
          { text: 'One.', calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }] },
          { text: ['Two', ' and three.'] },
        ],
      },
    })
    const whole = clientOf(t, async (request) => breaking(await t.server.fetch(request), after))
    const text: string[] = []
    const types: string[] = []
    const reading = (async () => {
      for await (const { chunk } of whole.agents.stream('plain', { input: 'Hi.' })) {
        types.push(chunk.type)
        if (chunk.type === 'text-delta') text.push(String((chunk.payload as { text: string }).text))
      }
    })().catch((thrown: unknown) => thrown)
    let isDone = false
    reading.then(() => {
      isDone = true
    })
    while (!isDone) await vi.advanceTimersByTimeAsync(1_000)
    const failed = await reading
    // So little at once that nothing ever comes through is a lost connection.
    if (after < 1_000) expect(isRetinueError(failed, 'connection-lost')).toBe(true)
    else {
      expect(failed).toBeUndefined()
      expect(text.join('')).toBe('One.Two and three.')
      expect(types.filter((type) => type === 'start' || type === 'finish' || type === 'tool-result')).toEqual([
        'start',
        'tool-result',
        'finish',
      ])
    }
  }
})

test('a reading that is ended ends nothing else', async () => {
  const more = Promise.withResolvers<void>()
  const t = testApp({ script: { plain: [{ text: 'Late.', after: more.promise }] } })
  const client = clientOf(t)
  const leaving = new AbortController()
  const events = client.agents.stream('plain', { input: 'Hi.' }, { signal: leaving.signal })
  for await (const _event of events) leaving.abort()
  more.resolve()
  const texts: string[] = []
  for await (const text of client.runs.events(String(events.runId)).text()) texts.push(text)
  expect(texts.join('')).toBe('Late.')
})

test('what a server refuses is an error with its code, and what is no answer of it one of the client', async () => {
  const t = testApp()
  const client = clientOf(t)
  await expect(client.agents.get('none')).rejects.toMatchObject({
    code: 'agent-unknown',
    data: { status: 404, path: '/api/agents/none' },
  })
  await expect(client.runs.get('none')).rejects.toMatchObject({ code: 'run-not-found' })
  const strange = clientOf(t, async () => new Response('<html>', { status: 502 }))
  await expect(strange.agents.list()).rejects.toMatchObject({ code: 'response-invalid', data: { status: 502 } })
  await expect(clientOf(t).agents.stream('none', { input: 'x' })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'agent-unknown',
  })
})

test('S30 the client stops the chat of another resource, where its caller sees all', async () => {
  const t = testApp({ users: true, script: { sup: [{ text: 'never', after: new Promise(() => {}) }] } })
  const said = { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }] }
  const saying = await t.post('/api/chat/sup', said, { as: 'ada' })
  const client = createClient({
    baseUrl: 'http://localhost',
    headers: { 'x-user': 'root' },
    fetch: ((input: string | URL | Request, init?: RequestInit) =>
      t.server.fetch(new Request(input, init))) as typeof fetch,
  })
  expect(await client.chat.stop('sup', 'c')).toEqual({ stopped: false })
  expect(await client.chat.stop('sup', 'c', { resourceId: 'ada' })).toMatchObject({ stopped: true })
  await saying.text()
})
