import { expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { scriptedModel } from '../testing/scripted-model.ts'

test('B1.2 a registered provider makes the models of its strings, for the whole tree', async () => {
  const asked: string[] = []
  const mine = (modelId: string) => {
    asked.push(modelId)
    return scriptedModel(
      modelId === 'small'
        ? [{ text: 'fact' }]
        : [{ calls: [{ name: 'child', args: { prompt: 'Go' } }] }, { text: 'done' }],
    )
  }
  const child = new Agent({ id: 'c', description: 'Works.', model: 'mine/small' })
  const parent = new Agent({
    id: 'p',
    model: 'mine/big/one',
    agents: { child },
    defaultOptions: { providers: { mine } },
  })
  const { text, toolResults } = await parent.generate('Go')
  expect(text).toBe('done')
  expect(toolResults[0]?.result).toMatchObject({ status: 'completed', text: 'fact' })
  expect(asked).toEqual(['big/one', 'small'])
})

test('B1.2 an AI SDK provider object is one, and comes before a known provider of the same name', async () => {
  const openai = { languageModel: () => scriptedModel([{ text: 'mine' }]) }
  const { text } = await new Agent({ id: 'a', model: 'openai/gpt-5.5' }).generate('Go', { providers: { openai } })
  expect(text).toBe('mine')
})

test('B1.2 what is not registered is not found on a prototype, and the error names what is', async () => {
  const agent = new Agent({ id: 'a', model: 'constructor/x' })
  await expect(agent.generate('Go', { providers: { mine: () => scriptedModel([]) } })).rejects.toMatchObject({
    code: 'model-provider-unknown',
    hint: expect.stringContaining('mine, openai'),
  })
})

test('B1.2 a provider that gives no model is a typed error', async () => {
  const agent = new Agent({ id: 'a', model: 'mine/x' })
  await expect(agent.generate('Go', { providers: { mine: (() => ({})) as never } })).rejects.toMatchObject({
    code: 'model-invalid',
  })
  await expect(agent.generate('Go', { providers: 5 as never })).rejects.toMatchObject({ code: 'option-invalid' })
})
