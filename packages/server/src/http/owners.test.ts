import type { Storage } from '@retinue/core/storage'
import { expect, test } from 'vitest'
import { bodyOf, type Ids, pathOf, TABLE } from '../../test-support/every-route.ts'
import { type TestApp, testApp } from '../../test-support/test-app.ts'
import type { Route } from './route.ts'
import { SCOPES } from './scope.ts'

const USERS = ['ada', 'bob', 'eve'] as const
type User = (typeof USERS)[number]
const THREADS = 20

/** What stands in everything of a user. */
function markOf(user: User): string {
  return `mark-of-${user}`
}

interface Owned {
  readonly threads: readonly string[]
  /** A run that waits for a person, and one that has ended. */
  readonly runs: readonly string[]
  /** Background tasks: one that waits for an approval, of a run in a thread; one that asks, of a run without; one that has ended. */
  readonly tasks: readonly string[]
}

/** Users with threads, runs that wait and runs that have ended. */
async function withUsers(): Promise<{ t: TestApp; owned: Record<User, Owned> }> {
  const turns = USERS.flatMap((user) => [
    { text: markOf(user) },
    { calls: [{ id: `call-of-${user}`, name: 'pay_bill', args: { euros: 1, note: markOf(user) } }] },
  ])
  const scout = { calls: [{ id: 's', name: 'scout', args: { prompt: 'Look.' } }] }
  const tasks = {
    lead: USERS.flatMap((user) => [
      { calls: [{ id: `lead-${user}`, name: 'scout', args: { prompt: markOf(user) } }] },
      { text: 'It waits.' },
    ]),
    'lead/scout': USERS.flatMap((user) => [
      { calls: [{ id: `pay-of-${user}`, name: 'pay', args: { euros: 1, note: markOf(user) } }] },
    ]),
    loner: USERS.flatMap(() => [scout, { text: 'It asks.' }, scout, { text: 'It goes on.' }, { text: 'Done.' }]),
    'loner/scout': USERS.flatMap((user) => [
      { calls: [{ id: `ask-of-${user}`, name: 'ask', args: { question: markOf(user) } }] },
      { text: markOf(user) },
    ]),
  }
  const t = testApp({ users: true, durable: true, script: { sup: turns, ...tasks } })
  const owned = {} as Record<User, Owned>
  for (const user of USERS) {
    const threads = Array.from({ length: THREADS }, (_none, index) => `thread-${index}-of-${user}`)
    for (const threadId of threads) {
      await t.storage.threads.create({ threadId, resourceId: user, title: markOf(user), at: 1 })
      const content = [{ type: 'text' as const, text: markOf(user) }]
      await t.storage.threads.append({
        threadId,
        resourceId: user,
        messages: [{ id: 'm', message: { role: 'user', content }, createdAt: 1 }],
      })
    }
    const runs: string[] = []
    for (const threadId of threads.slice(0, 2)) {
      const response = await t.post('/api/agents/sup/generate', { input: markOf(user), threadId }, { as: user })
      runs.push(((await response.json()) as { runId: string }).runId)
    }
    const input = markOf(user)
    for (const [agent, threadId] of [['lead', threads[2]], ['loner'], ['loner']])
      await t.post(`/api/agents/${agent}/generate`, { input, threadId }, { as: user })
    await t.app.tasks.settled()
    const { items } = await t.app.tasks.list({ resourceId: user })
    expect(items.map(({ status }) => status)).toEqual(['suspended', 'suspended', 'completed'])
    const rest = await t.storage.runs.list({ resourceId: user })
    const waiting = items.map(({ rootRunId }) => rootRunId).filter((id) => rest.items.some(({ runId }) => runId === id))
    owned[user] = { threads, runs: [...runs, ...waiting], tasks: items.map(({ taskId }) => taskId) }
  }
  return { t, owned }
}

/** All that a store has of users, to see that nothing has changed. */
async function contentsOf(storage: Storage): Promise<unknown> {
  const all = await Promise.all(
    USERS.map(async (resourceId) => {
      const { items } = await storage.threads.list({ resourceId, limit: 1000 })
      const messages = await Promise.all(
        items.map(({ id: threadId }) => storage.threads.listMessages({ threadId, resourceId, limit: 1000 })),
      )
      const runs = await storage.runs.list({ resourceId })
      const tasks = await storage.tasks.list({ resourceId })
      const said = await Promise.all(tasks.items.map(({ taskId }) => storage.tasks.messages({ taskId, after: 0 })))
      const approvals = (await storage.approvals.list({ resourceId })).items
      return { items, messages, runs: runs.items, approvals, tasks: tasks.items, said }
    }),
  )
  return JSON.parse(JSON.stringify(all))
}

function send(
  t: TestApp,
  route: Route,
  ids: Ids,
  as: string | undefined,
  more: { query?: string; body?: object } = {},
) {
  const body = bodyOf(route, ids)
  return t.call(route.method.toUpperCase(), `${pathOf(route, ids)}${more.query ?? ''}`, {
    ...(body === undefined ? {} : { body: { ...(body as object), ...more.body } }),
    ...(as === undefined ? {} : { as }),
  })
}

