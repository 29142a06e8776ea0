import { expect, test } from 'vitest'
import { chunksOf, StreamReader } from '../../test-support/read-stream.ts'
import { type TestApp, type TestAppOptions, testApp } from '../../test-support/test-app.ts'

const SCOUT = { calls: [{ id: 's1', name: 'scout', args: { prompt: 'Look.' } }] }
const PAY = { calls: [{ id: 'p1', name: 'pay', args: { euros: 5 } }] }
const ASK = { calls: [{ id: 'q1', name: 'ask', args: { question: 'Which year?' } }] }

type Json = Record<string, unknown>

async function json(response: Response | Promise<Response>): Promise<Json> {
  return (await (await response).json()) as Json
}

async function tasksOf(t: TestApp, query = ''): Promise<Json[]> {
  return (await json(t.get(`/api/tasks${query}`)))['tasks'] as Json[]
}

/** An application whose `lead` has begun a task, in the thread `t1`. */
async function begun(
  options: TestAppOptions,
  body: object = {},
): Promise<{ t: TestApp; runId: string; taskId: string }> {
  const t = testApp(options)
  const { runId } = await json(t.post('/api/agents/lead/generate', { input: 'Go.', threadId: 't1', ...body }))
  const [task] = (await t.app.tasks.list()).items
  return { t, runId: String(runId), taskId: String(task?.taskId) }
}

test('UX a task is listed by what it belongs to, and told whole', async () => {
  const { t, runId, taskId } = await begun({
    script: { lead: [SCOUT, { text: 'It looks.' }], 'lead/scout': [{ text: 'ZEBRA' }] },
  })
  await t.app.tasks.settled()
  const facts = {
    taskId,
    runId,
    agentId: 'lead',
    path: ['lead'],
    toolName: 'scout',
    threadId: 't1',
    status: 'completed',
  }
  for (const query of ['', '?status=completed', `?runId=${runId}`, '?threadId=t1', '?agentId=lead', '?limit=1'])
    expect([query, await tasksOf(t, query)]).toMatchObject([query, [facts]])
  for (const query of ['?status=running', '?runId=none', '?threadId=t2', '?agentId=sup'])
    expect([query, await tasksOf(t, query)]).toEqual([query, []])
  const whole = await json(t.get(`/api/tasks/${taskId}`))
  expect(whole).toMatchObject({ ...facts, args: { prompt: 'Look.' }, result: { text: 'ZEBRA' }, pendingCalls: [] })
  expect(whole).not.toHaveProperty('terms')
  for (const [path, code] of [
    ['/api/tasks?status=lost', 'request-invalid'],
    ['/api/tasks/none', 'task-not-found'],
  ])
    expect([path, (await json(t.get(String(path))))['code']]).toEqual([path, code])
})

test('UX pages of tasks follow one another', async () => {
  const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'scout', args: { prompt: id } }))
  const found = { text: 'Found.' }
  const { t } = await begun({
    script: { lead: [{ calls }, { text: 'They look.' }], 'lead/scout': [found, found, found] },
  })
  await t.app.tasks.settled()
  const seen: unknown[] = []
  let cursor = ''
  do {
    const page = await json(t.get(`/api/tasks?limit=1${cursor}`))
    seen.push(...(page['tasks'] as Json[]).map(({ toolCallId }) => toolCallId))
    cursor = page['next'] === undefined ? '' : `&cursor=${page['next']}`
  } while (cursor !== '')
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('B9 untilIdle: the run stays open for its tasks, and answers to what came of them', async () => {
  for (const untilIdle of [true, { maxIdleMs: 60_000 }]) {
    const t = testApp({
      script: { lead: [SCOUT, { text: 'It looks.' }, { text: 'Found.' }], 'lead/scout': [{ text: 'ZEBRA' }] },
    })
    const result = await json(t.post('/api/agents/lead/generate', { input: 'Go.', threadId: 't1', untilIdle }))
    expect(result['text']).toContain('Found.')
    t.script.assertDone()
  }
  const t = testApp()
  for (const untilIdle of ['yes', { maxIdleMs: 0 }, { maxIdleMs: 3e9 }, { else: 1 }])
    expect((await t.post('/api/agents/lead/generate', { input: 'Go.', untilIdle })).status).toBe(400)
})

