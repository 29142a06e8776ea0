import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask, eventsOf, statesOf, team, times } from '../../test-support/background-team.ts'
import { gatedTool } from '../../test-support/gated-tree.ts'
import { Agent, type AgentOptions } from '../agent/index.ts'
import { Retinue } from '../retinue.ts'
import { InMemoryStorage } from '../storage/index.ts'
import { scriptedModels } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

afterEach(() => void vi.useRealTimers())

const script = () => ({
  sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
  'sup/a': [{ calls: [{ id: 'act-1', name: 'act', args: { to: 'bob' } }] }, { text: 'ZEBRA' }],
})

describe('B9.5 approvals inside a task', () => {
  test('are asked on the stream with the root’s run id; when nothing else is left the run is suspended, and one decision lets all go on', async () => {
    const { tool, ran } = gatedTool()
    const { sup, app, models } = team(script(), {
      children: { a: { tools: { act: tool } } },
      storage: new InMemoryStorage(),
    })
    const stream = await sup.streamUntilIdle('Go')
    const events = await eventsOf(stream)
    expect(await stream.finishReason).toBe('suspended')
    expect(statesOf(events)).toEqual(['started', 'running', 'suspended'])
    const asked = events.find(({ type }) => type === 'tool-call-approval')
    expect(asked).toMatchObject({
      runId: stream.runId,
      path: ['sup', 'a'],
      payload: { toolCallId: 'act-1', args: { to: 'bob' } },
    })
    expect(await stream.pendingCalls).toMatchObject([
      { toolCallId: 'act-1', path: ['sup', 'a'], requiresApproval: true },
    ])
    const listed = await sup.listSuspendedRuns()
    expect(listed).toMatchObject({ total: 1, runs: [{ runId: stream.runId, toolCalls: [{ toolCallId: 'act-1' }] }] })
    expect(ran).toEqual([])
    const result = await sup.approveToolCallGenerate({ runId: stream.runId, toolCallId: 'act-1' })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo', runId: stream.runId })
    expect(ran).toEqual([{ to: 'bob' }])
    expect(times(models.calls('sup')[2], 'ZEBRA')).toBe(1)
    models.assertDone()
    expect((await sup.listSuspendedRuns()).total).toBe(0)
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'completed', attempts: 1 }])
  })

  test('decided while another task still works, what comes of it is told on the stream that began it', async () => {
    const { tool, ran } = gatedTool()
    let finish = (): void => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = createTool({ id: 'slow', description: 'Takes long.', execute: () => held.then(() => 'SLOW') })
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a'), { name: 'slow', args: {} }] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [{ calls: [{ id: 'act-1', name: 'act', args: { to: 'bob' } }] }, { text: 'ZEBRA' }],
      },
      {
        sup: { tools: { slow }, backgroundTasks: { tools: { a: true, slow: true } } },
        children: { a: { tools: { act: tool } } },
      },
    )
    const stream = await sup.streamUntilIdle('Go')
    const states: string[] = []
    for await (const { type } of stream.fullStream) {
      if (!type.startsWith('background-task-')) continue
      states.push(type.slice('background-task-'.length))
      if (type === 'background-task-suspended')
        void sup.approveToolCallGenerate({ runId: stream.runId, toolCallId: 'act-1' }).finally(finish)
    }
    expect(states.filter((state) => state !== 'started')).toEqual([
      'running',
      'running',
      'suspended',
      'running',
      'completed',
      'completed',
    ])
    expect(ran).toEqual([{ to: 'bob' }])
    expect(times(models.calls('sup')[2], 'ZEBRA')).toBe(1)
  })

  test('decided and ended in another process, it is told while another task still works', async () => {
    vi.useFakeTimers()
    const { tool, ran } = gatedTool()
    const work = Promise.withResolvers<string>()
    const slow = createTool({ id: 'slow', description: 'Takes long.', execute: () => work.promise })
    const storage = new InMemoryStorage()
    const options = {
      sup: { tools: { slow }, backgroundTasks: { tools: { a: true, slow: true } } },
      children: { a: { tools: { act: tool } } },
      storage,
    }
    const act = { calls: [{ id: 'act-1', name: 'act', args: { to: 'bob' } }] }
    const sup = [{ calls: [ask('a'), { name: 'slow', args: {} }] }, { text: 'one' }, { text: 'two' }, { text: 'three' }]
    const here = team({ sup, 'sup/a': [act] }, options)
    const there = team({ sup: [], 'sup/a': [{ text: 'ZEBRA' }] }, options)
    const running = here.sup.generate('Go', { untilIdle: true })
    const runId = await vi.waitFor(async () => {
      const [task] = (await storage.tasks.list({ status: 'suspended' })).items
      return task?.taskId ?? Promise.reject(new Error('it does not wait yet'))
    })
    await there.sup.approveToolCallGenerate({ runId, toolCallId: 'act-1' })
    expect(ran).toHaveLength(1)
    expect((await storage.tasks.get(runId)).status).toBe('completed')
    await vi.advanceTimersByTimeAsync(3_000)
    expect(here.models.calls('sup')).toHaveLength(3)
    expect(times(here.models.calls('sup')[2], 'ZEBRA')).toBe(1)
    work.resolve('SLOW')
    await vi.advanceTimersByTimeAsync(100)
    expect((await running).text).toBe('one\n\ntwo\n\nthree')
    expect(times(here.models.calls('sup')[3], 'SLOW')).toBe(1)
  })

  test('the id of the call can be left out where one waits; so can the run be named by the task', async () => {
    for (const by of ['run', 'task'] as const) {
      const { tool, ran } = gatedTool()
      const { sup, app } = team(script(), { children: { a: { tools: { act: tool } } } })
      const { runId } = await sup.generate('Go')
      const [task] = (await app.tasks.list()).items
      const result = await sup.approveToolCallGenerate({ runId: by === 'run' ? runId : (task?.taskId as string) })
      expect(result.text).toBe('one\n\ntwo')
      expect(ran).toHaveLength(1)
    }
  })

  test('declined: it never runs, and the task goes on and says so', async () => {
    const { tool, ran } = gatedTool()
    const { sup, models } = team(script(), { children: { a: { tools: { act: tool } } } })
    const { runId } = await sup.generate('Go')
    const result = await sup.declineToolCallGenerate({ runId, toolCallId: 'act-1', reason: 'not now' })
    expect(result.text).toBe('one\n\ntwo')
    expect(ran).toEqual([])
    expect(times(models.calls('sup/a')[1], 'not now')).toBe(1)
  })

  test('of several decisions one is taken', async () => {
    const { tool, ran } = gatedTool()
    const { sup } = team(script(), { children: { a: { tools: { act: tool } } } })
    const { runId } = await sup.generate('Go')
    const decisions = await Promise.allSettled([
      sup.approveToolCallGenerate({ runId, toolCallId: 'act-1' }),
      sup.approveToolCallGenerate({ runId, toolCallId: 'act-1' }),
      sup.declineToolCallGenerate({ runId, toolCallId: 'act-1' }),
    ])
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(ran.length).toBeLessThanOrEqual(1)
    for (const each of decisions)
      if (each.status === 'rejected') expect(each.reason.code).toMatch(/^approval-|^run-not-found/)
  })

  test('two that wait must be told apart; after one decision the other still waits', async () => {
    const { tool, ran } = gatedTool()
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a'), ask('b')] }, { text: 'one' }, { text: 'two' }, { text: 'three' }],
        'sup/a': [{ calls: [{ id: 'x', name: 'act', args: { n: 1 } }] }, { text: 'AAA' }],
        'sup/b': [{ calls: [{ id: 'x', name: 'act', args: { n: 2 } }] }, { text: 'BBB' }],
      },
      { children: { a: { tools: { act: tool } }, b: { tools: { act: tool } } } },
    )
    const { runId, pendingCalls } = await sup.generate('Go')
    // A call id is unique in a root run, whichever task made it.
    const ids = (pendingCalls ?? []).map(({ toolCallId }) => toolCallId)
    expect(new Set(ids).size).toBe(2)
    await expect(sup.approveToolCallGenerate({ runId })).rejects.toMatchObject({ code: 'approval-ambiguous' })
    const first = await sup.approveToolCallGenerate({ runId, toolCallId: ids[1] as string })
    expect(first.finishReason).toBe('suspended')
    expect(first.pendingCalls).toMatchObject([{ toolCallId: ids[0] }])
    expect(ran).toHaveLength(1)
    const last = await sup.approveToolCallGenerate({ runId })
    expect(last).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo\n\nthree' })
    expect(models.calls('sup').map((call) => [times(call, 'AAA'), times(call, 'BBB')])).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
      [1, 1],
    ])
  })

  test('one can be decided as soon as it is asked, while the run still works', async () => {
    const { tool, ran } = gatedTool()
    const busy = Promise.withResolvers<void>()
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one', after: busy.promise }, { text: 'two' }],
        'sup/a': [{ calls: [{ id: 'act-1', name: 'act', args: {} }] }, { text: 'ZEBRA' }],
      },
      { children: { a: { tools: { act: tool } } } },
    )
    const stream = await sup.streamUntilIdle('Go')
    for await (const chunk of stream.events) if (chunk.type === 'tool-call-approval') break
    const decided = await sup.approveToolCall({ runId: stream.runId, toolCallId: 'act-1' })
    expect(await decided.text).toBe('ZEBRA')
    busy.resolve()
    expect(await stream.text).toBe('one\n\ntwo')
    expect(ran).toHaveLength(1)
    models.assertDone()
  })

  test('one of the run and one of a task must be told apart, too', async () => {
    const { tool, ran } = gatedTool()
    const storage = new InMemoryStorage()
    const { sup } = team(
      {
        sup: [{ calls: [ask('a'), { id: 'own-1', name: 'act', args: { n: 1 } }] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [{ calls: [{ id: 'act-1', name: 'act', args: { n: 2 } }] }, { text: 'AAA' }],
      },
      { sup: { tools: { act: tool } }, children: { a: { tools: { act: tool } } }, storage },
    )
    const { runId } = await sup.generate('Go')
    await vi.waitFor(async () => expect((await storage.approvals.list({ status: 'pending' })).items).toHaveLength(2))
    await expect(sup.approveToolCallGenerate({ runId })).rejects.toMatchObject({ code: 'approval-ambiguous' })
    expect(ran).toEqual([])
    await sup.approveToolCallGenerate({ runId, toolCallId: 'own-1' })
    const last = await sup.approveToolCallGenerate({ runId })
    expect(last).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo' })
    expect(ran).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('an answer to a suspended tool reaches it, also false, 0 and the empty text', async () => {
    for (const answer of [false, 0, '', null, { ok: true }]) {
      const seen: unknown[] = []
      const act = createTool({
        id: 'act',
        execute: (_input, { suspend, resumeData }) => {
          if (resumeData === undefined) return suspend({ why: 'which?' })
          seen.push(resumeData)
          return 'done'
        },
      })
      const { sup, app } = team(script(), { children: { a: { tools: { act } } } })
      const { runId, finishReason } = await sup.generate('Go')
      expect(finishReason).toBe('suspended')
      const [question] = await app.tasks.questions()
      expect(question).toMatchObject({
        toolCallId: 'act-1',
        suspendPayload: { why: 'which?' },
        requiresApproval: false,
      })
      const stream = await app.tasks.answer(question?.taskId as string, answer)
      expect(stream.runId).toBe(runId)
      expect(await stream.text).toBe('one\n\ntwo')
      expect(seen).toEqual([answer])
    }
  })

  test('a place is given back while it waits', async () => {
    const { tool } = gatedTool()
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a'), ask('b')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [{ calls: [{ id: 'x', name: 'act', args: {} }] }],
        'sup/b': [{ text: 'BBB' }],
      },
      { backgroundTasks: { enabled: true, globalConcurrency: 1 }, children: { a: { tools: { act: tool } } } },
    )
    const result = await sup.generate('Go')
    expect(result.finishReason).toBe('suspended')
    models.assertDone()
  })

  test('one that nobody decides on in time counts as declined, and the run goes on by itself', async () => {
    vi.useFakeTimers()
    const { tool, ran } = gatedTool()
    const { sup, app, models } = team(script(), { children: { a: { tools: { act: tool } } } })
    const running = sup.generate('Go', { approvalTimeoutMs: 60_000 })
    await vi.advanceTimersByTimeAsync(10)
    expect((await running).finishReason).toBe('suspended')
    await vi.advanceTimersByTimeAsync(61_000)
    expect(ran).toEqual([])
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'completed' }])
    expect(times(models.calls('sup/a')[1], 'nobody decided in time')).toBe(1)
    models.assertDone()
    expect((await sup.listSuspendedRuns()).total).toBe(0)
  })

  test('B2.4 what the parent wants decided binds the task too', async () => {
    const { sup } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }],
        'sup/a': [{ calls: [{ id: 'x', name: 'plain', args: {} }] }],
      },
      { children: { a: { tools: { plain: createTool({ id: 'plain', execute: () => 1 }) } } } },
    )
    const gate = ({ toolName }: { toolName: string }) => toolName === 'plain'
    const result = await sup.generate('Go', { requireToolApproval: gate })
    expect(result.pendingCalls).toMatchObject([{ toolName: 'plain', path: ['sup', 'a'] }])
  })

  test('an approval of the delegation itself is asked before it becomes a task', async () => {
    const { sup, app, models } = team({
      sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const { runId, pendingCalls } = await sup.generate('Go', { requireToolApproval: true })
    expect(pendingCalls).toMatchObject([{ toolName: 'a', path: ['sup'] }])
    expect((await app.tasks.list()).items).toEqual([])
    const result = await sup.approveToolCallGenerate({ runId })
    expect(result.text).toBe('one\n\ntwo')
    models.assertDone()
  })
})