/** What was answered; of a stream of events, which may never end, only that it is one. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.includes('event-stream')) return response.text()
  await response.body?.cancel()
  return 'a stream of events'
}

/** An answer without what names the request itself. */
async function said(response: Response, ids: readonly string[]): Promise<string> {
  const text = await textOf(response)
  return ids.reduce((clean, id) => clean.replaceAll(id, '<id>'), text).replace(/"requestId":"[^"]*"/, '')
}

test('R16 every route has an owner rule, and one that names a run or a thread is checked by it', () => {
  for (const { method, path, owner } of TABLE) {
    expect(owner === 'public' || Object.hasOwn(SCOPES, owner), `${method} ${path}: ${owner}`).toBe(true)
    if (path.includes(':runId')) expect([path, owner]).toEqual([path, 'run'])
    if (path.includes(':taskId')) expect([path, owner]).toEqual([path, 'task'])
    if (path.includes(':threadId')) expect([path, owner]).toEqual([path, 'thread'])
    if (path.includes(':chatId')) expect([path, owner]).toEqual([path, 'begin'])
    if (owner === 'public') expect(['/healthz', '/readyz']).toContain(path)
  }
})

test('R16 nobody gets at what is of others, by whatever route and whatever id', { timeout: 120_000 }, async () => {
  const { t, owned } = await withUsers()
  const before = await contentsOf(t.storage)
  const models = ['sup', 'lead', 'lead/scout', 'loner', 'loner/scout']
  const calls = () => models.map((each) => t.script.calls(each).length)
  const asked = calls()
  const leaks: string[] = []
  let tried = 0
  for (const route of TABLE) {
    for (const [index, user] of USERS.entries()) {
      const others = USERS.filter((other) => other !== user)
      const foreign = owned[others[index % 2] as User]
      const names = [...foreign.threads, ...foreign.runs, ...foreign.tasks, 'none', '../ada', '%00', "' OR 1=1 --", '*']
      // A route that names nothing is tried as often as there is something to claim.
      const ids =
        /:(runId|threadId|chatId|taskId)/.test(route.path) || route.owner === 'begin' ? names : names.slice(0, 1)
      for (const id of ids) {
        tried += 1
        const isOthers = [...foreign.threads, ...foreign.runs, ...foreign.tasks].includes(id)
        // What begins a run in a thread that nobody has is allowed, and is no matter of this test.
        if (route.owner === 'begin' && !isOthers && !route.path.includes(':chatId')) continue
        // They keep nothing, or make something of one's own.
        if (route.path.startsWith('/v1/chat') || (route.path === '/api/threads' && route.method === 'post')) continue
        const place = { runId: id, threadId: id, taskId: id }
        // Ids of runs are names of threads like others.
        if (route.owner === 'begin' && [...foreign.runs, ...foreign.tasks].includes(id)) continue
        const response = await send(t, route, place, user)
        const text = await textOf(response)
        const line = `${user}: ${route.method} ${route.path} ${id}: ${response.status} ${text.slice(0, 200)}`
        if (others.some((other) => text.includes(markOf(other)))) leaks.push(line)
        const isGone = response.status === 404 || response.status === 204 || response.status === 400
        const isNothing = route.path.endsWith('/stop') && text === '{"stopped":false}'
        const names = /:(runId|threadId|chatId|taskId)/.test(route.path) || route.owner === 'begin'
        if (names && !isGone && !isNothing) leaks.push(line)
      }
    }
  }
  expect(leaks).toEqual([])
  expect(tried).toBeGreaterThan(500)
  expect(calls()).toEqual(asked)
  expect(await contentsOf(t.storage)).toEqual(before)
})

test('S29 what is of others is answered with the words of what does not exist', async () => {
  const { t, owned } = await withUsers()
  const { runs, threads, tasks } = owned.bob
  const foreign = { runId: String(runs[1]), threadId: String(threads[0]), taskId: String(tasks[1]) }
  const missing = { runId: 'none', threadId: 'none', taskId: 'none' }
  for (const route of TABLE.filter(({ owner }) => owner === 'run' || owner === 'thread' || owner === 'task')) {
    const answers = []
    for (const ids of [foreign, missing]) {
      const response = await send(t, route, ids, 'ada')
      answers.push([response.status, await said(response, Object.values(ids))])
    }
    expect([route.path, answers[0]]).toEqual([route.path, answers[1]])
    expect(answers[0]?.[0]).toBe(404)
  }
})

