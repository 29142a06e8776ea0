import type { Storage } from '../../storage/storage.ts'
import type { Value } from '../../storage/values.ts'
import { expectError, expectSame } from './expectations.ts'
import { type StorageCase, storageCase } from './storage-case.ts'
import { task, taskMove } from './task-case.ts'

const TEXTS = ['', '\0', 'a\0b', '\ud800', 'a\udc00b', '😀é', '__proto__', '\u2028\ufeff', '$retinue', "'; --"]

/** What is said to tasks while they run, and what they were handed together. */
export const taskMessageCases: readonly StorageCase[] = [
  storageCase('B9.5 what is said to a task is read in order, from where the reader was', async ({ tasks }) => {
    for (const taskId of ['t1', 't2']) await tasks.create(task(taskId))
    const send = (taskId: string, text: string, at = 1) => tasks.send({ taskId, text, at })
    expectSame(
      [await send('t1', 'one', 9), await send('t2', 'other'), await send('t1', 'two', 8)],
      [1, 1, 2],
      'sequences',
    )
    expectSame(
      await tasks.messages({ taskId: 't1', after: 0 }),
      [
        { sequence: 1, text: 'one', at: 9 },
        { sequence: 2, text: 'two', at: 8 },
      ],
      'all',
    )
    expectSame(await tasks.messages({ taskId: 't1', after: 1 }), [{ sequence: 2, text: 'two', at: 8 }], 'those after')
    expectSame(await tasks.messages({ taskId: 't1', after: 2 }), [], 'no more')
    expectSame(await tasks.messages({ taskId: 'none', after: 0 }), [], 'of none')
    const sent = await Promise.all(Array.from({ length: 8 }, (_none, n) => send('t1', `m${n}`)))
    expectSame(
      sent.toSorted((one, other) => one - other),
      [3, 4, 5, 6, 7, 8, 9, 10],
      'of eight at once each has its own',
    )
    for (const [n, sequence] of sent.entries())
      expectSame((await tasks.messages({ taskId: 't1', after: sequence - 1 }))[0]?.text, `m${n}`, 'what stands there')
    for (const text of TEXTS) await send('t2', text)
    const texts = (await tasks.messages({ taskId: 't2', after: 1 })).map((message) => message.text)
    expectSame(texts, TEXTS, 'any text')
  }),
  storageCase('B9.5 nothing is said to a task that has ended, or is not there', async ({ tasks }) => {
    for (const status of ['completed', 'failed', 'cancelled', 'timed-out', 'running', 'suspended'] as const) {
      await tasks.create(task(status))
      await tasks.send({ taskId: status, text: 'before', at: 1 })
      await tasks.change(taskMove(status, [['pending'], status]))
      const sent = tasks.send({ taskId: status, text: 'after', at: 2 })
      if (status === 'running' || status === 'suspended') expectSame(await sent, 2, status)
      else expectSame((await expectError(sent, 'task-ended', status)).data['taskId'], status, 'which it is')
      const { length } = await tasks.messages({ taskId: status, after: 0 })
      expectSame(length, status === 'running' || status === 'suspended' ? 2 : 1, `what ${status} was told`)
    }
    await expectError(tasks.send({ taskId: 'none', text: 'x', at: 1 }), 'task-not-found', 'of none')
    await tasks.create(task('t1'))
    for (const [place, changed] of Object.entries({
      taskId: { taskId: 'a\0' },
      text: { text: 1 as never },
      at: { at: 0.5 },
    }))
      await expectError(tasks.send({ taskId: 't1', text: 'x', at: 1, ...changed }), 'storage-value-refused', place)
    expectSame(await tasks.messages({ taskId: 't1', after: 0 }), [], 'what was refused')
    await expectError(tasks.messages({ taskId: '', after: 0 }), 'storage-value-refused', 'an id that is none')
    for (const after of [-1, 0.5])
      await expectError(tasks.messages({ taskId: 't1', after }), 'option-invalid', `after ${after}`)
  }),
  storageCase('B9.1 what tasks share is stored once, and what stands there stays', shared),
  storageCase('B9.1 of eight who share at once each item is that of one', async ({ tasks }) => {
    const lists = Array.from({ length: 8 }, (_none, n) => [`first of ${n}`, `second of ${n}`])
    await Promise.all(lists.map((items) => tasks.share({ listId: 'l', from: 0, items })))
    const items = await tasks.shared({ listId: 'l', count: 2 })
    expectSame(
      lists.filter((list) => list[0] === items[0]),
      [items],
      'all of one hand',
    )
  }),
  storageCase('B9.3 a storage that was closed knows no tasks', closed),
]

