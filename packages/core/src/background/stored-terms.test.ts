import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask, team, times } from '../../test-support/background-team.ts'
import { gatedTool } from '../../test-support/gated-tree.ts'
import { InMemoryStorage, type StoredTask, type Value } from '../storage/index.ts'
import { packTerms, type StoredTerms, soundTerms, termsOf } from './stored-terms.ts'

afterEach(() => void vi.useRealTimers())

const WHOLE: StoredTerms = {
  timeoutMs: 5,
  maxRetries: 0,
  detached: false,
  ask: 'parent',
  inherits: { listId: 'l', from: 0, count: 2 },
  worker: 'w',
}

/** A storage whose tasks have other terms than they were given, from the time when they wait for a person. */
function damaging(): { storage: InMemoryStorage; damage: (terms: Value) => void } {
  const storage = new InMemoryStorage()
  const { tasks } = storage
  let damaged: Value | undefined
  const get = async (taskId: string): Promise<StoredTask> => {
    const task = await tasks.get(taskId)
    return damaged === undefined || task.status !== 'suspended' ? task : { ...task, terms: damaged }
  }
  const proxy = new Proxy(tasks, {
    get: (target, key) => {
      const member: unknown = key === 'get' ? get : Reflect.get(target, key)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const damage = (terms: Value): void => {
    damaged = terms
  }
  return { storage: Object.assign(storage, { tasks: proxy }), damage }
}

describe('S26 the stored terms of a task', () => {
  test('come back as they were kept, with what is optional and without', () => {
    for (const terms of [WHOLE, { maxRetries: 3, detached: true, worker: 'w', isTool: true } as const])
      expect(termsOf({ taskId: 't', terms: packTerms(terms) })).toEqual(terms)
  })

  test.each<[string, object | null]>([
    ['null', null],
    ['a list', []],
    ['none', {}],
    ['a text for a time', { ...WHOLE, timeoutMs: '5' }],
    ['a time that is over at once', { ...WHOLE, timeoutMs: -1 }],
    ['retries without an end', { ...WHOLE, maxRetries: -1 }],
    ['half a retry', { ...WHOLE, maxRetries: 0.5 }],
    ['a text for yes', { ...WHOLE, detached: 'yes' }],
    ['somebody else to ask', { ...WHOLE, ask: 'nobody' }],
    ['a list without its place', { ...WHOLE, inherits: { listId: 'l' } }],
    ['a text for what it is', { ...WHOLE, isTool: 'yes' }],
    ['nobody who works', { ...WHOLE, worker: undefined }],
  ])('that were damaged are none: %s', (_what, terms) => {
    const task = { taskId: 'task-1', terms: terms as unknown as Value }
    expect(soundTerms(task)).toBeUndefined()
    expect(() => termsOf(task)).toThrow(
      expect.objectContaining({ code: 'storage-row-unreadable', data: expect.objectContaining({ id: 'task-1' }) }),
    )
  })

  const script = () => ({
    sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }],
    'sup/a': [{ calls: [{ id: 'act-1', name: 'act', args: { to: 'bob' } }] }],
  })

  test('that are damaged while it waits for a person: it has failed, the run is told, and does not wait', async () => {
    const { storage, damage } = damaging()
    damage({ worker: 5 })
    const { tool, ran } = gatedTool()
    const { sup, app, models } = team(script(), { children: { a: { tools: { act: tool } } }, storage })
    const result = await sup.generate('Go', { untilIdle: true })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'one\n\ntwo' })
    expect(times(models.calls('sup')[2], 'its terms are none of a background task')).toBe(1)
    expect(ran).toEqual([])
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'failed', error: { code: 'task-lost' } }])
    expect((await sup.listSuspendedRuns()).total).toBe(0)
    models.assertDone()
  })

  test('that are damaged when nobody decides in time: it has failed, and does not wait for ever', async () => {
    vi.useFakeTimers()
    const { storage, damage } = damaging()
    const { tool, ran } = gatedTool()
    const { sup, app, models } = team(script(), { children: { a: { tools: { act: tool } } }, storage })
    const running = sup.generate('Go', { approvalTimeoutMs: 60_000 })
    await vi.advanceTimersByTimeAsync(10)
    expect((await running).finishReason).toBe('suspended')
    damage({ worker: 5 })
    await vi.advanceTimersByTimeAsync(70_000)
    expect(ran).toEqual([])
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'failed', error: { code: 'task-lost' } }])
    expect((await sup.listSuspendedRuns()).total).toBe(0)
    expect(times(models.calls('sup')[2], 'its terms are none of a background task')).toBe(1)
    models.assertDone()
  })

  test('that are damaged after its run was suspended: who decides is told so, and the tool does not run', async () => {
    const { storage, damage } = damaging()
    const { tool, ran } = gatedTool()
    const { sup } = team(script(), { children: { a: { tools: { act: tool } } }, storage })
    const { runId } = await sup.generate('Go', { untilIdle: true })
    damage({ worker: 5 })
    await expect(sup.approveToolCallGenerate({ runId, toolCallId: 'act-1' })).rejects.toMatchObject({
      code: 'storage-row-unreadable',
    })
    expect(ran).toEqual([])
  })
})
