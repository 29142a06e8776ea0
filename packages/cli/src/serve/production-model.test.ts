import { Agent } from '@retinue/core/agent'
import { scriptedModel } from '@retinue/core/testing'
import { expect, test } from 'vitest'
import { assertAnswered, assertProviderKnown, productionModel, unansweredAgents } from './production-model.ts'

const child = new Agent({
  id: 'child',
  description: 'Helps.',
  instructions: 'Help.',
  model: 'anthropic/claude-opus-4-1',
})
const lead = new Agent({ id: 'lead', instructions: 'Lead.', model: 'openai/gpt-5.5', agents: { child } })
const KEYS = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }

test('in production the offline model serves only where a config names it', async () => {
  expect(await unansweredAgents([lead], { OPENAI_API_KEY: 'k' })).toEqual([
    { path: 'lead/child', variables: ['ANTHROPIC_API_KEY'] },
  ])
  await expect(assertAnswered([lead], {})).rejects.toMatchObject({
    code: 'model-offline-refused',
    message: expect.stringContaining('OPENAI_API_KEY and ANTHROPIC_API_KEY are not set'),
  })
  const blank = assertAnswered([lead], { ...KEYS, OPENAI_API_KEY: ' ' })
  await expect(blank).rejects.toMatchObject({ message: expect.stringContaining('OPENAI_API_KEY is not set') })
  await assertAnswered([lead], KEYS)
  await assertAnswered([lead], { RETINUE_MODEL: 'openai/gpt-5.5', OPENAI_API_KEY: 'k' })
  await expect(assertAnswered([lead], { ...KEYS, RETINUE_MODEL: 'google/gemini-3-pro' })).rejects.toMatchObject({
    code: 'model-offline-refused',
  })
  const named = new Agent({ id: 'named', instructions: 'Work.', model: 'offline/planner' })
  const made = new Agent({ id: 'made', instructions: 'Work.', model: scriptedModel([]) })
  const list = new Agent({ id: 'list', instructions: 'Work.', model: ['openai/gpt-5.5', 'anthropic/claude-opus-4-1'] })
  await assertAnswered([named, made, list], { ANTHROPIC_API_KEY: 'k' })
})

test('RETINUE_MODEL chooses every model in production, and never the offline one', () => {
  expect(productionModel({})).toBe(undefined)
  expect(productionModel({ RETINUE_MODEL: 'ollama/qwen3' })?.({ declared: [], agentId: 'a', path: ['a'] })).toEqual({
    use: 'ollama/qwen3',
    why: 'RETINUE_MODEL is set',
  })
  expect(() => productionModel({ RETINUE_MODEL: 'offline/echo' })).toThrow('RETINUE_MODEL is "offline/echo"')
})

test('RETINUE_MODEL that is no model, or of a provider that nobody knows, is an error of usage before anything is served', () => {
  for (const name of ['nonsense', '/x', 'openai/', 'open ai/x'])
    expect(() => productionModel({ RETINUE_MODEL: name })).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(`RETINUE_MODEL is "${name}"`) }),
    )
  const env = { RETINUE_MODEL: 'acme/big' }
  expect(() => assertProviderKnown([lead], env)).toThrow('no provider is called "acme"')
  expect(() => assertProviderKnown([lead], { RETINUE_MODEL: 'ollama/qwen3' })).not.toThrow()
  const providers = { acme: () => scriptedModel([]) }
  const registering = new Agent({ id: 'r', instructions: 'Work.', model: 'acme/big', defaultOptions: { providers } })
  expect(() => assertProviderKnown([lead, registering], env)).not.toThrow()
})
