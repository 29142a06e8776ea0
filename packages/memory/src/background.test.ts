import { Retinue } from '@retinue/core'
import { Agent, type RunOptions } from '@retinue/core/agent'
import type { Processor } from '@retinue/core/processors'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { type Script, type ScriptedCall, type ScriptedModels, scriptedModels } from '@retinue/core/testing'
import { createTool, type Tool } from '@retinue/core/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EventClock, MortalProcess } from '../test-support/core.ts'
import { kept } from '../test-support/said.ts'
import { Memory } from './memory.ts'

let clock: EventClock
beforeEach(() => {
  clock = new EventClock()
})
afterEach(() => clock.restore())

const on = { thread: 't', resource: 'ada' }
const ask = { calls: [{ id: 'ask-a', name: 'a', args: { prompt: 'find it' } }] }

function times(call: ScriptedCall | undefined, text: string): number {
  return (call?.text ?? '').split(text).length - 1
}

interface Process {
  readonly app: Retinue
  readonly sup: Agent
  readonly memory: Memory
  readonly life: MortalProcess
}

/** Processes over one storage: a supervisor that remembers, with a subagent `a` that works in the background. */
function processes(
  script: Script,
  {
    tools = {},
    childMemory = false,
    childTools = {},
    inputProcessors = [],
  }: {
    tools?: Record<string, Tool>
    childMemory?: boolean
    childTools?: Record<string, Tool>
    inputProcessors?: Processor[]
  } = {},
) {
  const storage = new InMemoryStorage()
  const models: ScriptedModels = scriptedModels(script)
  const start = (life = new MortalProcess(), isBackground = true): Process => {
    const memory = new Memory()
    const own = childMemory ? { memory: new Memory() } : {}
    const a = new Agent({ id: 'a', description: 'd', model: models.at('sup/a'), tools: childTools, ...own })
    const sup = new Agent({
      id: 'sup',
      model: models.at('sup'),
      agents: { a },
      tools,
      inputProcessors,
      memory,
      backgroundTasks: { tools: { a: isBackground } },
    })
    const shared: Storage = life.storage(storage)
    const app = new Retinue({ agents: { sup }, storage: shared, backgroundTasks: { enabled: true }, logger: false })
    return { app, sup: app.getAgent('sup'), memory: memory.within(shared), life }
  }
  const turn = (process: Process, said: string, more: RunOptions = {}) =>
    clock.until(process.sup.generate(said, { memory: on, ...more }))
  return { storage, models, start, turn }
}

/** From now on whoever looks first for what has ended goes on when somebody else has looked; `found`: how much each of them found. */
function lookAtOnce({ tasks }: Storage): { readonly found: number[]; readonly looked: Promise<void> } {
  const [one, both] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const found: number[] = []
  const claim = tasks.claim.bind(tasks)
  tasks.claim = async (request) => {
    const claimed = await claim(request)
    if (request.taskIds.length === 0 || (found.length === 0 && claimed.length === 0)) return claimed
    if (found.push(claimed.length) === 2) both.resolve()
    one.resolve()
    await both.promise
    return claimed
  }
  return { found, looked: one.promise }
}

/** A turn of the subagent that comes when it is let. */
function held(text: string) {
  const gate = Promise.withResolvers<void>()
  return { turn: { text, after: gate.promise }, let: gate.resolve }
}

