import { describe, expect, test } from 'vitest'
import { modelChooser } from './choose-model.ts'

const request = (...declared: string[]) => ({ declared, agentId: 'a', path: ['a'] })

describe('which model answers', () => {
  test('--model wins over RETINUE_MODEL, and both over what an agent declares', async () => {
    const env = { RETINUE_MODEL: 'ollama/b', OPENAI_API_KEY: 'k' }
    expect(await modelChooser('groq/a', env)(request('openai/x'))).toEqual({ use: 'groq/a', why: '--model is set' })
    expect(await modelChooser(undefined, env)(request('openai/x'))).toEqual({
      use: 'ollama/b',
      why: 'RETINUE_MODEL is set',
    })
  })

  test('a declared model is used where its key is there, or where it needs none', async () => {
    expect(await modelChooser(undefined, { OPENAI_API_KEY: 'k' })(request('openai/x'))).toBeUndefined()
    expect(await modelChooser(undefined, { GEMINI_API_KEY: 'k' })(request('google/x'))).toBeUndefined()
    expect(await modelChooser(undefined, {})(request('ollama/x'))).toBeUndefined()
  })

  test('without its key the planner stands in, and says why', async () => {
    expect(await modelChooser(undefined, {})(request('openai/x'))).toEqual({
      use: 'offline/planner',
      why: 'OPENAI_API_KEY is not set',
    })
    expect(await modelChooser(undefined, { OPENAI_API_KEY: '', RETINUE_MODEL: '' })(request('openai/x'))).toMatchObject(
      {
        use: 'offline/planner',
      },
    )
  })

  test('a key for a provider that the config does not name changes nothing', async () => {
    expect(await modelChooser(undefined, { ANTHROPIC_API_KEY: 'k' })(request('openai/x'))).toMatchObject({
      use: 'offline/planner',
    })
  })

  test('of a list one model with a key is enough', async () => {
    expect(
      await modelChooser(undefined, { ANTHROPIC_API_KEY: 'k' })(request('openai/x', 'anthropic/y')),
    ).toBeUndefined()
    expect(await modelChooser(undefined, {})(request('openai/x', 'anthropic/y'))).toEqual({
      use: 'offline/planner',
      why: 'OPENAI_API_KEY and ANTHROPIC_API_KEY are not set',
    })
  })
})
