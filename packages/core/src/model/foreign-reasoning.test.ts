import { expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { createTool } from '../tools/create-tool.ts'

const look = createTool({ id: 'look', execute: () => 'seen' })
const thinking = { type: 'reasoning-delta', id: 'r', delta: 'thought' } as const
const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' } as const
const finish = { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: {} } as never

function model(provider: string, turns: Parameters<typeof scriptedModel>[0]) {
  return Object.assign(scriptedModel(turns), { provider })
}

test('B1.2 reasoning goes back to the provider that made it, with its metadata, also in a later call', async () => {
  const parts = [
    thinking,
    { type: 'reasoning-end', id: 'r', providerMetadata: { one: { signature: 's' } } } as const,
    call,
    finish,
  ]
  const one = model('one.messages', [{ parts }, { text: 'ok' }, { text: 'again' }])
  const agent = new Agent({ id: 'a', model: one, tools: { look } })
  const { response } = await agent.generate('Go')
  const reasoning = { type: 'reasoning', text: 'thought', providerOptions: { one: { signature: 's' } } }
  expect(one.calls[1]?.prompt[1]?.content).toContainEqual(reasoning)
  await agent.generate([
    { role: 'user', content: 'Go' },
    ...(response.messages as never[]),
    { role: 'user', content: 'More' },
  ])
  expect(one.calls[2]?.prompt[1]?.content).toContainEqual(reasoning)
})

test('B1.2 another provider never sees it: in a fallback, and in a later call', async () => {
  const parts = [thinking, call, finish]
  const one = model('one.messages', [{ parts }, Object.assign(new Error('no'), { statusCode: 400 })])
  const two = model('two.chat', [{ text: 'ok' }, { text: 'again' }])
  const { response } = await new Agent({ id: 'a', model: [one, two], tools: { look }, maxRetries: 0 }).generate('Go')
  expect(two.calls[0]?.text).not.toContain('thought')
  expect(two.calls[0]?.text).toContain('seen')
  await new Agent({ id: 'b', model: two }).generate([
    { role: 'user', content: 'Go' },
    ...(response.messages as never[]),
    { role: 'user', content: 'More' },
  ])
  expect(two.calls[1]?.text).not.toContain('thought')
})

test('B1.2 reasoning of a history without a mark is told by its metadata; without either it stays', async () => {
  const turn = (providerOptions?: object) => ({
    role: 'assistant' as const,
    content: [
      { type: 'reasoning', text: 'thought', ...(providerOptions ? { providerOptions } : {}) },
      { type: 'text', text: 'x' },
    ],
  })
  const history = (options?: object) => [
    { role: 'user' as const, content: 'Go' },
    turn(options),
    { role: 'user' as const, content: 'More' },
  ]
  const one = model('one', [{ text: '1' }, { text: '2' }, { text: '3' }])
  const agent = new Agent({ id: 'a', model: one })
  await agent.generate(history({ two: { id: 'x' } }))
  await agent.generate(history({ one: { id: 'x' } }))
  await agent.generate(history())
  expect(one.calls.map(({ text }) => text.includes('thought'))).toEqual([false, true, true])
})

test('B1.2 a message that held nothing but another provider’s reasoning is left out', async () => {
  const one = model('one', [{ text: '1' }])
  await new Agent({ id: 'a', model: one }).generate([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'thought', providerOptions: { two: {} } }] },
    { role: 'user', content: 'More' },
  ])
  expect(one.calls[0]?.prompt.map(({ role }) => role)).toEqual(['user', 'user'])
})