async function shared({ tasks }: Storage): Promise<void> {
  const read = (count: number, listId = 'l') => tasks.shared({ listId, count })
  const share = (from: number, items: readonly Value[], listId = 'l') => tasks.share({ listId, from, items })
  const missing = async (count: number, listId = 'l') => {
    const error = await expectError(read(count, listId), 'storage-row-unreadable', `${count} of ${listId}`)
    return error.data['id']
  }
  expectSame(await read(0), [], 'nothing of a list that is not there')
  expectSame(await missing(1), 'l/0', 'which it is')
  await share(0, ['a', { b: [1] }])
  await share(0, ['x'], 'other')
  expectSame([await read(0), await read(1), await read(2)], [[], ['a'], ['a', { b: [1] }]], 'the first so many')
  expectSame(await missing(3), 'l/2', 'more than there are')
  await share(1, ['changed', 'c', null])
  await share(4, [])
  expectSame(await read(4), ['a', { b: [1] }, 'c', null], 'what stood there stays')
  await share(5, ['f'])
  expectSame(await missing(6), 'l/4', 'a gap')
  await share(4, ['e'])
  expectSame((await read(6)).slice(4), ['e', 'f'], 'a gap that was filled')
  expectSame(await read(1, 'other'), ['x'], 'another list')
  const many = Array.from({ length: 2500 }, (_none, n) => ({ n, text: `item ${n}` }))
  await share(0, many.slice(0, 1000), 'many')
  await share(1000, many.slice(1000), 'many')
  expectSame(await read(2500, 'many'), many, 'a long list')
  expectSame((await read(1000, 'many')).length, 1000, 'its beginning')
  const odd = [...TEXTS, -0, false, { __proto__: null, $retinue: 1 }, { u: new URL('https://example.com/ä') as never }]
  await share(0, odd, 'odd')
  expectSame(await read(odd.length, 'odd'), odd, 'any values')
  const list = [1]
  await share(0, [list], 'copy')
  list.push(2)
  ;((await read(1, 'copy'))[0] as number[]).push(3)
  expectSame(await read(1, 'copy'), [[1]], 'what is handed over and read is a copy')
  const refused = share(0, ['fine', { d: new Date(0) as never }], 'bad')
  expectSame((await expectError(refused, 'storage-value-refused', 'a date')).data['place'], 'items[1].d', 'the place')
  expectSame(await missing(1, 'bad'), 'bad/0', 'nothing was written')
  await expectError(share(0, [1], ''), 'storage-value-refused', 'an id that is none')
  for (const wrong of [-1, 0.5]) {
    await expectError(share(wrong, [1]), 'option-invalid', `from ${wrong}`)
    await expectError(read(wrong), 'option-invalid', `count ${wrong}`)
  }
  await tasks.unshare('l')
  await tasks.unshare('l')
  expectSame([await missing(1), await read(1, 'other')], ['l/0', ['x']], 'deleted, and no other')
  await share(0, ['new'])
  expectSame(await read(1), ['new'], 'written anew')
}

async function closed(storage: Storage): Promise<void> {
  const { tasks } = storage
  await tasks.create(task('t1'))
  await storage.close()
  for (const [what, call] of Object.entries({
    create: () => tasks.create(task('t2')),
    get: () => tasks.get('t1'),
    list: () => tasks.list({}),
    change: () => tasks.change(taskMove('t1', [['pending'], 'running'])),
    claim: () => tasks.claim({ taskIds: ['t1'], by: 'a', until: 2, at: 1 }),
    deliver: () => tasks.deliver({ taskIds: ['t1'], by: 'a', at: 1 }),
    remove: () => tasks.remove('t1'),
    send: () => tasks.send({ taskId: 't1', text: 'x', at: 1 }),
    messages: () => tasks.messages({ taskId: 't1', after: 0 }),
    share: () => tasks.share({ listId: 'l', from: 0, items: [1] }),
    'share of nothing': () => tasks.share({ listId: 'l', from: 0, items: [] }),
    shared: () => tasks.shared({ listId: 'l', count: 1 }),
    unshare: () => tasks.unshare('l'),
  }))
    await expectError(call(), 'storage-closed', what)
}