test('S29 who asks is what the server knows: a resource that a request claims is refused', async () => {
  const { t, owned } = await withUsers()
  const { runs, threads, tasks } = owned.ada
  const own = { runId: String(runs[0]), threadId: String(threads[0]), taskId: String(tasks[0]) }
  const before = await contentsOf(t.storage)
  const calls = t.script.calls('sup').length
  let refused = 0
  for (const route of TABLE) {
    if (route.owner === 'public' || route.owner === 'caller') continue
    if (route.owner === 'run' || route.owner === 'task') continue
    const claims = [
      ...(route.query ? [{ query: '?resourceId=bob' }] : []),
      ...(route.body ? [{ body: { resourceId: 'bob' } }] : []),
    ]
    for (const claim of claims) {
      const response = await send(t, route, own, 'ada', claim)
      // A body that does not take one says so.
      expect([route.path, response.status === 403 || response.status === 400]).toEqual([route.path, true])
      if (response.status === 403) refused += 1
    }
  }
  expect(refused).toBeGreaterThan(10)
  expect(t.script.calls('sup').length).toBe(calls)
  expect(await contentsOf(t.storage)).toEqual(before)
})

test('S29 whoever is not known gets nothing but the health of the server', async () => {
  const { t, owned } = await withUsers()
  const ids = { runId: String(owned.ada.runs[0]), threadId: String(owned.ada.threads[0]) }
  for (const route of TABLE) {
    const response = await send(t, route, ids, undefined)
    expect([route.path, response.status]).toEqual([route.path, route.owner === 'public' ? 200 : 401])
  }
})

test('R16 users see what is theirs, and who sees all sees it all', async () => {
  const { t, owned } = await withUsers()
  const runs = async (as: string, query = '') =>
    ((await (await t.get(`/api/runs${query}`, { as })).json()) as { runs: { runId: string }[] }).runs.map(
      ({ runId }) => runId,
    )
  expect(await runs('ada')).toEqual(owned.ada.runs)
  expect((await runs('root')).toSorted()).toEqual(USERS.flatMap((user) => owned[user].runs).toSorted())
  expect(await runs('root', '?resourceId=bob')).toEqual(owned.bob.runs)
  const approvals = async (as: string) =>
    ((await (await t.get('/api/approvals', { as })).json()) as { approvals: { toolCallId: string }[] }).approvals.map(
      ({ toolCallId }) => toolCallId,
    )
  expect(await approvals('eve')).toEqual(['call-of-eve', 'pay-of-eve', 'ask-of-eve'])
  expect(await approvals('root')).toHaveLength(9)
  const told = async (path: string, as: string) => JSON.stringify(await (await t.get(path, { as })).json())
  const tasks = async (as: string, query = '') =>
    (JSON.parse(await told(`/api/tasks${query}`, as)) as { tasks: { taskId: string }[] }).tasks.map(
      ({ taskId }) => taskId,
    )
  expect(await tasks('ada')).toEqual(owned.ada.tasks)
  expect((await tasks('root')).toSorted()).toEqual(USERS.flatMap((user) => owned[user].tasks).toSorted())
  expect(await tasks('root', '?resourceId=eve')).toEqual(owned.eve.tasks)
  const questions = await told('/api/tasks/questions', 'bob')
  for (const call of ['pay-of-bob', 'ask-of-bob']) expect(questions).toContain(call)
  expect(questions).not.toMatch(/-of-(ada|eve)/)
  expect(await told(`/api/tasks/${owned.bob.tasks[2]}`, 'bob')).toContain(markOf('bob'))
  const threads = (await (await t.get('/api/threads?limit=50', { as: 'bob' })).json()) as { threads: { id: string }[] }
  expect(threads.threads.map(({ id }) => id).toSorted()).toEqual(owned.bob.threads.toSorted())
  const own = await t.get(`/api/threads/${owned.bob.threads[3]}/messages`, { as: 'bob' })
  expect(JSON.stringify(await own.json())).toContain(markOf('bob'))
  expect((await t.get(`/api/runs/${owned.bob.runs[1]}`, { as: 'bob' })).status).toBe(200)
  expect((await t.get(`/api/runs/${owned.bob.runs[1]}/events`, { as: 'bob' })).status).toBe(200)
})

test('B12.3 a token opens the server, and nothing that is like it', async () => {
  const token = 'a-token-of-some-length'
  const t = testApp({ settings: { token } })
  const status = async (authorization?: string) =>
    (await t.get('/api/agents', authorization === undefined ? {} : { headers: { authorization } })).status
  expect(await status(`Bearer ${token}`)).toBe(200)
  for (const wrong of [
    undefined,
    '',
    token,
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    `Basic ${token}`,
    'Bearer ',
  ])
    expect([wrong, await status(wrong)]).toEqual([wrong, 401])
})

test('B12.3 a caller that the application makes without a resource is a failure of the server, not everybody', async () => {
  for (const caller of [{}, { resourceId: '' }, { resourceId: 7 }, { resourceId: 'ada', sees: 'much' }]) {
    const t = testApp({ settings: { auth: () => caller as never } })
    const response = await t.get('/api/runs')
    expect(response.status).toBe(500)
    expect(((await response.json()) as { code: string }).code).toBe('server-settings-invalid')
  }
})