test('UX a task is watched from how it stands to its end, and it goes on without a reader', async () => {
  const more = Promise.withResolvers<void>()
  const { t, taskId } = await begun({
    script: { lead: [SCOUT, { text: 'It looks.' }], 'lead/scout': [{ text: 'ZEBRA', after: more.promise }] },
  })
  const path = `/api/tasks/${taskId}/events`
  const leaving = new StreamReader(await t.get(path))
  await leaving.until('background-task-running')
  await leaving.leave()
  const reader = new StreamReader(await t.get(path))
  await reader.until('background-task-running')
  more.resolve()
  const frames = await reader.rest()
  expect(frames.map(({ data }) => JSON.parse(data)).find(({ type }) => type === 'text-delta')).toMatchObject({
    path: ['lead', 'scout'],
  })
  expect(frames.at(-1)?.id).toBe('end')
  expect(JSON.parse(String(frames.at(-1)?.data))).toMatchObject({
    type: 'background-task-completed',
    payload: { taskId, result: { text: 'ZEBRA' } },
  })
  // Who comes late is told the end, and who has read it need not come back.
  expect((await chunksOf(await t.get(path))).map(({ type }) => type)).toEqual(['background-task-completed'])
  expect((await t.get(path, { headers: { 'last-event-id': 'end' } })).status).toBe(204)
})

test('S30 while nothing happens in a task its stream is kept open, and ends when the server does', async () => {
  const { t, taskId } = await begun({
    script: { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [PAY] },
    settings: { heartbeatMs: 2 },
  })
  await t.app.tasks.settled()
  const reader = new StreamReader(await t.get(`/api/tasks/${taskId}/events`))
  await reader.until('background-task-suspended')
  const rest = reader.rest()
  const { promise, resolve } = Promise.withResolvers<void>()
  const looking = setInterval(() => reader.comments.length > 1 && resolve(), 1)
  await promise
  clearInterval(looking)
  await t.server.close()
  expect(await rest).toEqual([])
})

test('UX a task is cancelled once, and whoever reads is told', async () => {
  const { t, taskId } = await begun({
    script: { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [PAY] },
  })
  await t.app.tasks.settled()
  const reader = new StreamReader(await t.get(`/api/tasks/${taskId}/events`))
  await reader.until('background-task-suspended')
  const path = `/api/tasks/${taskId}/cancel`
  expect(await json(t.post(path, { reason: 'too late' }))).toEqual({ taskId, cancelled: true })
  expect(JSON.parse(String((await reader.rest()).at(-1)?.data))).toMatchObject({ payload: { reason: 'too late' } })
  expect(await json(t.post(path))).toEqual({ taskId, cancelled: false })
  expect((await tasksOf(t))[0]).toMatchObject({
    status: 'cancelled',
    error: { code: 'task-cancelled', message: 'too late' },
  })
  for (const body of [{ data: 1 }, { data: 1, toolCallId: 'p1' }])
    expect(await json(t.post(`/api/tasks/${taskId}/answer`, body))).toMatchObject({ code: 'task-ended' })
})

test('UX what is said to a task its agent reads; nothing is said to one that has ended', async () => {
  const more = Promise.withResolvers<void>()
  const { t, taskId } = await begun({
    script: {
      lead: [SCOUT, { text: 'It looks.' }],
      'lead/scout': [
        { calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }], after: more.promise },
        { text: 'ZEBRA' },
      ],
    },
  })
  const path = `/api/tasks/${taskId}/messages`
  expect((await t.post(path, { text: 'Only 2024.' })).status).toBe(202)
  for (const body of [{}, { text: '' }, { text: ' ' }, { text: 1 }]) expect((await t.post(path, body)).status).toBe(400)
  more.resolve()
  await t.app.tasks.settled()
  expect(t.script.calls('lead/scout')[1]?.text).toContain('Only 2024.')
  const late = await t.post(path, { text: 'More.' })
  expect([late.status, (await json(late))['code']]).toEqual([409, 'task-ended'])
})

