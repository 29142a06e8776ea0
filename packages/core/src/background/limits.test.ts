import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask, eventsOf, statesOf, team, times } from '../../test-support/background-team.ts'
import type { ScriptedTurn } from '../testing/index.ts'
import { createTool } from '../tools/index.ts'

afterEach(() => void vi.useRealTimers())

/** Subagents that count how many of them work at once, and go on when they are let. */
function counted(keys: readonly string[]) {
  const gates = new Map(keys.map((key) => [key, Promise.withResolvers<void>()]))
  let working = 0
  let most = 0
  const order: string[] = []
  const turn =
    (key: string): ScriptedTurn =>
    async () => {
      order.push(key)
      working += 1
      most = Math.max(most, working)
      await gates.get(key)?.promise
      working -= 1
      return { text: `did ${key}` }
    }
  return { turn, order, most: () => most, let: (key: string) => gates.get(key)?.resolve(), now: () => working }
}

const KEYS = ['a', 'b', 'c', 'd']
const settle = async () => {
  for (let n = 0; n < 50; n++) await new Promise<void>((resolve) => setImmediate(resolve))
}

describe('B9.1 how many tasks work at once', () => {
  test('queue: the others wait for their turn, in the order of asking', async () => {
    const work = counted(KEYS)
    const { sup, app } = team(
      {
        sup: [
          { calls: KEYS.map((key) => ask(key)) },
          { text: 'one' },
          { text: 'two' },
          { text: 'x' },
          { text: 'y' },
          { text: 'z' },
        ],
        ...Object.fromEntries(KEYS.map((key) => [`sup/${key}`, [work.turn(key)]])),
      },
      { backgroundTasks: { enabled: true, globalConcurrency: 2 } },
    )
    const running = sup.generate('Go', { untilIdle: true })
    await settle()
    expect(work.order).toEqual(['a', 'b'])
    const { items } = await app.tasks.list()
    expect(items.map(({ status }) => status)).toEqual(['running', 'running', 'pending', 'pending'])
    work.let('b')
    await settle()
    expect(work.order).toEqual(['a', 'b', 'c'])
    for (const key of KEYS) work.let(key)
    const result = await running
    expect(result.finishReason).toBe('stop')
    expect(work.most()).toBe(2)
    expect(work.order).toEqual(KEYS)
  })

  test('of one agent at most so many, and others are not held up by those that wait', async () => {
    const gate = Promise.withResolvers<void>()
    const { sup, models } = team(
      {
        sup: [
          { calls: [ask('a', '1', 'c1'), ask('a', '2', 'c2'), ask('b')] },
          { text: 'one' },
          { text: 'x' },
          { text: 'y' },
          { text: 'z' },
        ],
        'sup/a': [{ text: 'A1', after: gate.promise }, { text: 'A2' }],
        'sup/b': [{ text: 'B' }],
      },
      { backgroundTasks: { enabled: true, perAgentConcurrency: 1 } },
    )
    const running = sup.generate('Go', { untilIdle: true })
    await settle()
    expect(models.calls('sup/a')).toHaveLength(1)
    expect(models.calls('sup/b')).toHaveLength(1)
    gate.resolve()
    await running
    expect(models.calls('sup/a')).toHaveLength(2)
  })

  test('reject: the model reads that it was not started, and no hook was asked', async () => {
    const gate = Promise.withResolvers<void>()
    const onDelegationStart = vi.fn()
    const { sup, models } = team(
      {
        sup: [
          { calls: [ask('a'), ask('b')] },
          () => {
            gate.resolve()
            return { text: 'one' }
          },
          { text: 'two' },
        ],
        'sup/a': [{ text: 'A', after: gate.promise }],
        'sup/b': [],
      },
      { backgroundTasks: { enabled: true, globalConcurrency: 1, onLimit: 'reject' } },
    )
    const { toolResults, text } = await sup.generate('Go', { delegation: { onDelegationStart } })
    expect(toolResults[1]?.error).toMatchObject({ code: 'task-limit' })
    expect(text).toBe('one\n\ntwo')
    expect(onDelegationStart).toHaveBeenCalledTimes(1)
    expect(times(models.calls('sup')[1], 'As many background tasks run as may')).toBe(1)
    models.assertDone()
  })

  test('run: it is run in the foreground', async () => {
    const gate = Promise.withResolvers<void>()
    const { sup, models } = team(
      {
        sup: [
          { calls: [ask('a'), ask('b')] },
          () => {
            gate.resolve()
            return { text: 'one' }
          },
          { text: 'two' },
        ],
        'sup/a': [{ text: 'AAA', after: gate.promise }],
        'sup/b': [{ text: 'BBB' }],
      },
      { backgroundTasks: { enabled: true, globalConcurrency: 1, onLimit: 'run' } },
    )
    const result = await sup.generate('Go')
    expect(result.toolResults[1]).toMatchObject({ result: { status: 'completed', text: 'BBB' } })
    expect(models.calls('sup').map((call) => [times(call, 'AAA'), times(call, 'BBB')])).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
    ])
  })

  test('a call that a hook rejects gives its place back', async () => {
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { calls: [ask('b')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [],
        'sup/b': [{ text: 'B' }],
      },
      { backgroundTasks: { enabled: true, globalConcurrency: 1, onLimit: 'reject' } },
    )
    const onDelegationStart = ({ key }: { key: string }) => (key === 'a' ? { proceed: false } : undefined)
    const result = await sup.generate('Go', { delegation: { onDelegationStart } })
    expect(result.toolResults[0]).toMatchObject({ result: { status: 'rejected' } })
    expect(result.text).toBe('one\n\ntwo')
    models.assertDone()
  })

  test('B9.4 a task that waits for its own tasks gives its place to them', async () => {
    const { sup, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [{ calls: [{ id: 'i', name: 'slow', args: {} }] }, { text: 'not yet' }, { text: 'A' }],
      },
      {
        backgroundTasks: { enabled: true, globalConcurrency: 1 },
        children: { a: { tools: { slow: createTool({ id: 'slow', background: true, execute: () => 'found' }) } } },
      },
    )
    expect((await sup.generate('Go')).text).toBe('one\n\ntwo')
    models.assertDone()
  })
})

