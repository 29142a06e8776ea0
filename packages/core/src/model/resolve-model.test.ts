import { expect, test } from 'vitest'
import { isRetinueError } from '../errors/retinue-error.ts'
import { isLanguageModel, modelName } from './language-model.ts'
import { resolveModel } from './resolve-model.ts'

async function errorOf(name: string, env: Record<string, string> = {}) {
  const error: unknown = await resolveModel(name, { env: env }).catch((thrown: unknown) => thrown)
  return isRetinueError(error) ? error : undefined
}

test('B1.2 a name without its key is an error that names the variable, or each that would do', async () => {
  for (const [name, variables] of [
    ['openai/gpt-5.5', ['OPENAI_API_KEY']],
    ['anthropic/claude', ['ANTHROPIC_API_KEY']],
    ['google/gemini', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']],
    ['groq/llama', ['GROQ_API_KEY']],
  ] as const) {
    for (const env of [{}, { [variables[0]]: '' }]) {
      const error = await errorOf(name, env)
      expect(error?.code).toBe('model-key-missing')
      for (const variable of variables) expect(error?.message).toContain(variable)
    }
  }
})

test('B1.2 a name with its key is a model of the provider itself, whichever kind it is', async () => {
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k', GROQ_API_KEY: 'k' }
  for (const name of ['openai/gpt-5.5', 'anthropic/claude', 'google/gemini', 'groq/meta/llama', 'ollama/qwen3:8b']) {
    const model = await resolveModel(name, { env: env })
    expect(isLanguageModel(model)).toBe(true)
    expect(modelName(model).endsWith(name.slice(name.indexOf('/')))).toBe(true)
  }
})

test('B1.2 what names no model is a typed error that says how to write one', async () => {
  for (const name of ['gpt-5.5', '', '/', '/gpt', 'openai/']) expect((await errorOf(name))?.code).toBe('model-invalid')
  for (const name of ['nobody/x', 'constructor/x', '__proto__/x', 'toString/x']) {
    const error = await errorOf(name)
    expect([error?.code, error?.hint?.includes('anthropic')]).toEqual(['model-provider-unknown', true])
  }
  expect((await errorOf('offline/nothing'))?.code).toBe('model-invalid')
})

test('B1.2 only objects of specification v2, v3 and v4 are language models', () => {
  const doStream = async () => ({})
  for (const specificationVersion of ['v2', 'v3', 'v4'])
    expect(isLanguageModel({ specificationVersion, doStream })).toBe(true)
  const wrong = [
    null,
    undefined,
    'x',
    [],
    {},
    { specificationVersion: 'v1', doStream },
    { specificationVersion: 'v5', doStream },
    { specificationVersion: 'v4' },
  ]
  for (const value of wrong) expect(isLanguageModel(value)).toBe(false)
})
