import { isDeepStrictEqual } from 'node:util'
import { isRetinueError } from '@retinue/core/errors'
import { InMemoryStorage, type Storage, type TaskStatus } from '@retinue/core/storage'
import { LibSQLStore } from '../../src/libsql-store.ts'
import { assert, type Property, type Random } from '../core.ts'

const ENDED: readonly TaskStatus[] = ['completed', 'failed', 'cancelled', 'timed-out']
const STATUSES: readonly TaskStatus[] = ['pending', 'running', 'suspended', ...ENDED]
const IDS = ['t1', 't2', 't3', 't4', 't5']
const THREADS = ['t', 'u']
const OWNERS = ['ada', 'bob']

/** B9.4: whatever is asked of them in whatever order, both stores answer the same, and no task leaves its final state or is told twice. */
export function taskTwins(calls: number): Property {
  return {
    name: 'B9.4',
    unit: `histories of ${calls} calls for tasks, in two stores`,
    check: async (random, tally) => {
      const stores: readonly Storage[] = [new InMemoryStorage(), new LibSQLStore({ id: 's', url: ':memory:' })]
      const told = new Map<string, number>()
      for (const threadId of THREADS)
        for (const { threads } of stores) await threads.create({ threadId, resourceId: 'ada', at: 1 })
      for (let at = 1; at <= calls; at++) {
        const { name, call } = anyCall(random, at)
        const [one, other] = await Promise.all(stores.map((store) => answer(() => call(store))))
        assert(isDeepStrictEqual(one, other), () => `${name}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`)
        tally(`${name} ${kindOf(one)}`)
        const [everything, same] = await Promise.all(stores.map((store) => contents(store)))
        assert(isDeepStrictEqual(everything, same), () => `after ${name}: ${JSON.stringify([everything, same])}`)
        for (const { taskId, createdAt, status, deliveredAt } of everything?.items ?? []) {
          const task = `${taskId} ${createdAt}`
          if (deliveredAt === undefined) continue
          assert(ENDED.includes(status), () => `${task} was told of as ${status}`)
          assert((told.get(task) ?? deliveredAt) === deliveredAt, () => `${task} was told of twice`)
          told.set(task, deliveredAt)
        }
      }
      for (const store of stores) await store.close()
    },
  }
}

/** All that is there. */
async function contents({ tasks }: Storage) {
  const { items, unreadable } = await tasks.list({ limit: 99 })
  const said = await Promise.all(items.map(({ taskId }) => tasks.messages({ taskId, after: 0 })))
  return { items, unreadable, said, bodies: await Promise.all(items.map(({ taskId }) => tasks.get(taskId))) }
}

type Answer = { readonly value: unknown } | { readonly code: string; readonly data: unknown }

async function answer(call: () => Promise<unknown>): Promise<Answer> {
  try {
    return { value: await call() }
  } catch (error) {
    if (!isRetinueError(error)) throw error
    return { code: error.code, data: error.data }
  }
}

function kindOf(answered: Answer | undefined): string {
  if (!answered || 'code' in answered) return answered?.code ?? 'none'
  const { value } = answered
  return value === undefined || (Array.isArray(value) && value.length === 0) ? 'gives nothing' : 'gives'
}

interface Call {
  readonly name: string
  readonly call: (storage: Storage) => Promise<unknown>
}

/** Most find something: there are few ids, and what is asked for is made often. */
function anyCall(random: Random, at: number): Call {
  const kind = random.below(29)
  if (kind < 4) return created(random, at)
  if (kind < 10) return changed(random, at)
  if (kind < 18) return toldOf(random, at)
  if (kind < 20) return listed(random)
  if (kind < 28) return saidOrShared(random, at)
  const thread = { threadId: random.pick(THREADS), resourceId: random.pick(OWNERS) }
  return {
    name: 'threads',
    call: async ({ threads }) => {
      await threads.delete(thread)
      await threads.create({ ...thread, at })
    },
  }
}