test('B9.5 what tasks ask is found by pages, whatever else waits for the same person', async () => {
  const asks = (id: string) => ({ calls: [{ id, name: 'pay_bill', args: { euros: 1 } }] })
  const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'scout', args: { prompt: id } }))
  const t = testApp({
    script: {
      plain: Array.from({ length: 30 }, (_none, n) => asks(`p${n}`)),
      lead: [{ calls }, { text: 'They ask.' }],
      'lead/scout': [ASK, ASK, ASK],
    },
  })
  for (let n = 0; n < 30; n++) await t.post('/api/agents/plain/generate', { input: 'Pay.' })
  await t.post('/api/agents/lead/generate', { input: 'Go.', threadId: 't1' })
  await t.app.tasks.settled()
  const { approvals, tasks } = t.storage
  const read = { approvals: 0, tasks: 0 }
  const [list, get, listTasks] = [approvals.list, tasks.get, tasks.list]
  approvals.list = (query) => {
    read.approvals += 1
    return list.call(approvals, query)
  }
  tasks.get = (taskId) => {
    read.tasks += 1
    return get.call(tasks, taskId)
  }
  tasks.list = (query) => {
    read.tasks += 1
    return listTasks.call(tasks, query)
  }
  const seen: unknown[] = []
  let cursor = ''
  do {
    const page = await json(t.get(`/api/tasks/questions?limit=2${cursor}`))
    seen.push((page['questions'] as Json[]).map(({ taskId }) => taskId))
    cursor = page['next'] === undefined ? '' : `&cursor=${page['next']}`
  } while (cursor !== '')
  const ids = (await listTasks.call(tasks, {})).items.map(({ taskId }) => taskId)
  expect(seen.map((page) => (page as unknown[]).length)).toEqual([2, 1])
  expect(seen.flat().sort()).toEqual(ids.sort())
  expect(read).toEqual({ approvals: 2, tasks: 2 })
})

test('B9.5 what a task asks is found and answered, and the task goes on', async () => {
  const { t, runId, taskId } = await begun({
    script: { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [ASK, { text: 'ZEBRA' }] },
  })
  await t.app.tasks.settled()
  const asked = { taskId, toolCallId: 'q1', requiresApproval: false, suspendPayload: { question: 'Which year?' } }
  for (const query of ['', `?runId=${runId}`, '?threadId=t1', '?agentId=lead'])
    expect([query, await json(t.get(`/api/tasks/questions${query}`))]).toMatchObject([query, { questions: [asked] }])
  expect(await json(t.get('/api/tasks/questions?runId=none'))).toEqual({ questions: [], unreadable: [] })
  const path = `/api/tasks/${taskId}/answer`
  expect((await t.post(path, {})).status).toBe(400)
  expect((await t.post(path, { data: '2024', toolCallId: 'none' })).status).toBe(404)
  const answered = await t.post(path, { data: '2024' })
  expect([answered.status, await json(answered)]).toEqual([202, { taskId, runId }])
  await t.app.tasks.settled()
  expect(t.script.calls('lead/scout')[1]?.text).toContain('2024')
  expect((await tasksOf(t))[0]).toMatchObject({ status: 'completed' })
  expect((await t.post(path, { data: '2025' })).status).toBe(409)
  expect((await t.storage.approvals.list({ runId: taskId })).items[0]?.decision).toMatchObject({ by: 'local' })
})

test('B9.5 an answer gives the events of the task, where its run has ended, and they are found again by its id', async () => {
  const { t, taskId } = await begun({
    script: { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [ASK, { text: 'ZEBRA' }] },
  })
  await t.app.tasks.settled()
  const response = await t.post(
    `/api/tasks/${taskId}/answer`,
    { data: '2024' },
    { headers: { accept: 'text/event-stream' } },
  )
  expect(response.headers.get('x-retinue-run-id')).toBe(taskId)
  const chunks = await chunksOf(response)
  expect(chunks.at(-1)).toMatchObject({ type: 'background-task-completed', payload: { taskId } })
  const again = await t.get(`/api/runs/${taskId}/events`, { headers: { accept: 'text/event-stream' } })
  expect(await chunksOf(again)).toEqual(chunks)
  // It is no run of its own among the runs, and none that a chat would go on with.
  expect(await json(t.get('/api/runs'))).toEqual({ runs: [], unreadable: [] })
  expect((await t.get('/api/chat/lead/t1/stream')).status).toBe(204)
})

