import { Agent } from '@retinue/core/agent'
import { type ScriptedTurn, scriptedModel } from '@retinue/core/testing'
import { createTool } from '@retinue/core/tools'
import { expect, test } from 'vitest'
import { Conversation } from './conversation.ts'

/** The strict model refuses a conversation that a strict provider would refuse. */
function talk(...turns: ScriptedTurn[]) {
  const model = scriptedModel(turns)
  const peek = createTool({ id: 'peek', execute: () => new Promise(() => {}) })
  const agent = new Agent({ id: 'a', model, maxRetries: 0, tools: { peek } })
  const conversation = new Conversation(agent, () => undefined)
  const say = async (text: string, stopAt?: string): Promise<boolean> => {
    const stop = new AbortController()
    const stream = await conversation.say(text, stop.signal)
    for await (const { type } of stream.events) if (type === stopAt) stop.abort()
    return conversation.keep(text, await stream.result)
  }
  return { say, asked: (at: number) => model.calls[at]?.text, conversation }
}

test('a turn sees what was said before it', async () => {
  const { say, asked } = talk({ text: 'Hello' }, { text: 'Again' })
  await say('One')
  await say('Two')
  expect(asked(1)).toBe('user: One\nassistant: Hello\nuser: Two')
})

test('a failed turn is left out, and the conversation goes on', async () => {
  const { say, asked } = talk({ text: 'Hello' }, { text: 'half', finish: 'error' }, new Error('down'), { text: 'Back' })
  expect(await say('One')).toBe(true)
  expect(await say('Two')).toBe(false)
  expect(await say('Three')).toBe(false)
  expect(await say('Four')).toBe(true)
  expect(asked(3)).toBe('user: One\nassistant: Hello\nuser: Four')
})

test('of a stopped turn what was said stays', async () => {
  const { say, asked } = talk({ text: 'never told', after: new Promise(() => {}) }, { text: 'Back' })
  const said = say('One', 'start')
  expect(await said).toBe(true)
  await say('Two')
  expect(asked(1)).toBe('user: One\nuser: Two')
})

test('a turn that was stopped while a tool ran leaves no call without its result', async () => {
  const { say, asked } = talk({ text: 'I look.', calls: [{ name: 'peek', args: {} }] }, { text: 'Back' })
  expect(await say('One', 'tool-call')).toBe(true)
  expect(await say('Two')).toBe(true)
  expect(asked(1)).toMatch(/^user: One\nassistant: I look. \| peek\({}\)\ntool: .*\nuser: Two$/)
})
