import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import type { HandlerSchedule, Schedule } from '@retinue/core/schedules'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { type Script, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { Memory } from '@retinue/memory'
import { expect, test } from 'vitest'
import { type Fired, fireSchedule } from './fire-schedule.ts'

interface Setting {
  readonly storage: Storage
  readonly end: AbortController
  fire(work: { prompt: string } | HandlerSchedule['handler']): Promise<Fired>
}

/** A supervisor whose scout works in the background and may fell a tree, which a person must approve. */
function settled(script: Script): Setting {
  const models = scriptedModels(script)
  const storage = new InMemoryStorage({ id: 's' })
  const end = new AbortController()
  const fell = createTool({ id: 'fell', description: 'Fells', requireApproval: true, execute: () => 'felled' })
  const scout = new Agent({ id: 'scout', description: 'Looks', model: models.at('sup/scout') })
  const sup = new Agent({
    id: 'sup',
    instructions: 'Work.',
    model: models.at('sup'),
    agents: { scout },
    tools: { fell },
    backgroundTasks: { tools: { scout: true } },
  })
  const app = new Retinue({
    agents: { sup },
    storage,
    memory: new Memory(),
    backgroundTasks: { enabled: true },
    logger: false,
  })
  const fire: Setting['fire'] = (work) => {
    const times = { cron: '0 9 * * *' }
    const schedule: Schedule = typeof work === 'function' ? { ...times, handler: work } : { ...times, ...work }
    const owned = { agent: 'sup', key: 'daily', schedule }
    const { signal } = end
    const givenUp = new AbortController().signal
    return fireSchedule({ owned, due: 0, id: 'one', app, resolveModel: undefined, signal, givenUp })
  }
  return { storage, end, fire }
}

const DELEGATES = { calls: [{ id: 'c1', name: 'scout', args: { prompt: 'look' } }] }
const FELLS = { calls: [{ id: 'c2', name: 'fell', args: {} }] }

test('B11.13 it is completed when its background work is done and answered, for a prompt and for a handler', async () => {
  const script = {
    sup: [DELEGATES, { text: 'It is on its way.' }, ({ text }: { text: string }) => ({ text: text.slice(-400) })],
    'sup/scout': [{ text: 'All is quiet.' }],
  }
  for (const work of [{ prompt: 'Look.' }, ({ run }: { run: (input: string) => unknown }) => run('Look.')] as const) {
    const { fire, storage } = settled(script)
    const fired = await fire(work)
    expect(fired).toMatchObject({ outcome: 'completed', text: expect.stringContaining('All is quiet.') })
    const { items } = await storage.tasks.list({})
    expect(items).toMatchObject([{ status: 'completed' }])
  }
})

test('B11.13 of several runs in a handler, one that waits for a person counts, with its thread', async () => {
  const { fire } = settled({ sup: [{ text: 'First.' }, FELLS, { text: 'Third.' }], 'sup/scout': [] })
  const at = (thread: string) => ({ memory: { thread, resource: 'r' } })
  const fired = await fire(async ({ run }) => {
    for (const thread of ['a', 'b', 'c']) await run('Go on.', at(thread))
  })
  expect(fired).toEqual({ outcome: 'waiting', text: 'Third.', threadId: 'b' })
})

test('B11.13 the thread that is told is the one that it ran in, and there', async () => {
  const { fire, storage } = settled({ sup: Array.from({ length: 5 }, () => ({ text: 'Done.' })), 'sup/scout': [] })
  const threadOf = async (memory: { thread: string | { id: string }; resource: string } | undefined) =>
    (await fire(({ run }) => run('Go on.', { memory } as object))).threadId
  expect(await threadOf({ thread: 'mine', resource: 'r' })).toBe('mine')
  expect(await threadOf({ thread: { id: 'other' }, resource: 'r' })).toBe('other')
  const unkept = { thread: 'never', resource: 'r', options: { readOnly: true } }
  expect([await threadOf(undefined), await threadOf(unkept)]).toEqual([undefined, undefined])
  const own = (await fire({ prompt: 'x' })).threadId as string
  const lists = await Promise.all(['r', 'schedule:sup/daily'].map((resourceId) => storage.threads.list({ resourceId })))
  expect(lists.flatMap(({ items }) => items.map(({ id }) => id)).sort()).toEqual(['mine', 'other', own].sort())
})

test('B11.13 a signal of the handler stands beside the one that ends it with the application', async () => {
  for (const ends of ['application', 'handler'] as const) {
    const own = new AbortController()
    const { fire, end } = settled({
      sup: [
        () => {
          const ending = ends === 'application' ? end : own
          ending.abort()
          return { text: 'Too late.' }
        },
      ],
      'sup/scout': [],
    })
    const fired = await fire(({ run }) => run('Go on.', { abortSignal: own.signal }))
    expect([ends, fired.outcome]).toEqual([ends, 'aborted'])
  }
})
