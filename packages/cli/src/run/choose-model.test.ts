import { describe, expect, test } from 'vitest'
import { modelChooser } from './choose-model.ts'

const request = (...declared: string[]) => ({ declared, agentId: 'a', path: ['a'] })

describe('which model answers', () => {
  test('--model wins over RETINUE_MODEL, and both over what an agent declares', () => {
    const env = { RETINUE_MODEL: 'ollama/b', OPENAI_API_KEY: 'k' }
    expect(modelChooser('groq/a', env)(request('openai/x'))).toEqual({ use: 'groq/a', why: '--model is set' })
    expect(modelChooser(undefined, env)(request('openai/x'))).toEqual({ use: 'ollama/b', why: 'RETINUE_MODEL is set' })
  })

  test('a declared model is used where its key is there, or where it needs none', () => {
    expect(modelChooser(undefined, { OPENAI_API_KEY: 'k' })(request('openai/x'))).toBeUndefined()
    expect(modelChooser(undefined, { GEMINI_API_KEY: 'k' })(request('google/x'))).toBeUndefined()
    expect(modelChooser(undefined, {})(request('ollama/x'))).toBeUndefined()
  })

  test('without its key the planner stands in, and says why', () => {
    expect(modelChooser(undefined, {})(request('openai/x'))).toEqual({
      use: 'offline/planner',
      why: 'OPENAI_API_KEY is not set',
    })
    expect(modelChooser(undefined, { OPENAI_API_KEY: '', RETINUE_MODEL: '' })(request('openai/x'))).toMatchObject({
      use: 'offline/planner',
    })
  })

  test('a key for a provider that the config does not name changes nothing', () => {
    expect(modelChooser(undefined, { ANTHROPIC_API_KEY: 'k' })(request('openai/x'))).toMatchObject({
      use: 'offline/planner',
    })
  })

  test('of a list one model with a key is enough', () => {
    expect(modelChooser(undefined, { ANTHROPIC_API_KEY: 'k' })(request('openai/x', 'anthropic/y'))).toBeUndefined()
    expect(modelChooser(undefined, {})(request('openai/x', 'anthropic/y'))).toEqual({
      use: 'offline/planner',
      why: 'OPENAI_API_KEY and ANTHROPIC_API_KEY are not set',
    })
  })
})