describe('B9.4 how long a task may take', () => {
  test('one that takes too long is stopped: `timed-out`, and never a success', async () => {
    vi.useFakeTimers()
    let aborted = false
    const { sup, app, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [
          ({ options }) =>
            new Promise(() => {
              options.abortSignal?.addEventListener('abort', () => {
                aborted = true
              })
            }),
        ],
      },
      { sup: { backgroundTasks: { tools: { a: { enabled: true, timeoutMs: 5_000, maxRetries: 2 } } } } },
    )
    const stream = await sup.stream('Go')
    const events = eventsOf(stream)
    await vi.advanceTimersByTimeAsync(4_999)
    expect((await app.tasks.list()).items[0]?.status).toBe('running')
    await vi.advanceTimersByTimeAsync(1)
    expect(statesOf(await events)).toEqual(['started', 'running', 'timed-out'])
    expect(aborted).toBe(true)
    const [task] = (await app.tasks.list()).items
    expect(task).toMatchObject({ status: 'timed-out', attempts: 1, error: { code: 'run-timed-out' } })
    expect(times(models.calls('sup')[2], 'took too long')).toBe(1)
    expect(await stream.text).toBe('one\n\ntwo')
  })

  test('the time in which it waits for its place does not count', async () => {
    vi.useFakeTimers()
    const gate = Promise.withResolvers<void>()
    const { sup, app } = team(
      {
        sup: [{ calls: [ask('a'), ask('b')] }, { text: 'one' }, { text: 'two' }, { text: 'three' }],
        'sup/a': [{ text: 'A', after: gate.promise }],
        'sup/b': [async () => ({ text: 'B', after: new Promise((resolve) => setTimeout(resolve, 900)) })],
      },
      {
        backgroundTasks: { enabled: true, globalConcurrency: 1 },
        sup: { backgroundTasks: { tools: { a: true, b: { timeoutMs: 1_000 } } } },
      },
    )
    const running = sup.generate('Go')
    await vi.advanceTimersByTimeAsync(60_000)
    gate.resolve()
    await vi.advanceTimersByTimeAsync(901)
    await running
    expect((await app.tasks.list()).items.map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  test('what ignores the signal is not waited for', async () => {
    vi.useFakeTimers()
    const { sup } = team(
      { sup: [{ calls: [{ id: 'c', name: 'slow', args: {} }] }, { text: 'one' }, { text: 'two' }] },
      {
        sup: {
          tools: { slow: createTool({ id: 'slow', execute: () => new Promise(() => {}) }) },
          backgroundTasks: { tools: { slow: { timeoutMs: 1_000 } } },
        },
      },
    )
    const stream = await sup.stream('Go')
    const events = eventsOf(stream)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(statesOf(await events)).toEqual(['started', 'running', 'timed-out'])
  })
})

describe('B9.4 attempts', () => {
  const failing = new Error('boom')

  test('one that failed is tried again after a while, each time as a whole run in a thread of its own; attempts are counted', async () => {
    vi.useFakeTimers()
    const onDelegationComplete = vi.fn()
    const { sup, app, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [{ finish: 'error' }, { text: '' }, { text: 'ZEBRA' }],
      },
      { sup: { backgroundTasks: { tools: { a: { maxRetries: 2 } } } } },
    )
    const stream = await sup.stream('Go', { delegation: { onDelegationComplete } })
    const events = eventsOf(stream)
    await vi.advanceTimersByTimeAsync(999)
    expect(models.calls('sup/a')).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(models.calls('sup/a')).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(models.calls('sup/a')).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    const told = await events
    expect(statesOf(told)).toEqual(['started', 'running', 'retrying', 'running', 'retrying', 'running', 'completed'])
    expect(times(models.calls('sup')[2], 'ZEBRA')).toBe(1)
    const [task] = (await app.tasks.list()).items
    expect(task).toMatchObject({ status: 'completed', attempts: 3 })
    // One delegation has one end.
    expect(onDelegationComplete).toHaveBeenCalledTimes(1)
    const starts = told.flatMap((chunk) => (chunk.type === 'delegation-start' ? [chunk.payload.runId] : []))
    expect(new Set(starts).size).toBe(3)
    // What the others used is used all the same.
    expect((await stream.totalUsage).calls).toBe(6)
  })

  test('each attempt has the time that one may take', async () => {
    vi.useFakeTimers()
    const later = (text: string) => async () => ({ text, after: new Promise((resolve) => setTimeout(resolve, 800)) })
    const { sup, app } = team(
      { sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }], 'sup/a': [later(''), later('ZEBRA')] },
      { sup: { backgroundTasks: { tools: { a: { timeoutMs: 1_000, maxRetries: 1 } } } } },
    )
    const running = sup.generate('Go')
    await vi.advanceTimersByTimeAsync(2_700)
    expect((await running).text).toBe('one\n\ntwo')
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'completed', attempts: 2 }])
  })

  test('when no attempt is left it has failed, and its model reads why', async () => {
    vi.useFakeTimers()
    const execute = vi.fn(() => {
      throw failing
    })
    const { sup, app, models } = team(
      { sup: [{ calls: [{ id: 'c', name: 'slow', args: {} }] }, { text: 'one' }, { text: 'two' }] },
      { sup: { tools: { slow: createTool({ id: 'slow', background: { maxRetries: 1 }, execute }) } } },
    )
    const stream = await sup.stream('Go')
    const events = eventsOf(stream)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(statesOf(await events)).toEqual(['started', 'running', 'retrying', 'running', 'failed'])
    expect(execute).toHaveBeenCalledTimes(2)
    expect((await app.tasks.list()).items[0]).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: { code: 'tool-failed' },
    })
    expect(times(models.calls('sup')[2], 'boom')).toBe(1)
  })

  test('while it waits for the next one its place is free, and an abort ends the wait', async () => {
    vi.useFakeTimers()
    const { sup, app, models } = team(
      {
        sup: [{ calls: [ask('a'), ask('b')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [{ finish: 'error' }],
        'sup/b': [{ text: 'B' }],
      },
      {
        backgroundTasks: { enabled: true, globalConcurrency: 1 },
        sup: { backgroundTasks: { tools: { a: { maxRetries: 5 }, b: true } } },
      },
    )
    const stream = await sup.stream('Go')
    await vi.advanceTimersByTimeAsync(500)
    expect(models.calls('sup/b')).toHaveLength(1)
    stream.abort()
    expect(await stream.finishReason).toBe('aborted')
    const { items } = await app.tasks.list()
    expect(items.map(({ status }) => status)).toEqual(['cancelled', 'completed'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(models.calls('sup/a')).toHaveLength(1)
  })
})
