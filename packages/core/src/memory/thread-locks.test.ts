import { describe, expect, test } from 'vitest'
import { InMemoryStorage } from '../storage/in-memory-storage.ts'
import { lockThread } from './thread-locks.ts'

const named = (threadId: string) => ({ threadId, resourceId: 'r' })
const never = () => () => {}

describe('B6.2 one run at a time in a thread', () => {
  test('runs come in the order in which they asked', async () => {
    const storage = new InMemoryStorage()
    const order: string[] = []
    const run = async (name: string) => {
      const release = await lockThread(storage, named('t'), 'wait', never)
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      release()
    }
    await Promise.all([run('a'), run('b'), run('c')])
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  test('`reject` rejects while another runs or waits, and takes a thread that is free', async () => {
    const storage = new InMemoryStorage()
    const release = await lockThread(storage, named('t'), 'reject', never)
    await expect(lockThread(storage, named('t'), 'reject', never)).rejects.toMatchObject({
      code: 'thread-busy',
      data: { threadId: 't' },
    })
    release()
    const again = await lockThread(storage, named('t'), 'reject', never)
    again()
  })

  test('other threads and other storages are free', async () => {
    const storage = new InMemoryStorage()
    await lockThread(storage, named('t'), 'wait', never)
    await lockThread(storage, named('u'), 'reject', never)
    await lockThread(new InMemoryStorage(), named('t'), 'reject', never)
  })

  test('letting go twice lets nobody in who must wait', async () => {
    const storage = new InMemoryStorage()
    const first = await lockThread(storage, named('t'), 'wait', never)
    const second = lockThread(storage, named('t'), 'wait', never)
    let third = false
    void lockThread(storage, named('t'), 'wait', never).then(() => {
      third = true
    })
    first()
    first()
    await second
    await Promise.resolve()
    expect(third).toBe(false)
  })

  test('an abort ends the waiting and takes nothing: who waits behind is not let in before the first lets go', async () => {
    const storage = new InMemoryStorage()
    const first = await lockThread(storage, named('t'), 'wait', never)
    let abort = () => {}
    const waiting = lockThread(storage, named('t'), 'wait', (callback) => {
      abort = callback
      return () => {}
    })
    let letIn = false
    const behind = lockThread(storage, named('t'), 'wait', never).then((release) => {
      letIn = true
      return release
    })
    abort()
    const aborted = await waiting
    aborted()
    expect(letIn).toBe(false)
    first()
    const last = await behind
    await expect(lockThread(storage, named('t'), 'reject', never)).rejects.toMatchObject({ code: 'thread-busy' })
    last()
    await lockThread(storage, named('t'), 'reject', never)
  })

  test('what nobody holds or waits for is forgotten, and the storage shows nothing of it', async () => {
    const storage = new InMemoryStorage()
    const shown = Object.keys(storage)
    const release = await lockThread(storage, named('t'), 'wait', never)
    const locks = (storage as unknown as Record<symbol, Map<string, unknown>>)[Symbol.for('retinue.thread-locks')]
    expect(locks?.size).toBe(1)
    release()
    expect(locks?.size).toBe(0)
    expect(Object.keys(storage)).toEqual(shown)
  })

  test('a name of the prototype is a thread like others', async () => {
    const storage = new InMemoryStorage()
    for (const id of ['__proto__', 'constructor']) (await lockThread(storage, named(id), 'reject', never))()
  })
})
