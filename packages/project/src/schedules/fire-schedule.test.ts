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

test.each([
  ['length', { finish: 'length' }, 'The run ended with "length"'],
  ['content-filter', { finish: 'content-filter' }, 'The run ended with "content-filter"'],
  ['an empty answer', { text: '' }, 'answer'],
] as const)(
  'B11.13 a run whose answer is not whole has failed, with the reason, for a prompt and for a handler: %s',
  async (_, over, message) => {
    const turn = { text: 'Half of', ...over }
    for (const work of [{ prompt: 'Look.' }, ({ run }: { run: (input: string) => unknown }) => run('Look.')] as const) {
      const fired = await settled({ sup: Array.from({ length: 6 }, () => turn), 'sup/scout': [] }).fire(work)
      expect(fired).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining(message) } })
      expect(fired.threadId).toMatch(/^schedule-daily-/)
    }
  },
)

test('B11.13 a run that used up its steps has failed', async () => {
  const { fire } = settled({ sup: [DELEGATES, { text: 'x' }], 'sup/scout': [{ text: 'y' }] })
  const fired = await fire(({ run }) => run('Look.', { maxSteps: 1, untilIdle: false }))
  expect(fired).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('"max-steps"') } })
})

test('B11.13 of several runs in a handler one that failed counts, whatever came before and after it', async () => {
  const cut = { text: 'Half of', finish: 'length' } as const
  for (const turns of [
    [cut, { text: 'Second.' }],
    [{ text: 'First.' }, cut],
  ]) {
    const { fire } = settled({ sup: turns, 'sup/scout': [] })
    const fired = await fire(async ({ run }) => {
      for (const thread of ['a', 'b']) await run('Go on.', { memory: { thread, resource: 'r' } })
    })
    expect(fired).toMatchObject({ outcome: 'failed', threadId: turns[0] === cut ? 'a' : 'b' })
    expect(fired.text).toBe(turns[1]?.text)
  }
})

test('B11.13 runs that the handler does not wait for are a part of its time, with what goes wrong in them', async () => {
  let ended = 0
  const { fire } = settled({
    sup: [
      () => {
        ended++
        return { text: 'First.' }
      },
      () => {
        ended++
        return { text: 'Second.' }
      },
    ],
    'sup/scout': [],
  })
  const fired = await fire(({ run }) => {
    // A run may begin when another has ended.
    void run('Go on.').then(() => run('And on.'))
  })
  expect([fired.outcome, fired.text, ended]).toEqual(['completed', 'Second.', 2])
  const broken = await settled({ sup: [], 'sup/scout': [] }).fire(({ run }) => void run('Go on.'))
  expect(broken).toMatchObject({ outcome: 'failed', error: { message: expect.any(String) } })
  // What the handler says went wrong counts before what it left behind.
  const both = await settled({ sup: [], 'sup/scout': [] }).fire(({ run }) => {
    void run('Go on.')
    throw new Error('no news')
  })
  expect(both).toEqual({ outcome: 'failed', error: { message: 'no news' } })
})

test('B11.13 what a handler sees to itself is no failure', async () => {
  const { fire } = settled({ sup: [{ text: 'Done.' }], 'sup/scout': [] })
  const fired = await fire(async ({ run }) => {
    await run('Go on.', { maxSteps: -1 }).catch(() => {})
    await run('Go on.')
  })
  expect(fired).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

test('B11.13 a run that a handler begins after its time is over is refused, with what to do', async () => {
  const { fire } = settled({ sup: [{ text: 'First.' }], 'sup/scout': [] })
  let late: Parameters<NonNullable<HandlerSchedule['handler']>>[0]['run'] | undefined
  await fire(async ({ run }) => {
    late = run
    await run('Go on.')
  })
  await expect(late?.('And on.')).rejects.toMatchObject({
    code: 'schedule-over',
    hint: expect.stringContaining('Wait'),
  })
})