test.each(['approve', 'decline'] as const)(
  'B9.5 a call of a task is listed under the run that somebody began, and a person can %s it there',
  async (verb) => {
    const { t, runId, taskId } = await begun({
      script: { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [PAY, { text: 'ZEBRA' }] },
    })
    await t.app.tasks.settled()
    const approval = { runId, taskId, toolCallId: 'p1', status: 'pending', path: ['lead', 'scout'] }
    for (const query of ['', `?runId=${runId}`, '?status=pending', '?threadId=t1'])
      expect([query, await json(t.get(`/api/approvals${query}`))]).toMatchObject([query, { approvals: [approval] }])
    expect(await json(t.get(`/api/runs/${runId}`))).toMatchObject({ pendingCalls: [{ toolCallId: 'p1' }] })
    expect(await json(t.post(`/api/runs/${runId}/${verb}`))).toMatchObject({ runId: taskId, text: 'ZEBRA' })
    expect(t.paid).toEqual(verb === 'approve' ? [{ euros: 5 }] : [])
    expect((await tasksOf(t))[0]).toMatchObject({ status: 'completed' })
    expect((await t.post(`/api/runs/${runId}/${verb}`, { toolCallId: 'p1' })).status).toBeGreaterThanOrEqual(400)
  },
)

test('B9.5 it is decided by the run’s id by a server that has never seen the run', async () => {
  const script = { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [PAY, { text: 'ZEBRA' }] }
  const { t, runId, taskId } = await begun({ script })
  await t.app.tasks.settled()
  const other = testApp({ storage: t.storage, script: { 'lead/scout': [{ text: 'ZEBRA' }] } })
  await other.server.recover()
  expect(await json(other.get(`/api/runs/${runId}`))).toMatchObject({
    status: 'ended',
    pendingCalls: [{ toolCallId: 'p1' }],
  })
  expect(await json(other.get(`/api/runs/${taskId}`))).toMatchObject({ agentId: 'lead', status: 'suspended' })
  expect(await json(other.post(`/api/runs/${runId}/approve`, { toolCallId: 'p1' }))).toMatchObject({ text: 'ZEBRA' })
  expect([t.paid, other.paid]).toEqual([[], [{ euros: 5 }]])
})

test('B9.5 of a run that waits for its tasks it is the run that goes on', async () => {
  const { t, runId } = await begun(
    {
      script: { lead: [SCOUT, { text: 'It asks.' }, { text: 'It is paid.' }], 'lead/scout': [PAY, { text: 'ZEBRA' }] },
    },
    { untilIdle: true },
  )
  const result = await json(t.post(`/api/runs/${runId}/approve`, { toolCallId: 'p1' }))
  expect(result).toMatchObject({ runId, finishReason: 'stop', text: expect.stringContaining('It is paid.') })
  t.script.assertDone()
})

test('B9.5 while the run goes on, a decision on a call of its task ends and replaces nothing of it', async () => {
  const more = Promise.withResolvers<void>()
  const t = testApp({
    script: {
      lead: [SCOUT, { text: 'It asks.', after: more.promise }],
      'lead/scout': [PAY, { text: 'ZEBRA' }],
    },
  })
  const reader = new StreamReader(await t.post('/api/agents/lead/stream', { input: 'Go.', threadId: 't1' }))
  const { runId } = JSON.parse((await reader.until('background-task-suspended')).data) as { runId: string }
  const result = await json(t.post(`/api/runs/${runId}/approve`, { toolCallId: 'p1' }))
  expect(result).toMatchObject({ text: 'ZEBRA' })
  expect(await json(t.get(`/api/runs/${runId}`))).toMatchObject({ status: 'running' })
  expect(await json(t.get('/api/runs'))).toMatchObject({ runs: [{ runId, status: 'running' }] })
  more.resolve()
  expect(JSON.parse(String((await reader.rest()).at(-1)?.data))).toMatchObject({ type: 'finish', runId })
})