describe('B9.3 a result on the next turn of the thread', () => {
  test('a plain run returns at its first answer and its task goes on; the result is told once, before what the person says next', async () => {
    const work = held('ZEBRA')
    const { models, start, turn } = processes({
      sup: [ask, { text: 'It is on its way.' }, { text: 'It is a zebra.' }, { text: 'Nothing new.' }],
      'sup/a': [work.turn],
    })
    const process = start()
    const first = await turn(process, 'Find it')
    expect([first.text, first.finishReason]).toEqual(['It is on its way.', 'stop'])
    expect((await process.app.tasks.list()).items).toMatchObject([{ status: 'running', tells: 'thread' }])
    work.let()
    await clock.until(process.app.tasks.settled())
    expect(models.calls('sup')).toHaveLength(2)
    await turn(process, 'And?')
    const [, , third] = models.calls('sup')
    expect(third?.text).toMatch(
      /It is on its way\.\nuser: \[retinue\] The background task .* has completed\.\nWhat came of it.*\n(.*)\nZEBRA\n\1\nuser: And\?$/,
    )
    await turn(process, 'Anything else?')
    expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual([0, 0, 1, 1])
    expect((await process.app.tasks.list({ undelivered: true })).items).toEqual([])
    models.assertDone()
  })

  test('it comes in during the next turn: that turn is told, before its next model call, and no other', async () => {
    const work = held('ZEBRA')
    const look = createTool({
      id: 'look',
      execute: async () => {
        work.let()
        await process.app.tasks.settled()
        return 'seen'
      },
    }) as Tool
    const { models, start, turn } = processes(
      {
        sup: [
          ask,
          { text: 'one' },
          { calls: [{ id: 'l', name: 'look', args: {} }] },
          { text: 'two' },
          { text: 'three' },
        ],
        'sup/a': [work.turn],
      },
      { tools: { look } },
    )
    const process = start()
    await turn(process, 'Find it')
    await turn(process, 'And?')
    await turn(process, 'Well?')
    expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual([0, 0, 0, 1, 1])
    models.assertDone()
  })

  test.each(['ended before', 'works'] as const)(
    'another process that shares the storage alone tells of it, when the first one %s',
    async (when) => {
      const work = held('ZEBRA')
      const { models, start, turn } = processes({
        sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
        'sup/a': when === 'works' ? [work.turn, { text: 'ZEBRA' }] : [work.turn],
      })
      const first = start()
      await turn(first, 'Find it')
      if (when === 'ended before') {
        work.let()
        await clock.until(first.app.tasks.settled())
      }
      first.life.die()
      await clock.advance(11_000)
      const next = start()
      await turn(next, 'And?')
      await clock.until(next.app.tasks.settled())
      await turn(next, 'Well?')
      const told = when === 'works' ? [0, 0, 0, 1] : [0, 0, 1, 1]
      expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual(told)
      expect((await next.app.tasks.list()).items).toMatchObject([{ status: 'completed', attempts: 1 }])
      models.assertDone()
    },
  )

  test('its process dies at any write of the turn that tells of it: the thread is told once', async () => {
    let deaths = 0
    let searched = 0
    for (let at = 1, isOver = false; !isOver; at++)
      for (const when of ['before', 'after'] as const) {
        const { models, start, turn, storage } = processes({
          sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }],
          'sup/a': [{ text: 'ZEBRA' }],
        })
        const first = start()
        await turn(first, 'Find it')
        await clock.until(first.app.tasks.settled())
        const dying = start()
        dying.life.dieAt(at, when)
        const death = new Promise<void>((resolve) => {
          dying.life.onDeath = resolve
        })
        await clock.until(Promise.race([dying.sup.generate('And?', { memory: on }), death]))
        if (dying.life.alive) {
          isOver = true
          continue
        }
        deaths += 1
        await clock.advance(11_000)
        const next = start()
        await turn(next, 'Well?')
        await turn(next, 'So?')
        const [before, last] = models.calls('sup').slice(-2)
        expect([times(before, 'ZEBRA'), times(last, 'ZEBRA')], `${when} write ${at}`).toEqual([1, 1])
        const { items } = await storage.tasks.list({})
        expect(items[0]?.deliveredAt).toBeTypeOf('number')
        if ((await storage.tasks.get(items[0]?.taskId as string)).claims > 1) searched += 1
      }
    expect(deaths).toBeGreaterThan(5)
    expect(searched).toBeGreaterThan(2)
  })

  test('two processes with a turn on the thread at the same time: one of them is told', async () => {
    const { models, start, turn } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const [first, second] = [start(), start()]
    await turn(first, 'Find it')
    await clock.until(first.app.tasks.settled())
    await clock.until(
      Promise.all([first, second].map(({ sup }, n) => sup.generate(n === 0 ? 'And?' : 'Well?', { memory: on }))),
    )
    const both = models.calls('sup').slice(2)
    // Who was not told may find it in the thread all the same: it was said there.
    expect(both.map((call) => times(call, 'has completed')).includes(1)).toBe(true)
    expect((await kept(first.memory, 't', 'ada')).filter((said) => said.includes('has completed'))).toHaveLength(1)
    await turn(second, 'So?')
    expect(times(models.calls('sup').at(-1), 'ZEBRA')).toBe(1)
  })

  test('two processes look for what has ended before either has told of it: it is claimed by one, and told by that one alone', async () => {
    const { models, start, turn, storage } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const [first, second] = [start(), start()]
    await turn(first, 'Find it')
    await clock.until(first.app.tasks.settled())
    const { found } = lookAtOnce(storage)
    await clock.until(
      Promise.all([first, second].map(({ sup }, n) => sup.generate(n === 0 ? 'And?' : 'Well?', { memory: on }))),
    )
    expect(found.slice(0, 2).toSorted()).toEqual([0, 1])
    expect((await kept(first.memory, 't', 'ada')).filter((said) => said.includes('has completed'))).toHaveLength(1)
    models.assertDone()
  })

  test('a run that waits for its task has looked, and not told of it yet, when another process has a turn: it is told in the run', async () => {
    const work = held('ZEBRA')
    const { models, start, storage } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/a': [work.turn],
    })
    const [first, second] = [start(), start()]
    const running = first.sup.generate('Find it', { memory: on, untilIdle: true })
    await clock.advance(1_000)
    const { found, looked } = lookAtOnce(storage)
    work.let()
    await clock.until(looked)
    await clock.until(second.sup.generate('Well?', { memory: on }))
    await clock.until(running)
    expect(found.slice(0, 2)).toEqual([1, 0])
    expect((await kept(first.memory, 't', 'ada')).filter((said) => said.includes('has completed'))).toHaveLength(1)
    models.assertDone()
  })

  test('a turn whose input is refused has told nobody: the next one does, at once', async () => {
    const guard: Processor = {
      id: 'guard',
      processInput: ({ messages, abort }) => {
        if (JSON.stringify(messages.at(-1)).includes('And?')) abort('no')
      },
    }
    const { models, start, turn } = processes(
      { sup: [ask, { text: 'one' }, { text: 'two' }], 'sup/a': [{ text: 'ZEBRA' }] },
      { inputProcessors: [guard] },
    )
    const process = start()
    await turn(process, 'Find it')
    await clock.until(process.app.tasks.settled())
    expect((await turn(process, 'And?')).finishReason).toBe('other')
    await turn(process, 'Well?')
    expect(times(models.calls('sup').at(-1), 'ZEBRA')).toBe(1)
    models.assertDone()
  })

  test('B9.5 two tasks of an earlier turn ask, and a later one waits for them: which of them is meant must be said', async () => {
    const gates: unknown[] = []
    const gate = createTool({ id: 'gate', requireApproval: true, execute: (input) => gates.push(input) }) as Tool
    const calls = ['one', 'other'].map((id) => ({ id, name: 'a', args: { prompt: 'find it' } }))
    const asks = (n: number) => ({ calls: [{ id: `g${n}`, name: 'gate', args: { n } }] })
    const { start, turn } = processes(
      {
        sup: [{ calls }, { text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }],
        'sup/a': [asks(1), asks(2), { text: 'ZEBRA' }, { text: 'LION' }],
      },
      { childTools: { gate } },
    )
    const process = start()
    await turn(process, 'Find it')
    const { runId, finishReason, pendingCalls = [] } = await turn(process, 'And?', { untilIdle: true })
    expect([finishReason, pendingCalls.length]).toEqual(['suspended', 2])
    const decide = (toolCallId?: string) =>
      clock.until(process.sup.approveToolCallGenerate({ runId, ...(toolCallId ? { toolCallId } : {}) }))
    await expect(decide()).rejects.toMatchObject({ code: 'approval-ambiguous' })
    expect(gates).toEqual([])
    await decide(pendingCalls[1]?.toolCallId)
    await decide()
    expect(gates).toEqual([{ n: 2 }, { n: 1 }])
  })

  test('another thread, and another person’s thread of the same name, are never told', async () => {
    const { models, start, turn } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const process = start()
    await turn(process, 'Find it')
    await clock.until(process.app.tasks.settled())
    await turn(process, 'And?', { memory: { thread: 'u', resource: 'ada' } })
    await turn(process, 'And?', { memory: { thread: 't', resource: 'bob' } }).catch(() => {})
    await turn(process, 'And?')
    expect(
      models
        .calls('sup')
        .map((call) => times(call, 'ZEBRA'))
        .filter((n) => n > 0),
    ).toEqual([1])
    expect(times(models.calls('sup').at(-1), 'ZEBRA')).toBe(1)
  })

  test('B6.4 a turn that only reads is told nothing, and takes nothing from the next one', async () => {
    const { models, start, turn } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const process = start()
    await turn(process, 'Find it')
    await clock.until(process.app.tasks.settled())
    await turn(process, 'And?', { memory: { ...on, options: { readOnly: true } } })
    await turn(process, 'Well?')
    expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual([0, 0, 0, 1])
  })

  test('B6.4 a run that only reads can’t leave its results to a later turn: it waits for them, and writes nothing', async () => {
    const { models, start, turn, storage } = processes({
      sup: [{ text: 'hello' }, ask, { text: 'one' }, { text: 'two' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const process = start()
    await turn(process, 'Hello')
    const { text } = await turn(process, 'Find it', { memory: { ...on, options: { readOnly: true } } })
    expect(text).toBe('one\n\ntwo')
    expect(
      (await storage.threads.listMessages({ threadId: 't', resourceId: 'ada', limit: 100 })).messages,
    ).toHaveLength(2)
    models.assertDone()
  })

  test('untilIdle on a later turn waits for the tasks of earlier ones', async () => {
    const work = held('ZEBRA')
    const { models, start } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/a': [work.turn],
    })
    const process = start()
    await clock.until(process.sup.generate('Find it', { memory: on }))
    const waiting = process.sup.generate('And?', { memory: on, untilIdle: true })
    await clock.advance(30_000)
    expect(models.calls('sup')).toHaveLength(3)
    work.let()
    expect((await clock.until(waiting)).text).toBe('two\n\nthree')
    expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual([0, 0, 0, 1])
  })

  test('untilIdle on the first turn: the result is told there, and not again', async () => {
    const { models, start, turn } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/a': [{ text: 'ZEBRA' }],
    })
    const process = start()
    expect((await turn(process, 'Find it', { untilIdle: true })).text).toBe('one\n\ntwo')
    await turn(process, 'And?')
    expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual([0, 0, 1, 1])
    const { messages } = await process.memory.recall({ threadId: 't', resourceId: 'ada' })
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
  })
})

