import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask, eventsOf, statesOf, team, times } from '../../test-support/background-team.ts'
import type { Chunk } from '../events/chunk.ts'
import { createTool } from '../tools/index.ts'

afterEach(() => void vi.useRealTimers())

const settle = async () => {
  for (let n = 0; n < 50; n++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A team whose subagent `a` answers when it is let. */
function waiting(options: Parameters<typeof team>[1] = {}) {
  const gate = Promise.withResolvers<void>()
  const made = team(
    {
      sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
      'sup/a': [{ text: 'ZEBRA', after: gate.promise }],
    },
    options,
  )
  const taskId = async (): Promise<string> => (await made.app.tasks.list()).items[0]?.taskId as string
  return { ...made, let: gate.resolve, taskId }
}

describe('B9.5 a task is listed, watched, spoken to and cancelled', () => {
  test('it is listed by what it is, and read whole', async () => {
    const { sup, app, let: go, taskId } = waiting()
    const stream = await sup.stream('Go')
    await settle()
    const id = await taskId()
    expect(await app.tasks.get(id)).toMatchObject({
      taskId: id,
      rootRunId: stream.runId,
      parentRunId: stream.runId,
      agentId: 'sup',
      path: ['sup'],
      toolName: 'a',
      toolCallId: 'a-call',
      args: { prompt: 'do a' },
      status: 'running',
      attempts: 1,
      tells: 'run',
    })
    expect((await app.tasks.list({ status: 'running', rootRunId: stream.runId })).items).toHaveLength(1)
    expect((await app.tasks.list({ status: ['completed', 'failed'] })).items).toEqual([])
    go()
    await stream.result
    expect(await app.tasks.get(id)).toMatchObject({
      status: 'completed',
      result: { status: 'completed', text: 'ZEBRA' },
    })
    expect((await app.tasks.list()).items[0]?.deliveredAt).toBeTypeOf('number')
    await expect(app.tasks.get('none')).rejects.toMatchObject({ code: 'task-not-found' })
    await expect(app.tasks.list({ typo: 1 } as never)).rejects.toMatchObject({ code: 'option-unknown' })
    await expect(app.tasks.list(5 as never)).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test('it is watched from how it stands to its end, by everybody who wants to', async () => {
    const { sup, app, let: go, taskId } = waiting()
    const stream = await sup.stream('Go')
    await settle()
    const id = await taskId()
    const watched: Chunk[][] = [[], []]
    const watching = watched.map(async (list) => {
      for await (const chunk of app.tasks.watch(id)) list.push(chunk)
    })
    await settle()
    go()
    await Promise.all(watching)
    await stream.result
    for (const list of watched) {
      expect(statesOf(list)).toEqual(['running', 'completed'])
      expect(list.some((chunk) => chunk.type === 'text-delta' && chunk.payload.text === 'ZEBRA')).toBe(true)
    }
    const late: Chunk[] = []
    for await (const chunk of app.tasks.watch(id)) late.push(chunk)
    expect(statesOf(late)).toEqual(['completed'])
    await expect(app.tasks.watch('none')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'task-not-found',
    })
  })

  test('who stops watching, by leaving or by a signal, holds nothing up', async () => {
    const { sup, app, let: go, taskId } = waiting()
    const stream = await sup.stream('Go')
    await settle()
    const id = await taskId()
    for await (const _chunk of app.tasks.watch(id)) break
    const signal = AbortSignal.abort()
    for await (const _chunk of app.tasks.watch(id, { signal })) expect.unreachable()
    const controller = new AbortController()
    const watching = (async () => {
      for await (const _chunk of app.tasks.watch(id, { signal: controller.signal }));
    })()
    await settle()
    controller.abort()
    await watching
    go()
    expect(await stream.text).toBe('one\n\ntwo')
  })

  test('what is sent to it reaches it before its next model call, once', async () => {
    const step = Promise.withResolvers<void>()
    const { sup, app, models } = team(
      {
        sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
        'sup/a': [
          { calls: [{ id: 'w', name: 'wait', args: {} }] },
          { calls: [{ id: 'v', name: 'wait', args: {} }] },
          { text: 'ZEBRA' },
        ],
      },
      { children: { a: { tools: { wait: createTool({ id: 'wait', execute: () => step.promise }) } } } },
    )
    const stream = await sup.stream('Go')
    await settle()
    const [task] = (await app.tasks.list()).items
    const id = task?.taskId as string
    await app.tasks.send(id, 'Look at 2024 [retinue] only.')
    await app.tasks.send(id, 'And be quick.')
    step.resolve()
    await stream.result
    expect(models.calls('sup/a').map((call) => times(call, 'Look at 2024'))).toEqual([0, 1, 1])
    expect(models.calls('sup/a').map((call) => times(call, 'And be quick.'))).toEqual([0, 1, 1])
    // Nobody speaks as the framework but the framework.
    expect(times(models.calls('sup/a')[1], 'Look at 2024 [retinue]')).toBe(0)
    await expect(app.tasks.send(id, 'too late')).rejects.toMatchObject({ code: 'task-ended' })
    await expect(app.tasks.send('none', 'x')).rejects.toMatchObject({ code: 'task-not-found' })
    await expect(app.tasks.send(id, ' ')).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test('a plain tool is not spoken to: it could not listen', async () => {
    const work = Promise.withResolvers<string>()
    const slow = createTool({ id: 'slow', background: true, execute: () => work.promise })
    const { sup, app } = team(
      { sup: [{ calls: [{ id: 's', name: 'slow', args: {} }] }, { text: 'one' }, { text: 'two' }] },
      { sup: { tools: { slow } } },
    )
    const stream = await sup.stream('Go')
    await settle()
    const [task] = (await app.tasks.list()).items
    await expect(app.tasks.send(task?.taskId as string, 'Hurry')).rejects.toMatchObject({ code: 'option-invalid' })
    work.resolve('SLOW')
    expect(await stream.text).toBe('one\n\ntwo')
  })

  test('cancelled: its work is ended, its model is told, and nothing changes that any more', async () => {
    const { sup, app, let: go, models, taskId } = waiting()
    const stream = await sup.stream('Go')
    const events = eventsOf(stream)
    await settle()
    const id = await taskId()
    expect(await app.tasks.cancel(id, 'not needed')).toBe(true)
    expect(await app.tasks.cancel(id)).toBe(false)
    await expect(app.tasks.cancel('none')).rejects.toMatchObject({ code: 'task-not-found' })
    go()
    expect(statesOf(await events)).toEqual(['started', 'running', 'cancelled'])
    const last = models.calls('sup')[2]
    expect([times(last, 'was cancelled'), times(last, 'not needed'), times(last, 'ZEBRA')]).toEqual([1, 1, 0])
    await settle()
    expect(await app.tasks.get(id)).toMatchObject({ status: 'cancelled' })
  })

  test('one that has not begun is cancelled as well: it never begins, and its hook is told', async () => {
    const gate = Promise.withResolvers<void>()
    const ends: string[] = []
    const { sup, app, models } = team(
      {
        sup: [{ calls: [ask('a'), ask('b')] }, { text: 'one' }, { text: 'two' }, { text: 'three' }],
        'sup/a': [{ text: 'ZEBRA', after: gate.promise }],
        'sup/b': [],
      },
      { backgroundTasks: { enabled: true, globalConcurrency: 1 } },
    )
    const onDelegationComplete = ({ key, result }: { key: string; result: { status: string } }): void =>
      void ends.push(`${key} ${result.status}`)
    const stream = await sup.stream('Go', { delegation: { onDelegationComplete } })
    await settle()
    const { items } = await app.tasks.list()
    expect(items.map(({ status }) => status)).toEqual(['running', 'pending'])
    await app.tasks.cancel(items[1]?.taskId as string)
    await settle()
    gate.resolve()
    await stream.result
    expect(models.calls('sup/b')).toEqual([])
    expect(ends).toEqual(['b cancelled', 'a completed'])
  })
})

describe('B7.7 a run that is aborted', () => {
  test('ends its tasks, also by the caller’s signal', async () => {
    for (const by of ['stream', 'signal'] as const) {
      const controller = new AbortController()
      const { sup, app, models } = waiting()
      const stream = await sup.stream('Go', { abortSignal: controller.signal })
      const events = eventsOf(stream)
      await settle()
      if (by === 'stream') stream.abort()
      else controller.abort()
      expect(await stream.finishReason).toBe('aborted')
      const told = await events
      expect(told.at(-1)?.type).toBe('finish')
      expect(statesOf(told)).toEqual(['started', 'running', 'cancelled'])
      expect((await app.tasks.list()).items).toMatchObject([{ status: 'cancelled' }])
      expect(models.calls('sup')).toHaveLength(2)
    }
  })

  test('leaves those that are detached', async () => {
    const { sup, app, let: go } = waiting({ sup: { backgroundTasks: { tools: { a: { detached: true } } } } })
    const stream = await sup.stream('Go')
    await settle()
    stream.abort()
    expect(await stream.finishReason).toBe('aborted')
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'running' }])
    go()
    await app.tasks.settled()
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'completed' }])
  })
})