describe('B9.5 approvals inside a task of a task', () => {
  const nested = (mid: 'background' | 'foreground', more: Parameters<typeof team>[1] = {}) => {
    const { tool, ran } = gatedTool()
    const isTask = mid === 'background'
    const models = scriptedModels({
      sup: [{ calls: [ask('a')] }, { text: 'one' }, ...(isTask ? [{ text: 'two' }] : [])],
      'sup/a': [{ calls: [ask('c')] }, { text: 'not yet' }, { text: 'AAA' }],
      'sup/a/c': [{ calls: [{ id: 'act-1', name: 'act', args: {} }] }, { text: 'CCC' }],
    })
    const agent = (id: string, path: string, own: Partial<AgentOptions>) =>
      new Agent({ id, description: 'd', model: models.at(path), ...own })
    const c = agent('c', 'sup/a/c', { tools: { act: tool } })
    const a = agent('a', 'sup/a', { agents: { c }, backgroundTasks: { tools: { c: true } } })
    const sup = agent('sup', 'sup', { agents: { a }, backgroundTasks: { tools: { a: isTask } } })
    const app = new Retinue({ agents: { sup }, backgroundTasks: { enabled: true }, logger: false, ...more })
    return { sup: app.getAgent('sup'), app, models, ran }
  }

  test.each(['background', 'foreground'] as const)(
    'the run says what is asked there, and one decision lets all of them go on: its parent is in the %s',
    async (mid) => {
      const { sup, app, models, ran } = nested(mid, { storage: new InMemoryStorage() })
      const { runId, finishReason, pendingCalls } = await sup.generate('Go')
      expect(finishReason).toBe('suspended')
      expect(pendingCalls).toMatchObject([{ toolCallId: 'act-1', path: ['sup', 'a', 'c'], requiresApproval: true }])
      const result = await sup.approveToolCallGenerate({ runId })
      expect(result).toMatchObject({ runId, finishReason: 'stop', text: mid === 'background' ? 'one\n\ntwo' : 'one' })
      expect(ran).toHaveLength(1)
      expect(times(models.calls('sup/a')[2], 'CCC')).toBe(1)
      expect(times(models.calls('sup').at(-1), 'AAA')).toBe(1)
      models.assertDone()
      expect((await app.tasks.list({ status: ['pending', 'running', 'suspended'] })).items).toEqual([])
    },
  )

  test('one that nobody decides on in time counts as declined, and all that waited for it goes on by itself', async () => {
    vi.useFakeTimers()
    const { sup, app, models, ran } = nested('background')
    const running = sup.generate('Go', { approvalTimeoutMs: 60_000 })
    await vi.advanceTimersByTimeAsync(10)
    expect((await running).finishReason).toBe('suspended')
    await vi.advanceTimersByTimeAsync(61_000)
    expect(ran).toEqual([])
    models.assertDone()
    expect((await app.tasks.list()).items.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect((await sup.listSuspendedRuns()).total).toBe(0)
  })

  test.each(['background', 'foreground'] as const)(
    'whoever decided died before it could go on: the run goes on with it when it is resumed; its parent is in the %s',
    async (mid) => {
      const storage = new InMemoryStorage()
      const { sup, models, ran } = nested(mid, { storage })
      const { runId } = await sup.generate('Go')
      const [asked] = (await storage.approvals.list({})).items
      const { runId: taskId, toolCallId, round } = asked as NonNullable<typeof asked>
      await storage.approvals.change({ runId: taskId, toolCallId, round, from: ['pending'], to: 'approved', at: 1 })
      expect(await sup.resumeRunGenerate({ runId })).toMatchObject({ finishReason: 'stop' })
      expect(ran).toHaveLength(1)
      models.assertDone()
    },
  )

  test('decided while the run is about to wait: it goes on all the same', async () => {
    const storage = new InMemoryStorage()
    const { sup, app, models } = nested('background', { storage })
    const save = storage.runs.save.bind(storage.runs)
    // The decision comes, and the task ends, between the run's look at it and the write that says that the run waits.
    storage.runs.save = async (run) => {
      if (run.agentId === 'sup' && run.status === 'suspended' && models.calls('sup/a').length === 2) {
        await sup.approveToolCallGenerate({ runId: run.runId, toolCallId: 'act-1' })
        await app.tasks.settled()
      }
      return save(run)
    }
    await sup.generate('Go')
    while (models.calls('sup').length < 3) await new Promise<void>((resolve) => setImmediate(resolve))
    expect(times(models.calls('sup')[2], 'AAA')).toBe(1)
  })
})

describe('B9.5 cancelling', () => {
  test('a task that waits: nobody needs to decide it any more, and its model is told', async () => {
    const { tool } = gatedTool()
    const storage = new InMemoryStorage()
    const { sup, app, models } = team(script(), { children: { a: { tools: { act: tool } } }, storage })
    const { runId } = await sup.generate('Go')
    const [task] = (await app.tasks.list()).items
    expect(await app.tasks.cancel(task?.taskId as string, 'not needed')).toBe(true)
    expect((await storage.approvals.list({})).items.map(({ status }) => status)).toEqual(['cancelled'])
    // The run that waited for it goes on by itself.
    await vi.waitFor(() => expect(models.calls('sup')).toHaveLength(3))
    await expect(sup.approveToolCall({ runId, toolCallId: 'act-1' })).rejects.toMatchObject({ code: 'run-not-found' })
    expect(times(models.calls('sup')[2], 'was cancelled')).toBe(1)
    expect(times(models.calls('sup')[2], 'not needed')).toBe(1)
  })

  test('cancelRun ends a run with all its tasks', async () => {
    const { tool } = gatedTool()
    const storage = new InMemoryStorage()
    const { sup, app } = team(script(), { children: { a: { tools: { act: tool } } }, storage })
    const { runId } = await sup.generate('Go')
    await sup.cancelRun(runId)
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'cancelled' }])
    expect((await storage.runs.list({})).total).toBe(0)
    expect((await sup.listSuspendedRuns()).total).toBe(0)
    await expect(sup.cancelRun(runId)).rejects.toMatchObject({ code: 'run-not-found' })
  })
})