describe('B9.3 what else becomes of the thread, and of the task', () => {
  test.each(['before it ended', 'after it ended'] as const)(
    'the thread is deleted %s: the task goes with it, and nobody is told',
    async (when) => {
      const work = held('ZEBRA')
      const { models, start, turn, storage } = processes({
        sup: [ask, { text: 'one' }, { text: 'two' }],
        'sup/a': [work.turn],
      })
      const process = start()
      await turn(process, 'Find it')
      if (when === 'before it ended') await process.memory.deleteThread({ threadId: 't', resourceId: 'ada' })
      work.let()
      await clock.until(process.app.tasks.settled())
      if (when === 'after it ended') await process.memory.deleteThread({ threadId: 't', resourceId: 'ada' })
      await turn(process, 'And?')
      expect(times(models.calls('sup').at(-1), 'ZEBRA')).toBe(0)
      expect((await storage.tasks.list({})).items).toEqual([])
      expect((await storage.runs.list({})).total).toBe(0)
    },
  )

  test('B9.6 nobody can go on with it: it has failed with the reason, and the conversation is told', async () => {
    const work = held('ZEBRA')
    const { models, start, turn } = processes({
      sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      'sup/a': [work.turn],
    })
    const first = start()
    await turn(first, 'Find it', { requireToolApproval: () => false })
    first.life.die()
    await clock.advance(11_000)
    const next = start()
    await turn(next, 'And?')
    await turn(next, 'Well?')
    expect((await next.app.tasks.list()).items).toMatchObject([{ status: 'failed', error: { code: 'task-lost' } }])
    expect(models.calls('sup').map((call) => times(call, 'has failed'))).toEqual([0, 0, 1, 1])
    expect(models.calls('sup').at(-1)?.text).toContain('requireToolApproval')
  })

  test('B6.3 the delegation has a thread of its own, with its prompt and its answer alone', async () => {
    const { start, turn, models } = processes(
      { sup: [ask, { text: 'one' }, { text: 'two' }], 'sup/a': [{ text: 'ZEBRA' }] },
      { childMemory: true },
    )
    const process = start()
    const { runId } = await turn(process, 'Find it')
    await clock.until(process.app.tasks.settled())
    const [facts] = (await process.app.tasks.list({ rootRunId: runId })).items
    const task = await process.app.tasks.get(facts?.taskId as string)
    const { subAgentThreadId: threadId, subAgentResourceId: resourceId } = task.result as Record<string, string>
    expect([threadId, resourceId]).toEqual([expect.stringMatching(/^t-./), 'ada-a'])
    const { messages } = await process.memory.recall({ threadId: threadId as string, resourceId: resourceId as string })
    expect(messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`)).toEqual([
      'user: [{"type":"text","text":"find it"}]',
      'assistant: [{"type":"text","text":"ZEBRA"}]',
    ])
    const own = await process.memory.recall({ threadId: 't', resourceId: 'ada' })
    expect(JSON.stringify(own.messages)).not.toContain('ZEBRA')
    await turn(process, 'And?')
    models.assertDone()
  })
})

describe('S16 a result reaches the model', () => {
  test('S16 the placeholder first, then the true result, once: in the same stream, on the next turn, and after a restart', async () => {
    for (const where of ['stream', 'turn', 'restart'] as const) {
      const { models, start, turn } = processes({
        sup: [ask, { text: 'one' }, { text: 'two' }, { text: 'three' }],
        'sup/a': [{ text: 'ZEBRA' }],
      })
      const first = start()
      await turn(first, 'Find it', where === 'stream' ? { untilIdle: true } : {})
      await clock.until(first.app.tasks.settled())
      if (where === 'restart') first.life.die()
      const next = where === 'restart' ? start() : first
      await turn(next, 'And?')
      const calls = models.calls('sup')
      expect(calls.map((call) => times(call, 'ZEBRA'))).toEqual(where === 'stream' ? [0, 0, 1, 1] : [0, 0, 1])
      // The placeholder stays what it is, as the result of the call.
      for (const call of calls.slice(1)) expect(times(call, 'goes on in the background')).toBe(1)
      expect(models.calls('sup/a')).toHaveLength(1)
    }
  })
})

describe('S17 a result is told once', () => {
  test.each(['before', 'during', 'after'] as const)(
    'S17 it ends %s the turn that could be told: one delivery, and no extra turn',
    async (when) => {
      const work = held('ZEBRA')
      const look = createTool({
        id: 'look',
        execute: async () => {
          if (when === 'during') work.let()
          if (when !== 'after') await process.app.tasks.settled()
          return 'seen'
        },
      }) as Tool
      const { models, start, turn } = processes(
        {
          sup: [
            ask,
            { text: 'one' },
            { calls: [{ id: 'l', name: 'look', args: {} }] },
            { text: 'two' },
            { text: 'three' },
          ],
          'sup/a': [work.turn],
        },
        { tools: { look } },
      )
      const process = start()
      await turn(process, 'Find it')
      if (when === 'before') {
        work.let()
        await clock.until(process.app.tasks.settled())
      }
      await turn(process, 'And?')
      if (when === 'after') {
        work.let()
        await clock.until(process.app.tasks.settled())
      }
      await clock.advance(60_000)
      expect(models.calls('sup')).toHaveLength(4)
      await turn(process, 'Well?')
      const told = { before: [0, 0, 1, 1, 1], during: [0, 0, 0, 1, 1], after: [0, 0, 0, 0, 1] }
      expect(models.calls('sup').map((call) => times(call, 'ZEBRA'))).toEqual(told[when])
      models.assertDone()
    },
  )
})