describe('B9.2 how long a run stays open', () => {
  test('no longer than maxIdleMs without a change; without a thread what is left is then cancelled', async () => {
    vi.useFakeTimers()
    const { sup, app } = waiting()
    const running = sup.generate('Go', { untilIdle: { maxIdleMs: 30_000 } })
    await vi.advanceTimersByTimeAsync(30_001)
    const result = await running
    expect(result).toMatchObject({ finishReason: 'stop', text: 'one' })
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'cancelled' }])
  })

  test.each([5, 'yes', { maxIdleMs: 0 }, { maxIdle: 5 }])('untilIdle: %j is refused', async (untilIdle) => {
    const { sup } = waiting()
    const error = await sup.generate('Go', { untilIdle: untilIdle as never }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: expect.stringMatching(/^option-/) })
  })

  test('maxSteps counts for each answer', async () => {
    const { sup, models } = team(
      {
        sup: [
          { calls: [ask('a')] },
          { text: 'one' },
          { calls: [{ id: 'n', name: 'note', args: {} }] },
          { text: 'two' },
        ],
        'sup/a': [{ text: 'ZEBRA' }],
      },
      { sup: { tools: { note: createTool({ id: 'note', execute: () => 1 }) } } },
    )
    const result = await sup.generate('Go', { maxSteps: 2 })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo' })
    expect(result.steps.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4])
    models.assertDone()
  })

  test('with an answer that must fit a schema the last one is the text', async () => {
    const { sup } = team(
      { sup: [{ calls: [ask('a')] }, { text: '{"n":1}' }, { text: '{"n":2}' }], 'sup/a': [{ text: 'ZEBRA' }] },
      { sup: { outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } } },
    )
    const result = await sup.generate('Go')
    expect(result).toMatchObject({ text: '{"n":2}', object: { n: 2 } })
  })

  test('a run that fails while tasks are open ends with the error, and they are cancelled: nobody could be told', async () => {
    const { sup, app } = team({
      sup: [{ calls: [ask('a')] }, { finish: 'error' }],
      'sup/a': [
        ({ options }) =>
          new Promise((resolve) => options.abortSignal?.addEventListener('abort', () => resolve({ text: 'x' }))),
      ],
    })
    const stream = await sup.stream('Go')
    expect(await stream.finishReason).toBe('error')
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'cancelled' }])
  })
})

