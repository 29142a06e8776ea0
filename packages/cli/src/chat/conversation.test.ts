import { Retinue } from '@retinue/core'
import { Agent } from '@retinue/core/agent'
import { InMemoryStorage } from '@retinue/core/storage'
import { type ScriptedTurn, scriptedModel, scriptedModels } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { Memory } from '@retinue/memory'
import { expect, test } from 'vitest'
import { remembering } from '../../test-support/remembering.ts'
import { Conversation } from './conversation.ts'

/** The strict model refuses a conversation that a strict provider would refuse. */
function talk(...turns: ScriptedTurn[]) {
  const model = scriptedModel(turns)
  const peek = createTool({ id: 'peek', execute: () => new Promise(() => {}) })
  const agent = remembering(new Agent({ id: 'a', model, maxRetries: 0, tools: { peek } }))
  const conversation = new Conversation(agent, () => undefined)
  const say = async (text: string, stopAt?: string | Promise<void>): Promise<boolean> => {
    const stop = new AbortController()
    if (stopAt instanceof Promise) void stopAt.then(() => stop.abort())
    const stream = await conversation.say(text, stop.signal)
    for await (const { type } of stream.events) if (type === stopAt) stop.abort()
    return conversation.isAnswered(await stream.result)
  }
  return { say, asked: (at: number) => model.calls[at]?.text, conversation }
}

test('a turn sees what was said before it', async () => {
  const { say, asked } = talk({ text: 'Hello' }, { text: 'Again' })
  await say('One')
  await say('Two')
  expect(asked(1)).toBe('user: One\nassistant: Hello\nuser: Two')
})

test('of a failed turn the question stays, and the conversation goes on', async () => {
  const { say, asked } = talk({ text: 'Hello' }, { text: 'half', finish: 'error' }, new Error('down'), { text: 'Back' })
  expect(await say('One')).toBe(true)
  expect(await say('Two')).toBe(false)
  expect(await say('Three')).toBe(false)
  expect(await say('Four')).toBe(true)
  expect(asked(3)).toContain('user: One\nassistant: Hello\nuser: Two')
  expect(asked(3)).toContain('\nuser: Three\nuser: Four')
})

test('of a stopped turn what was said stays', async () => {
  const waiting = Promise.withResolvers<void>()
  const never: ScriptedTurn = {
    text: 'never told',
    get after() {
      waiting.resolve()
      return new Promise<void>(() => {})
    },
  }
  const { say, asked } = talk(never, { text: 'Back' })
  expect(await say('One', waiting.promise)).toBe(true)
  await say('Two')
  expect(asked(1)).toBe('user: One\nuser: Two')
})

test('a turn that was stopped while a tool ran leaves no call without its result', async () => {
  const { say, asked } = talk({ text: 'I look.', calls: [{ name: 'peek', args: {} }] }, { text: 'Back' })
  expect(await say('One', 'tool-call')).toBe(true)
  expect(await say('Two')).toBe(true)
  expect(asked(1)).toMatch(/^user: One\nassistant: I look. \| peek\({}\)\ntool: .*\nuser: Two$/)
})

test('conversations are listed, the last used first, and gone on with; those of other agents are not', async () => {
  const { say, asked, conversation } = talk({ text: 'Hello' }, { text: 'Other' }, { text: 'Back' })
  await say('The first question, which is rather long and will not fit into a line of a list')
  const first = conversation.threadId
  conversation.clear()
  await say('Second')
  const listed = await conversation.list()
  expect(listed.map(({ title }) => title)).toEqual([
    'Second',
    'The first question, which is rather long and will not fit i…',
  ])
  const shown = await conversation.resume(first)
  expect(shown.map(({ role }) => role)).toEqual(['user', 'assistant'])
  await say('Third')
  expect(asked(2)).toMatch(/^user: The first question.*\nassistant: Hello\nuser: Third$/)
  await expect(conversation.resume('no such')).rejects.toMatchObject({ code: 'thread-not-found' })
})

test('B9.3 a turn in which nothing new is said answers to what tasks have brought, once', async () => {
  const script = scriptedModels({
    lead: [{ calls: [{ name: 'scout', args: { prompt: 'Look' } }] }, { text: 'Begun.' }, { text: 'It saw a ZEBRA.' }],
    'lead/scout': [{ text: 'ZEBRA' }],
  })
  const scout = new Agent({ id: 's', description: 'Scouts.', model: script.at('lead/scout') })
  const backgroundTasks = { tools: { scout: true } }
  const lead = new Agent({ id: 'lead', model: script.at('lead'), agents: { scout }, backgroundTasks })
  const shared = { storage: new InMemoryStorage(), memory: new Memory(), logger: false } as const
  const app = new Retinue({ agents: { lead }, backgroundTasks: { enabled: true }, ...shared })
  const conversation = new Conversation(app.getAgent('lead') as Agent, () => undefined)
  const { signal } = new AbortController()
  expect(await (await conversation.say('Look', signal)).text).toBe('Begun.')
  await app.tasks.settled()
  const stream = await conversation.goOn(signal)
  expect(await stream.text).toBe('It saw a ZEBRA.')
  expect(script.calls('lead')[2]?.text).toMatch(
    /assistant: Begun\.\nuser: \[retinue\] The background task .*\n.*\n(.*)\nZEBRA\n\1$/,
  )
  // There is nothing unanswered any more.
  await expect(conversation.goOn(signal)).rejects.toMatchObject({ code: 'input-invalid' })
  // What is kept is what was said: nobody said anything a second time.
  const said = await conversation.resume(conversation.threadId)
  expect(said.filter(({ role }) => role === 'user')).toHaveLength(2)
})
