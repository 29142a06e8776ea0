import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask, team, times } from '../../test-support/background-team.ts'
import { RetinueError } from '../errors/index.ts'
import { InMemoryStorage, type TaskStorage } from '../storage/index.ts'
import { createTool } from '../tools/index.ts'

afterEach(() => void vi.useRealTimers())

/** A storage of whose tasks some calls do something else. */
function altered(change: (tasks: TaskStorage) => Partial<TaskStorage>): InMemoryStorage {
  const storage = new InMemoryStorage()
  const { tasks } = storage
  const own = change(tasks)
  const proxy = new Proxy(tasks, {
    get: (target, key) => {
      const member: unknown = Reflect.get(own, key) ?? Reflect.get(target, key)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return Object.assign(storage, { tasks: proxy })
}

const script = () => ({ sup: [{ calls: [ask('a')] }, { text: 'one' }, { text: 'two' }], 'sup/a': [{ text: 'ZEBRA' }] })

describe('what is kept of tasks', () => {
  test('in a process without a storage no more than so many records of what has ended', async () => {
    const quick = createTool({ id: 'quick', background: true, execute: () => 'x' })
    const calls = Array.from({ length: 1_100 }, (_none, n) => ({ id: `c${n}`, name: 'quick', args: {} }))
    const { sup, app } = team(
      { sup: [{ calls }, { text: 'one' }, { text: 'two' }, { text: 'three' }] },
      {
        sup: { tools: { quick } },
        backgroundTasks: { enabled: true, globalConcurrency: 2_000, perAgentConcurrency: 2_000 },
      },
    )
    await sup.generate('Go', { toolCallConcurrency: 1_100 })
    await app.tasks.settled()
    const { items } = await app.tasks.list({ limit: 2_000 })
    expect(items).toHaveLength(1_000)
  })

  test('with a storage the rows of what has ended are gone, but for the record', async () => {
    const storage = new InMemoryStorage()
    const { sup, app } = team(script(), { storage })
    await sup.generate('Go')
    await app.tasks.settled()
    expect((await storage.runs.list({})).total).toBe(0)
    expect((await storage.tasks.list({})).items).toHaveLength(1)
  })

  test('S26 what came of a task and is damaged is told as such, and the run goes on', async () => {
    const storage = altered((tasks) => ({
      claim: async (claim) => {
        const [taskId] = claim.taskIds
        if ((await tasks.get(taskId as string)).endedAt === undefined) return []
        throw new RetinueError({ code: 'storage-row-unreadable', message: 'damaged', data: { id: taskId } })
      },
    }))
    const { sup, models } = team(script(), { storage })
    const result = await sup.generate('Go')
    expect(result.text).toBe('one\n\ntwo')
    expect(times(models.calls('sup')[2], 'is damaged')).toBe(1)
  })

  test('S26 also where it can be read and is none', async () => {
    const storage = altered((tasks) => ({
      claim: async (claim) => (await tasks.claim(claim)).map((task) => ({ ...task, outcome: { any: 'thing' } })),
    }))
    const { sup, models } = team(script(), { storage })
    expect((await sup.generate('Go')).text).toBe('one\n\ntwo')
    expect(times(models.calls('sup')[2], 'is damaged')).toBe(1)
  })

  test('a task that can’t be written down is not begun: the model reads that, and no record of it is left', async () => {
    const storage = altered(() => ({}))
    const { runs } = storage
    Object.assign(storage, {
      runs: new Proxy(runs, {
        get: (target, key) => {
          if (key === 'save')
            return () => Promise.reject(new RetinueError({ code: 'storage-full', message: 'no room' }))
          const member: unknown = Reflect.get(target, key)
          return typeof member === 'function' ? member.bind(target) : member
        },
      }),
    })
    const { sup, app, models } = team({ sup: [{ calls: [ask('a')] }, { text: 'one' }], 'sup/a': [] }, { storage })
    const { toolResults, text } = await sup.generate('Go')
    expect(toolResults[0]?.error).toMatchObject({ code: 'storage-full' })
    expect(text).toBe('one')
    expect((await app.tasks.list()).items).toEqual([])
    models.assertDone()
  })

  /** A storage that fails so often when a task is to be completed. */
  const failing = (times: number) => {
    let left = times
    return altered((tasks) => ({
      change: async (change) => {
        if (change.to === 'completed' && left-- > 0) throw new RetinueError({ code: 'storage-failed', message: 'I/O' })
        return tasks.change(change)
      },
    }))
  }

  test('its end is written down once the store can again: its work is not thrown away', async () => {
    vi.useFakeTimers()
    const { sup, app } = team(script(), { storage: failing(3) })
    const running = sup.generate('Go')
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await running).text).toBe('one\n\ntwo')
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'completed' }])
  })

  test('one whose end can’t be written down has failed, if that can be', async () => {
    vi.useFakeTimers()
    const { sup, app, models } = team(script(), { storage: failing(100) })
    const running = sup.generate('Go')
    await vi.advanceTimersByTimeAsync(20_000)
    expect((await running).text).toBe('one\n\ntwo')
    expect((await app.tasks.list()).items).toMatchObject([{ status: 'failed', error: { code: 'storage-failed' } }])
    expect(times(models.calls('sup')[2], 'has failed')).toBe(1)
  })
})