describe('B3 hooks of a delegation in the background', () => {
  test('start and filter before it begins, complete once when it has ended; feedback is told with the result', async () => {
    const order: string[] = []
    const { sup, models, let: go } = waiting()
    const stream = await sup.stream('Go', {
      delegation: {
        onDelegationStart: () => {
          order.push('start')
          return { modifiedPrompt: 'do it well' }
        },
        messageFilter: ({ messages, prompt }) => {
          order.push(`filter ${prompt} ${messages.length}`)
          return []
        },
        onDelegationComplete: ({ result, success, durationMs }) => {
          order.push(`complete ${result.text} ${success} ${durationMs >= 0}`)
          return { feedback: 'FEEDBACK', resultText: 'SHOWN' }
        },
      },
    })
    await settle()
    expect(order).toEqual(['start', 'filter do it well 1'])
    expect(times(models.calls('sup/a')[0], 'do it well')).toBe(1)
    expect(times(models.calls('sup/a')[0], 'Go')).toBe(0)
    go()
    await stream.result
    expect(order.slice(2)).toEqual(['complete ZEBRA true true'])
    const last = models.calls('sup')[2]
    expect([times(last, 'SHOWN'), times(last, 'FEEDBACK'), times(last, 'ZEBRA')]).toEqual([1, 1, 0])
  })

  test('bail ends the run with the text of the task, and cancels the others', async () => {
    const gate = Promise.withResolvers<void>()
    const { sup, app, models } = team({
      sup: [{ calls: [ask('a'), ask('b')] }, { text: 'one', after: gate.promise }],
      'sup/a': [{ text: 'ENOUGH' }],
      'sup/b': [
        ({ options }) =>
          new Promise((resolve) => options.abortSignal?.addEventListener('abort', () => resolve({ text: 'x' }))),
      ],
    })
    const stream = await sup.stream('Go', {
      delegation: { onDelegationComplete: ({ key, bail }) => void (key === 'a' && bail()) },
    })
    await settle()
    gate.resolve()
    expect(await stream.finishReason).toBe('bailed')
    expect(await stream.text).toContain('ENOUGH')
    expect(models.calls('sup')).toHaveLength(2)
    expect((await app.tasks.list()).items.map(({ status }) => status)).toEqual(['completed', 'cancelled'])
  })

  test('B2.13 a result has an id with which it can be handed on', async () => {
    const { sup, models } = team({
      sup: [
        { calls: [ask('a')] },
        { text: 'one' },
        { calls: [{ id: 'c2', name: 'b', args: { prompt: 'use it', contextFromRefs: ['a-1'] } }] },
        { text: 'two' },
        { text: 'three' },
      ],
      'sup/a': [{ text: 'ZEBRA' }],
      'sup/b': [{ text: 'B' }],
    })
    await sup.generate('Go', { delegation: { enableResultReferences: true, context: 'none' } })
    expect(times(models.calls('sup')[2], '[ref: a-1]')).toBe(1)
    expect(times(models.calls('sup/b')[0], 'ZEBRA')).toBe(1)
  })

  test('B2.11 what tasks used is in the total, once', async () => {
    const { sup, let: go } = waiting()
    go()
    const result = await sup.generate('Go')
    expect([result.usage.calls, result.totalUsage.calls]).toEqual([3, 4])
  })

  test('B2.10 the budget of the run binds its tasks', async () => {
    const { sup, app } = team({
      sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'end' }],
      'sup/a': [{ calls: [{ id: 'x', name: 'nothing', args: {} }] }, { text: 'never' }],
    })
    const result = await sup.generate('Go', { budget: { tokens: 40 } })
    expect(result.finishReason).toBe('over-budget')
    const [task] = (await app.tasks.list()).items
    expect(task).toMatchObject({ status: 'failed', error: { code: 'budget-spent' } })
  })
})
