import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { keepSecrets } from '../model/language-model.ts'
import { resolveModel } from '../model/resolve-model.ts'
import { scriptedModel } from '../testing/scripted-model.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const refused = (statusCode: number, message = 'no'): Error => Object.assign(new Error(message), { statusCode })

describe('B1.2 a fallback is not silent', () => {
  test('the step says which model was asked for, which answers, and why', async () => {
    const model = [scriptedModel([refused(401)], 'one'), scriptedModel([{ text: 'ok' }], 'two')]
    const { steps } = await new Agent({ id: 'a', model }).generate('Go')
    const why = 'scripted/one failed (model-call-failed, status 401)'
    expect(steps[0]?.model).toEqual({ requested: 'scripted/one', used: 'scripted/two', why })
    expect(steps[0]?.warnings).toEqual([`scripted/two answers, since ${why}.`])
  })

  test('if all fail, the error of the last tells of those before it', async () => {
    const model = ['nobody/x', scriptedModel([refused(400)], 'two')]
    const error = await new Agent({ id: 'a', model }).generate('Go').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'model-call-failed', data: { before: [{ code: 'model-provider-unknown' }] } })
  })
})

describe('B1.8 the wait for a retry', () => {
  test('ends with an abort, and leaves no clock behind', async () => {
    const failed = Object.assign(refused(429), { responseHeaders: { 'retry-after': '25' } })
    const stream = await new Agent({ id: 'a', model: scriptedModel([failed]) }).stream('Go')
    await vi.advanceTimersByTimeAsync(100)
    expect(vi.getTimerCount()).toBe(1)
    stream.abort()
    expect(await stream.finishReason).toBe('aborted')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('B12.2 a key is never repeated, whatever it looks like', () => {
  test('the key that a model was made with, whole and by line', async () => {
    const model = keepSecrets(
      scriptedModel([refused(401, 'The credential weirdkeyvalue99 is revoked, and secondhalf too')]),
      'weirdkeyvalue99\nsecondhalf',
    )
    const error = await new Agent({ id: 'a', model }).generate('Go').catch((thrown: unknown) => thrown)
    expect((error as Error).message).toContain('The credential … is revoked, and … too')
  })

  test('a blank key is a missing key, and a base URL that is none names its variable', async () => {
    await expect(resolveModel('openai/x', { env: { OPENAI_API_KEY: '  ' } })).rejects.toMatchObject({
      code: 'model-key-missing',
    })
    await expect(resolveModel('ollama/x', { env: { OLLAMA_BASE_URL: 'localhost:11434' } })).rejects.toMatchObject({
      code: 'model-invalid',
      message: expect.stringContaining('OLLAMA_BASE_URL'),
    })
  })

  test('what a URL carries beside its place', async () => {
    const model = scriptedModel([refused(400, 'GET http://user:pass123@host.test/v1?key=abcdefg&n=1 failed')])
    const error = await new Agent({ id: 'a', model }).generate('Go').catch((thrown: unknown) => thrown)
    expect((error as Error).message).toContain('http://…@host.test/v1?key=…&n=1 failed')
  })
})

test('B1.6 a timeout that no clock can count is refused', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel([]) })
  for (const timeout of [{ totalMs: 3e9 }, { chunkMs: 2 ** 31 }])
    await expect(agent.generate('Go', { timeout })).rejects.toMatchObject({ code: 'option-invalid' })
})
