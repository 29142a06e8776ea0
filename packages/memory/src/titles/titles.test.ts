import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '@retinue/core/testing'
import { describe, expect, test } from 'vitest'
import { ownerOf } from '../../test-support/owner.ts'
import { warnings } from '../../test-support/warnings.ts'
import { Memory, type MemorySettings } from '../index.ts'
import { titleText } from './title-text.ts'

const key = { threadId: 't1', resourceId: 'u1' }

function titled(generateTitle: NonNullable<MemorySettings['generateTitle']>, turns: readonly ScriptedTurn[]) {
  const memory = new Memory({ storage: new InMemoryStorage(), options: { generateTitle } })
  const agent = new Agent({ id: 'a', model: scriptedModel(turns), memory })
  const ask = (text: string) => agent.generate(text, { memory: { thread: 't1', resource: 'u1' } })
  const title = async () => {
    await memory.settled()
    return (await memory.getThread(key)).title
  }
  return { memory, ask, title }
}

describe('B6.1 titles', () => {
  test('a thread without one gets the first words of the question, once', async () => {
    const { ask, title } = titled(true, [{ text: 'x' }, { text: 'y' }])
    await ask('How do I bake bread?')
    expect(await title()).toBe('How do I bake bread?')
    await ask('And cake?')
    expect(await title()).toBe('How do I bake bread?')
  })

  test('a model that was given makes it of the exchange, which it gets as data, and holds nobody up', async () => {
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel([() => ({ text: '"Baking bread."\n', after: gate.promise })])
    const { ask, title, memory } = titled({ model, instructions: 'Name it.' }, [{ text: 'Use flour.' }])
    const { text } = await ask('How do I bake bread?')
    expect(text).toBe('Use flour.')
    expect((await memory.getThread(key)).title).toBeUndefined()
    gate.resolve()
    expect(await title()).toBe('Baking bread')
    expect(model.calls[0]?.text).toBe(
      'system: Name it.\nuser: {"question":"How do I bake bread?","answer":"Use flour."}',
    )
  })

  test('a title that the person gave meanwhile, or before, stays', async () => {
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel([() => ({ text: 'Bread', after: gate.promise })])
    const { ask, title, memory } = titled({ model }, [{ text: 'x' }, { text: 'y' }])
    await ask('How do I bake bread?')
    await memory.updateThread({ ...key, title: 'Mine' })
    gate.resolve()
    expect(await title()).toBe('Mine')
    await ask('And cake?')
    expect(await title()).toBe('Mine')
  })

  test('is one: of what the thread began with, however quick the next turn is', async () => {
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel([{ text: 'Bread', after: gate.promise }, { text: 'Cake' }])
    const { ask, title } = titled({ model }, [{ text: 'x' }, { text: 'y' }])
    await ask('How do I bake bread?')
    await ask('And cake?')
    gate.resolve()
    expect(await title()).toBe('Bread')
    expect(model.calls).toHaveLength(1)
  })

  test('is one: of no turn that began before it was there', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const model = scriptedModel([{ text: 'Bread', after: gate.promise }, { text: 'Cake' }])
    const second = () => {
      begun.resolve()
      return { text: 'y', after: titleThere.promise }
    }
    const titleThere = Promise.withResolvers<void>()
    const { ask, title, memory } = titled({ model }, [{ text: 'x' }, second])
    await ask('How do I bake bread?')
    const asking = ask('And cake?')
    await begun.promise
    gate.resolve()
    await memory.settled()
    titleThere.resolve()
    await asking
    expect(await title()).toBe('Bread')
    expect(model.calls).toHaveLength(1)
  })

  test('of two memories that name one thread at once the first is heard', async () => {
    const storage = new InMemoryStorage()
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const memories = gates.map(({ promise }, index) => {
      const model = scriptedModel([() => ({ text: `T${index}`, after: promise })])
      return new Memory({ storage, options: { generateTitle: { model } } })
    })
    const update = storage.threads.update.bind(storage.threads)
    // Whoever reads before it writes reads now: the other's title comes between.
    storage.threads.update = async (change) => {
      storage.threads.update = update
      gates[1].resolve()
      await memories[1]?.settled()
      return update(change)
    }
    for (const memory of memories)
      await new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }]), memory }).generate('hi', {
        memory: { thread: 't1', resource: 'u1' },
      })
    gates[0].resolve()
    await Promise.all(memories.map((memory) => memory.settled()))
    expect((await storage.threads.get(key)).title).toBe('T1')
  })

  test('a thread whose title can’t be read is gone on in, and no model is asked for another', async () => {
    const heard = warnings()
    const storage = new InMemoryStorage()
    const begin = storage.threads.beginTurn.bind(storage.threads)
    storage.threads.beginTurn = async (turn) => {
      const { thread: _damaged, ...begun } = await begin(turn)
      return { ...begun, unreadable: [{ id: 't1', reason: 'damaged' }] }
    }
    const model = scriptedModel([])
    const memory = new Memory({ storage, options: { generateTitle: { model } } })
    const agent = new Agent({ id: 'a', model: scriptedModel([{ text: 'x' }]), memory })
    await agent.generate('hi', { memory: { thread: 't1', resource: 'u1' } })
    await memory.settled()
    expect([model.calls, heard.map(({ code }) => code)]).toEqual([[], ['memory-unreadable']])
  })

  test('a model that fails is told of, and the first words stand in', async () => {
    const heard = warnings()
    const { ask, title } = titled({ model: 'nobody/nothing' }, [{ text: 'x' }])
    await ask('How do I bake bread?')
    expect(await title()).toBe('How do I bake bread?')
    expect(heard.map(({ code }) => code)).toEqual(['memory-no-title'])
  })

  test('it is no use of the thread: its place among the last used ones stays', async () => {
    const { ask, title, memory } = titled(true, [{ text: 'x' }])
    await ask('hi')
    const before = (await memory.recall(key)).messages.at(-1)?.createdAt
    await title()
    expect((await memory.getThread(key)).updatedAt).toBe(before)
  })

  test('threads of delegations get none', async () => {
    const storage = new InMemoryStorage()
    const memory = new Memory({ storage, options: { generateTitle: true } })
    const child = new Agent({ id: 'child', description: 'Finds.', memory })
    const agent = new Agent({ id: 'a', memory, agents: { child } })
    const { resolveModel } = scriptedModels({
      a: [{ calls: [{ name: 'child', args: { prompt: 'find' } }] }, { text: 'x' }],
      'a/child': [{ text: 'fact' }],
    })
    await agent.generate('hi', { memory: { thread: 't1', resource: 'u1' }, resolveModel })
    await memory.settled()
    const { items } = await storage.threads.list({ resourceId: ownerOf('u1', 'child') })
    expect(items.map(({ title }) => title)).toEqual([undefined])
    expect((await memory.getThread(key)).title).toBe('hi')
  })
})

describe('a title of a text', () => {
  for (const [text, title] of [
    ['  \n\t Hello   there \n More', 'Hello there'],
    ['', ''],
    ['a'.repeat(60), 'a'.repeat(60)],
    ['a'.repeat(61), `${'a'.repeat(59)}…`],
    [`${'word '.repeat(11)}wordwordword`, `${'word '.repeat(11).trimEnd()}…`],
    ['👩‍👩‍👧'.repeat(61), `${'👩‍👩‍👧'.repeat(59)}…`],
    ['\ud800x', '\ufffdx'],
  ] as const)
    test(`${JSON.stringify(text.slice(0, 20))} is ${JSON.stringify(title.slice(0, 20))}`, () => {
      expect(titleText(text)).toBe(title)
    })
})
