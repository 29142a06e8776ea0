import { expect, test } from 'vitest'
import { testApp } from '../../test-support/test-app.ts'

test('B12.3 the pages of the runs name each run once, also those that this process works on', async () => {
  const waits = { text: 'Done.', after: new Promise<void>(() => {}) }
  const t = testApp({ durable: true, script: { plain: [waits, waits, waits, waits] } })
  for (let i = 0; i < 4; i++) void t.post('/api/agents/plain/generate', { input: 'Hi.' })
  while (t.script.calls('plain').length < 4) await new Promise((resolve) => setImmediate(resolve))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = (await (await t.get(`/api/runs?limit=2${query}`)).json()) as {
      runs: { runId: string }[]
      next?: string
    }
    seen.push(...page.runs.map(({ runId }) => runId))
    cursor = page.next
  } while (cursor !== undefined)
  expect(seen).toHaveLength(4)
  expect(new Set(seen).size).toBe(4)
  for (const runId of seen) await t.post(`/api/runs/${runId}/cancel`)
})

/** All the pages of a list. */
async function pagesOf(t: ReturnType<typeof testApp>, path: string, name: string): Promise<unknown[][]> {
  const pages: unknown[][] = []
  let cursor = ''
  do {
    const page = (await (await t.get(`${path}${cursor}`)).json()) as { next?: string; unreadable: unknown[] } & Record<
      string,
      unknown[]
    >
    expect(page.unreadable).toEqual([])
    pages.push(page[name] as unknown[])
    cursor = page.next === undefined ? '' : `&cursor=${encodeURIComponent(page.next)}`
  } while (cursor !== '')
  return pages
}

test('B12.3 no page of the runs has more than was asked for, and each run is on one, whoever works on it', async () => {
  const holds = Promise.withResolvers<void>()
  const pay = { calls: [{ id: 'p', name: 'pay_bill', args: { euros: 1 } }] }
  const slow = { text: 'Slow.', after: holds.promise }
  const t = testApp({ script: { plain: [pay, pay, pay, slow, slow, slow] } })
  for (let i = 0; i < 3; i++) await (await t.post('/api/agents/plain/generate', { input: 'Pay.' })).json()
  for (let i = 0; i < 3; i++) await t.post('/api/agents/plain/stream', { input: 'Talk.' })
  const ids = async (path: string) =>
    (await pagesOf(t, path, 'runs')).map((page) => (page as { runId: string }[]).map(({ runId }) => runId))
  const [all] = await ids('/api/runs?agentId=plain')
  expect(new Set(all).size).toBe(6)
  for (const limit of [1, 2, 3, 4]) {
    const pages = await ids(`/api/runs?limit=${limit}`)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit)
    expect(pages.flat()).toEqual(all)
  }
  expect((await ids('/api/runs?status=running&limit=2')).flat()).toEqual(all?.slice(0, 3))
  for (const cursor of ['x', 'live:', 'stored:x']) expect((await t.get(`/api/runs?cursor=${cursor}`)).status).toBe(400)
  holds.resolve()
  await t.server.close()
})

test('B12.3 what tasks ask stands among what their run asks, in the order in which it was asked, on pages that are full', async () => {
  const call = (id: string, name: string, args: object) => ({ id, name, args })
  const scouts = ['s1', 's2', 's3'].map((id) => call(id, 'scout', { prompt: 'Go.' }))
  const asks = (id: string) => ({ calls: [call(id, 'pay', { euros: 1 })] })
  const t = testApp({
    script: {
      lead: [{ calls: scouts }, { text: 'They ask.' }],
      'lead/scout': [asks('a'), asks('b'), asks('c')],
      sup: [{ calls: [call('own', 'pay_bill', { euros: 1 })] }],
    },
  })
  const began = await t.post('/api/agents/lead/generate', { input: 'Go.', threadId: 't1' })
  const { runId } = (await began.json()) as { runId: string }
  await t.app.tasks.settled()
  await (await t.post('/api/agents/sup/generate', { input: 'Pay.', threadId: 't2' })).json()
  const calls = async (path: string, name: string) =>
    (await pagesOf(t, path, name)).map((page) => (page as { toolCallId: string }[]).map(({ toolCallId }) => toolCallId))
  const asked = (await calls('/api/approvals?limit=9', 'approvals')).flat()
  expect(asked.toSorted()).toEqual(['a', 'b', 'c', 'own'])
  const ofTasks = asked.filter((id) => id !== 'own')
  const pages = [ofTasks.slice(0, 2), ofTasks.slice(2)]
  expect(await calls(`/api/approvals?runId=${runId}&limit=2`, 'approvals')).toEqual(pages)
  expect(await calls('/api/tasks/questions?limit=2', 'questions')).toEqual(pages)
  expect(await calls(`/api/tasks/questions?runId=${runId}&limit=2`, 'questions')).toEqual(pages)
  expect(await calls('/api/tasks/questions?threadId=t2&limit=2', 'questions')).toEqual([[]])
})