test('B9.5 a task that was decided is no run among the runs, needs no reader, and is cancelled as a task', async () => {
  const more = Promise.withResolvers<void>()
  const { t, taskId } = await begun({
    script: {
      lead: [SCOUT, { text: 'It asks.' }],
      'lead/scout': [ASK, { text: 'Never.', after: more.promise }],
    },
    settings: { detachMs: 0 },
  })
  await t.app.tasks.settled()
  const none = async (): Promise<void> => {
    expect(await json(t.get('/api/runs'))).toEqual({ runs: [], unreadable: [] })
    expect((await t.get('/api/chat/lead/t1/stream')).status).toBe(204)
  }
  await none()
  const headers = { accept: 'text/event-stream' }
  const reader = new StreamReader(await t.post(`/api/tasks/${taskId}/answer`, { data: '2024' }, { headers }))
  await reader.until('step-start')
  await reader.leave()
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
  expect((await tasksOf(t))[0]).toMatchObject({ status: 'running' })
  await none()
  expect((await t.post(`/api/runs/${taskId}/cancel`)).status).toBe(200)
  expect((await tasksOf(t))[0]).toMatchObject({ status: 'cancelled', error: { message: 'the run was cancelled' } })
  more.resolve()
})

test('UX to cancel a run that has ended ends what it left in the background', async () => {
  const { t, runId } = await begun({ script: { lead: [SCOUT, { text: 'It asks.' }], 'lead/scout': [PAY] } })
  await t.app.tasks.settled()
  expect((await t.post(`/api/runs/${runId}/cancel`)).status).toBe(200)
  expect((await tasksOf(t))[0]).toMatchObject({ status: 'cancelled' })
})

test('SEC what went wrong in a task is told without what the application said', async () => {
  const { t, taskId } = await begun({
    script: {
      lead: [SCOUT, { text: 'It looks.' }],
      'lead/scout': [
        new Error('the key is sk-secret'),
        new Error('the key is sk-secret'),
        new Error('the key is sk-secret'),
      ],
    },
  })
  await t.app.tasks.settled()
  const texts = await Promise.all(
    ['/api/tasks', `/api/tasks/${taskId}`, `/api/tasks/${taskId}/events`].map(async (path) =>
      (await t.get(path)).text(),
    ),
  )
  for (const text of texts) {
    expect(text).toContain('failed')
    expect(text).not.toMatch(/secret/)
  }
})

test('B12.3 a server that ends waits for the tasks that go on', async () => {
  const more = Promise.withResolvers<void>()
  const { t } = await begun({
    script: { lead: [SCOUT, { text: 'It looks.' }], 'lead/scout': [{ text: 'ZEBRA', after: more.promise }] },
  })
  const closing = t.server.close()
  more.resolve()
  await closing
  expect((await t.app.tasks.list()).items).toMatchObject([{ status: 'completed' }])
})

test('S30 the stream of a task goes on after the last event that was read, in its middle, and nothing is told twice', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { t, taskId } = await begun({
    script: {
      lead: [SCOUT, { text: 'It looks.' }],
      'lead/scout': [
        { calls: [{ id: 'a1', name: 'add', args: { a: 1, b: 2 } }], after: first.promise },
        { text: ['ZE', 'BRA'], after: second.promise },
      ],
    },
  })
  const path = `/api/tasks/${taskId}/events`
  const whole = new StreamReader(await t.get(path))
  await whole.until('background-task-running')
  const leaving = new StreamReader(await t.get(path))
  const { id: read } = await leaving.until('background-task-running')
  await leaving.leave()
  // What happens while it is away, also if nobody else reads, is told when it comes back.
  first.resolve()
  await whole.until('tool-result')
  await whole.leave()
  const header = { headers: { 'last-event-id': String(read) } }
  const back = new StreamReader(await t.get(path, header))
  const { id: later } = await back.until('tool-result')
  await back.leave()
  second.resolve()
  await t.app.tasks.settled()
  const rest = await new StreamReader(await t.get(`${path}?after=${later}`)).rest()
  const types = rest.map(({ data }) => (JSON.parse(data) as { type: string }).type)
  expect(types).toContain('text-delta')
  expect(types.filter((type) => type === 'tool-result' || type === 'background-task-running')).toEqual([])
  expect([types.at(-1), rest.at(-1)?.id]).toEqual(['background-task-completed', 'end'])
  // An id that this process does not know: how the task stands.
  const other = await t.get(path, { headers: { 'last-event-id': '1.1' } })
  expect((await chunksOf(other)).map(({ type }) => type)).toEqual(['background-task-completed'])
  expect((await t.get(path, { headers: { 'last-event-id': 'x' } })).status).toBe(400)
})