function created(random: Random, at: number): Call {
  const runId = random.pick(['r1', 'r2'])
  const task = {
    ...{ taskId: random.pick(IDS), rootRunId: runId, parentTree: runId, parentRunId: random.pick(['p1', 'p2']), at },
    ...{ agentId: random.pick(['a', 'b']), path: ['a'], toolName: 'w', toolCallId: 'c', args: [at], terms: null },
    tells: random.chance(0.8) ? ('thread' as const) : ('run' as const),
    ...(random.chance(0.8) ? { threadId: random.pick(THREADS), resourceId: random.pick(OWNERS) } : {}),
  }
  return { name: 'create', call: ({ tasks }) => tasks.create(task) }
}

function changed(random: Random, at: number): Call {
  const to = random.pick(STATUSES)
  const change = {
    ...{ taskId: random.pick(IDS), to, at },
    from: STATUSES.slice(0, random.chance(0.05) ? 4 : 3).filter(() => random.chance(0.7)),
    ...(random.chance(0.5) ? { attempts: random.below(4) } : {}),
    ...(random.chance(ENDED.includes(to) ? 0.5 : 0.05) ? { outcome: { at } } : {}),
    ...(random.chance(ENDED.includes(to) ? 0.5 : 0.05) ? { error: { code: 'c', message: `at ${at}` } } : {}),
  }
  return { name: 'change', call: ({ tasks }) => tasks.change(change) }
}

function toldOf(random: Random, at: number): Call {
  const taskIds = Array.from({ length: random.below(5) }, () => random.pick(IDS))
  const delivery = { taskIds, by: random.pick(['one', 'two', 'three']), at }
  const claim = { ...delivery, until: at + random.below(6) }
  return random.chance(0.6)
    ? { name: 'claim', call: ({ tasks }) => tasks.claim(claim) }
    : { name: 'deliver', call: ({ tasks }) => tasks.deliver(delivery) }
}

function listed(random: Random): Call {
  const query = {
    ...(random.chance(0.3) ? { rootRunId: 'r1' } : {}),
    ...(random.chance(0.3) ? { parentRunId: 'p1' } : {}),
    ...(random.chance(0.3) ? { agentId: 'a' } : {}),
    ...(random.chance(0.3) ? { threadId: 't' } : {}),
    ...(random.chance(0.3) ? { resourceId: 'ada' } : {}),
    ...(random.chance(0.3) ? { status: STATUSES.filter(() => random.chance(0.5)) } : {}),
    ...(random.chance(0.3) ? { undelivered: true as const } : {}),
    limit: random.between(1, 3),
  }
  return {
    name: 'list',
    call: async ({ tasks }) => {
      const pages = [await tasks.list(query)]
      for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next)
        pages.push(await tasks.list({ ...query, cursor: next }))
      // Cursors are each store's own.
      return pages.map(({ items, unreadable }) => ({ items, unreadable }))
    },
  }
}

function saidOrShared(random: Random, at: number): Call {
  const [taskId, listId] = [random.pick(IDS), random.pick(['l', 'm'])]
  const position = random.below(6)
  const items = Array.from({ length: random.below(4) }, (_none, n) => [at, n])
  const after = random.below(3)
  return random.pick<Call>([
    { name: 'remove', call: ({ tasks }) => tasks.remove(taskId) },
    { name: 'get', call: ({ tasks }) => tasks.get(taskId) },
    { name: 'send', call: ({ tasks }) => tasks.send({ taskId, text: `at ${at}`, at }) },
    { name: 'send', call: ({ tasks }) => tasks.send({ taskId, text: `at ${at}`, at }) },
    { name: 'messages', call: ({ tasks }) => tasks.messages({ taskId, after }) },
    { name: 'share', call: ({ tasks }) => tasks.share({ listId, from: position, items }) },
    { name: 'shared', call: ({ tasks }) => tasks.shared({ listId, count: position }) },
    { name: 'unshare', call: ({ tasks }) => tasks.unshare(listId) },
  ])
}
