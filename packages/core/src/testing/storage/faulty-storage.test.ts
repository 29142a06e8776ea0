import { expect, test } from 'vitest'
import { InMemoryStorage } from '../../storage/in-memory-storage.ts'
import { faultyStorage } from './faulty-storage.ts'
import { asked, move, waiting } from './run-case.ts'
import { ADA, said } from './storage-case.ts'
import { storageConformance } from './storage-conformance.ts'
import { task, taskMove } from './task-case.ts'

const key = { threadId: 't1', resourceId: ADA }

async function writes(storage: ReturnType<typeof faultyStorage>): Promise<void> {
  await storage.threads.create({ ...key, at: 1 })
  await storage.threads.append({ ...key, messages: [said('m1')] })
  await storage.workingMemory.set({ ...key, text: 'notes', at: 1 })
}

async function kept(storage: InMemoryStorage) {
  const { messages } = await storage.threads.listMessages({ ...key, limit: 9 })
  return [messages.map(({ id }) => id), (await storage.workingMemory.get(key))?.text]
}

test('without a fault it counts the writes, and not the reads', async () => {
  const storage = faultyStorage(new InMemoryStorage())
  await writes(storage)
  await storage.threads.get(key)
  await storage.threads.list({ resourceId: ADA })
  expect(storage.writes).toEqual(['threads.create', 'threads.append', 'workingMemory.set'])
})

test('B7.4 writes of runs and approvals are counted and fail, and reads are not', async () => {
  const names = ['runs.save', 'runs.acquire', 'runs.renew', 'runs.release', 'approvals.change', 'runs.remove']
  const lease = { runId: 'r1', holder: 'h', until: 900, at: 200 }
  const calls = async ({ runs, approvals }: ReturnType<typeof faultyStorage>) => {
    await runs.save(waiting('r1', { requests: [asked('r1', 'c1')] }))
    await runs.acquire(lease)
    await runs.renew(lease)
    await runs.release(lease)
    await approvals.change(move('r1', 'c1', [['pending'], 'approved']))
    await runs.get('r1')
    await runs.list({})
    await approvals.get({ runId: 'r1', toolCallId: 'c1' })
    await approvals.list({})
    await runs.remove({ runId: 'r1', expectedVersion: 2, at: 300 })
  }
  for (const at of [1, 2, 3, 4, 5, 6, 7]) {
    const storage = faultyStorage(new InMemoryStorage(), { at, when: 'before', how: 'fail' })
    const failed = await calls(storage).then(
      () => false,
      () => true,
    )
    expect([failed, storage.writes]).toEqual([at <= names.length, names.slice(0, at)])
  }
})

test('B9.4 writes of tasks are counted and fail, and reads are not', async () => {
  const names = ['create', 'share', 'send', 'change', 'claim', 'deliver', 'remove', 'unshare']
  const calls = async ({ tasks }: ReturnType<typeof faultyStorage>) => {
    await tasks.create(task('t1'))
    await tasks.share({ listId: 'l', from: 0, items: [1] })
    await tasks.send({ taskId: 't1', text: 'x', at: 1 })
    await tasks.change(taskMove('t1', [['pending'], 'completed']))
    await tasks.claim({ taskIds: ['t1'], by: 'a', until: 2, at: 1 })
    await tasks.deliver({ taskIds: ['t1'], by: 'a', at: 1 })
    await tasks.get('t1')
    await tasks.list({})
    await tasks.messages({ taskId: 't1', after: 0 })
    await tasks.shared({ listId: 'l', count: 1 })
    await tasks.remove('t1')
    await tasks.unshare('l')
  }
  for (let at = 1; at <= names.length + 1; at++) {
    const storage = faultyStorage(new InMemoryStorage(), { at, when: 'before', how: 'fail' })
    const failed = await calls(storage).then(
      () => false,
      () => true,
    )
    expect([failed, storage.writes]).toEqual([at <= names.length, names.slice(0, at).map((name) => `tasks.${name}`)])
  }
})

test('a write that fails before leaves nothing, one that fails after has written', async () => {
  for (const [when, left] of [
    ['before', []],
    ['after', ['m1']],
  ] as const) {
    const storage = new InMemoryStorage()
    const failing = writes(faultyStorage(storage, { at: 2, when, how: 'fail' }))
    await expect(failing).rejects.toMatchObject({ code: 'storage-failed' })
    expect(await kept(storage)).toEqual([left, undefined])
  }
  const error = new Error('disk')
  const failing = writes(faultyStorage(new InMemoryStorage(), { at: 1, when: 'after', how: 'fail', error }))
  await expect(failing).rejects.toBe(error)
})

test('a write that kills happens before or after the kill, and never answers', async () => {
  for (const [when, left] of [
    ['before', [[], undefined]],
    ['after', [['m1'], undefined]],
  ] as const) {
    const storage = new InMemoryStorage()
    const killed = Promise.withResolvers<void>()
    let answered = false
    const faulty = faultyStorage(storage, { at: 2, when, how: 'kill', kill: killed.resolve })
    writes(faulty).finally(() => {
      answered = true
    })
    await killed.promise
    expect(await kept(storage)).toEqual(left)
    expect(answered).toBe(false)
  }
})

test('a write is delayed before it is made, or before it answers', async () => {
  for (const [when, left] of [
    ['before', []],
    ['after', ['m1']],
  ] as const) {
    const storage = new InMemoryStorage()
    const gate = Promise.withResolvers<void>()
    const writing = writes(faultyStorage(storage, { at: 2, when, how: 'delay', until: gate.promise }))
    await new Promise((resolve) => setImmediate(resolve))
    expect((await kept(storage))[0]).toEqual(left)
    gate.resolve()
    await writing
    expect(await kept(storage)).toEqual([['m1'], 'notes'])
  }
})

test('otherwise it does what every storage does', async () => {
  for (const { run } of storageConformance) await run(() => faultyStorage(new InMemoryStorage()))
})
