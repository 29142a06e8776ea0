import type { Storage } from '../../storage/storage.ts'
import { expectError, expectSame } from './expectations.ts'
import { type StorageCase, storageCase } from './storage-case.ts'
import { claimed, endedTasks, task, taskMove } from './task-case.ts'

const IDS = ['t1', 't2', 't3'] as const

/** Who is told how tasks ended: each once. */
export const taskDeliveryCases: readonly StorageCase[] = [
  storageCase(
    'B9.3 only tasks that have ended are claimed, whole, and in the order that was asked for',
    async (storage) => {
      const { tasks } = storage
      await endedTasks(storage, IDS)
      await endedTasks(storage, ['of the run'], { tells: 'run' })
      for (const status of ['pending', 'running', 'suspended'] as const) {
        await tasks.create(task(status))
        if (status !== 'pending') await tasks.change(taskMove(status, [['pending'], status]))
      }
      const taskIds = ['t3', 'none', 'running', 't1', 'pending', 'of the run', 't3', 'suspended', 't2', 't1']
      const found = await tasks.claim({ taskIds, by: 'a', until: 400, at: 300 })
      expectSame(
        found.map(({ taskId }) => taskId),
        ['t3', 't1', 'of the run', 't2'],
        'each once',
      )
      expectSame(found[0], await tasks.get('t3'), 'what claim gives')
      expectSame(await tasks.claim({ taskIds: [], by: 'a', until: 400, at: 300 }), [], 'none')
    },
  ),
  storageCase('B9.3 a claim keeps others off until its time is over; its holder has it again', async (storage) => {
    const { tasks } = storage
    await endedTasks(storage, IDS)
    const take = (by: string, at: number, until = at + 100) => claimed(tasks, by, { taskIds: IDS, at, until })
    expectSame(await claimed(tasks, 'a', { taskIds: ['t1', 't2'], at: 300, until: 400 }), ['t1', 't2'], 'first')
    expectSame(await take('b', 399, 500), ['t3'], 'what is left')
    expectSame(await take('a', 399, 450), ['t1', 't2'], 'its own again, for longer')
    expectSame(await take('c', 449), [], 'all are taken')
    expectSame(await take('c', 450, 600), ['t1', 't2'], 'when the time is over')
    expectSame(await take('a', 451), [], 'who had them before')
    expectSame(await take('a', 500), ['t3'], 'when that of another is over')
    expectSame(await take('a', 700), [...IDS], 'all, later')
  }),
  storageCase('B9.3 of eight who claim at once each task goes to one', async (storage) => {
    const { tasks } = storage
    const taskIds = Array.from({ length: 20 }, (_none, n) => `t${n}`)
    await endedTasks(storage, taskIds)
    // Each begins elsewhere.
    const got = await Promise.all(
      Array.from({ length: 8 }, (_none, n) =>
        claimed(tasks, `by${n}`, { taskIds: [...taskIds.slice(n * 2), ...taskIds.slice(0, n)] }),
      ),
    )
    expectSame(got.flat().toSorted(), taskIds.toSorted(), 'each went to one')
    const told = got.map((ids, n) => tasks.deliver({ taskIds: ids, by: `by${n}`, at: 310 }))
    await Promise.all(told)
    expectSame((await tasks.list({ undelivered: true })).items, [], 'all are told of')
  }),
  storageCase('B9.3 who has claimed a task says that it was told, once; a stranger changes nothing', delivered),
  storageCase('B9.3 what makes no claim is refused, and claims nothing', async (storage) => {
    const { tasks } = storage
    await endedTasks(storage, IDS)
    const claim = { taskIds: IDS, by: 'a', until: 400, at: 300 }
    for (const [place, changed] of Object.entries({
      'taskIds[1]': { taskIds: ['t1', 'a\0'] },
      by: { by: '' },
      until: { until: Number.NaN },
      at: { at: 0.5 },
    })) {
      const error = await expectError(tasks.claim({ ...claim, ...changed }), 'storage-value-refused', place)
      expectSame(error.data['place'], place, 'the place')
      if (place !== 'until')
        await expectError(tasks.deliver({ ...claim, ...changed }), 'storage-value-refused', `deliver: ${place}`)
    }
    expectSame(await claimed(tasks, 'b', { taskIds: IDS }), [...IDS], 'all are free')
  }),
  storageCase('B9.3 a thousand tasks are claimed and told of at once', async (storage) => {
    const { tasks } = storage
    const ids = Array.from({ length: 40 }, (_none, n) => `t${n}`)
    await endedTasks(storage, ids)
    // More ids than a statement has places for values.
    const taskIds = [...Array.from({ length: 40_000 }, (_none, n) => `none${n}`), ...ids.toReversed()]
    expectSame(await claimed(tasks, 'a', { taskIds }), ids.toReversed(), 'what is there')
    await tasks.deliver({ taskIds, by: 'a', at: 300 })
    expectSame((await tasks.list({ undelivered: true })).items, [], 'all are told of')
  }),
]

async function delivered(storage: Storage): Promise<void> {
  const { tasks } = storage
  await endedTasks(storage, IDS)
  await claimed(tasks, 'a', { taskIds: ['t1', 't2'], at: 300, until: 400 })
  await tasks.deliver({ taskIds: IDS, by: 'b', at: 310 })
  expectSame((await tasks.list({ undelivered: true })).items.length, 3, 'a stranger')
  await tasks.deliver({ taskIds: ['t1', 't3', 'none'], by: 'a', at: 320 })
  const told = async () => (await tasks.list({})).items.map(({ deliveredAt }) => deliveredAt)
  expectSame(await told(), [320, undefined, undefined], 'what it had claimed')
  await tasks.deliver({ taskIds: ['t1'], by: 'a', at: 330 })
  expectSame(await told(), [320, undefined, undefined], 'again')
  expectSame(await claimed(tasks, 'a', { taskIds: ['t1'], at: 330 }), [], 'nobody has it again')
  expectSame(await claimed(tasks, 'b', { taskIds: ['t1'], at: 900 }), [], 'nobody has it again')
  // Its time is over, but nobody else came.
  await tasks.deliver({ taskIds: ['t2'], by: 'a', at: 500 })
  expectSame(await told(), [320, 500, undefined], 'late')
  await claimed(tasks, 'a', { taskIds: ['t3'], at: 600, until: 700 })
  await claimed(tasks, 'b', { taskIds: ['t3'], at: 700, until: 800 })
  await tasks.deliver({ taskIds: ['t3'], by: 'a', at: 710 })
  expectSame(await told(), [320, 500, undefined], 'too late')
  await tasks.deliver({ taskIds: ['t3'], by: 'b', at: 720 })
  expectSame([await told(), (await tasks.get('t3')).deliveredAt], [[320, 500, 720], 720], 'by who took it over')
}
